import type { RolloutFilter } from '../../model/report.ts'
import type { LimitName } from '../../model/streams.ts'
import type { DumpView } from '../check.ts'
import type { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { largestOf } from '../facts/read-columns.ts'
import { completionLength, limitOfRow } from './limits.ts'

/** The limits that rollouts are judged by. */
export type KnownLimits = Pick<DumpView, 'limits' | 'limitsByRollout'>

/** A length that a limit in tokens counts. */
export type LimitedLength = NonNullable<RolloutFilter['left']>[number]['of']

export const LIMITED_LENGTHS: readonly LimitedLength[] = ['sequence', 'prompt', 'completion', 'assistant-turn']

const LIMIT_OF: Readonly<Record<LimitedLength, LimitName>> = {
  sequence: 'max_seq_len',
  prompt: 'max_prompt_length',
  completion: 'max_completion_length',
  'assistant-turn': 'max_completion_length',
}

/** The limit that counts a length; null where none is known. Trainers use one name for two: a run has the one or the other. */
export function limitInForce(of: LimitedLength, { limits, limitsByRollout }: KnownLimits): LimitName | null {
  const name = LIMIT_OF[of]
  // What a limit counts is decided for all of its values together, also for those that are not listed.
  const inForce = limits[name] ?? limitsByRollout?.[name]?.[0] ?? null
  if (inForce === null) return null
  const isOther = name === 'max_completion_length' && (inForce.per === 'turn') !== (of === 'assistant-turn')
  return isOther ? null : name
}

/**
 * Tokens that a length of the rollout left to the limit that the rollout is judged by, of an assistant turn the longest one; below 0
 * where it goes beyond. Null where it has no such length or there is no such limit.
 */
export function leftToLimit(row: TrajectoryFacts, of: LimitedLength, known: KnownLimits): number | null {
  const name = limitInForce(of, known)
  const limit = name === null ? null : limitOfRow(name, known, row)
  const length = lengthOf(row, of)
  return limit === null || length === null ? null : limit - length
}

/** A row that trains nothing is just as long as a limit of the run. What counts as the end of its last turn may be the first of its padding. */
export function isAtLimit(row: TrajectoryFacts, known: KnownLimits): boolean {
  const most = row.untrainedEnd === 'stop-or-padding' ? 1 : 0
  return (['completion', 'sequence'] as const).some((of) => {
    const left = leftToLimit(row, of, known)
    return left !== null && left <= 0 && left >= -most
  })
}

function lengthOf(row: TrajectoryFacts, of: LimitedLength): number | null {
  switch (of) {
    case 'sequence':
      return row.idsHash === null ? null : row.realLength
    case 'prompt':
      return row.promptLength === null || row.promptLength < 0 ? null : row.promptLength
    case 'completion':
      return row.idsHash === null || row.promptLength === null ? null : completionLength(row)
    case 'assistant-turn': {
      const longest = largestOf(row.assistantLengths)
      return Number.isNaN(longest) ? null : longest
    }
  }
}

/** The same of many rollouts, NaN for null. */
export function leftToLimits(facts: FactColumns, of: LimitedLength, known: KnownLimits): Float64Array {
  const name = limitInForce(of, known)
  if (name === null) return new Float64Array(facts.length).fill(Number.NaN)
  const ofRun = known.limits[name]?.value ?? null
  const left = ofRun === null ? facts.numbers('limits', name) : new Float64Array(facts.length).fill(ofRun)
  const lengths = of === 'assistant-turn' ? facts.largest('assistantLengths') : facts.numbers(FACT_OF[of])
  const prompts = of === 'completion' ? facts.numbers('promptLength') : null
  const hasIds = of === 'sequence' || of === 'completion' ? facts.present('idsHash') : null
  for (let i = 0; i < left.length; i++) {
    const length = (lengths[i] as number) - (prompts === null ? 0 : (prompts[i] as number))
    const isThere = (hasIds === null || hasIds[i] === 1) && (of !== 'prompt' || length >= 0)
    left[i] = isThere ? (left[i] as number) - length : Number.NaN
  }
  return left
}

const FACT_OF = { sequence: 'realLength', prompt: 'promptLength', completion: 'realLength' } as const
