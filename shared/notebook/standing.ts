import type { HypothesisResult } from '../model/report.ts'
import type { Status } from './model.ts'

/**
 * How a person's status and a dump's verdict stand to each other. `undecided`: the dump says something definite and the person has
 * not said anything yet; `silent`: the dump does not decide.
 */
export type Standing = 'agree' | 'disagree' | 'undecided' | 'silent'

export function standingOf(status: Status, verdict: HypothesisResult['verdict']): Standing {
  if (verdict === 'inconclusive' || verdict === 'not-checkable') return 'silent'
  if (status === 'pending' || status === 'testing' || status === 'inconclusive') return 'undecided'
  const holds = status === 'validated' || status === 'partial'
  return holds === (verdict === 'supported') ? 'agree' : 'disagree'
}
