import { count, counted } from '../../model/number-text.ts'
import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { limitOfRow, sampledTokens } from '../limits/limits.ts'

/** C13. The limit of a completion is applied to each turn: turns stop at it, and rollouts go on beyond it. */
export const limitPerTurn: Check = {
  code: 'C13',
  name: 'limit-per-turn',
  title: 'Completion limit is applied turn by turn',
  hypotheses: ['H04'],
  severity: 'info',
  unit: 'trajectory',
  needs: ['ids', 'limits', 'tokenizer'],
  looksAt: 'rollouts under a known completion limit',
  why: 'A limit meant for the rollout and applied per turn (or the reverse) makes budgets, memory and length statistics wrong.',
  fix: 'Find out which of the two the trainer means by its limit, and set the limit of the sequence beside it.',
  cite: 'verifiers#383, verl#5794, verifiers#637',
  dump: lookAtTurns,
}

function* lookAtTurns(view: DumpView, report: DumpReporter): Steps<void> {
  const ofRun = view.limits.max_completion_length
  const known = ofRun === null ? view.limitsByRollout?.max_completion_length !== undefined : ofRun.origin !== 'inferred'
  if (!known) {
    report.abstain('not-applicable', 'no completion limit is given or in the metadata')
    return
  }
  const limitOf = (facts: TrajectoryFacts) => limitOfRow('max_completion_length', view, facts)
  const isLimited = (facts: TrajectoryFacts) => facts.assistantLengths.length > 1 && limitOf(facts) !== null
  const rows = yield* within(0, 0.3, filtered(view.facts, isLimited))
  const isStopped = (facts: TrajectoryFacts) => {
    const limit = limitOf(facts) as number
    // An end token that the template puts behind a turn which the limit cut comes on top.
    return facts.assistantLengths.some((length) => length === limit || length === limit + 1)
  }
  const stopped = yield* within(0.3, 0.6, filtered(rows, isStopped))
  const enough = view.settings.thresholds['pile-up-rollouts']
  const look = (facts: TrajectoryFacts) => {
    const total = sampledTokens(facts)
    const limit = limitOf(facts) as number
    const affected = stopped.length >= enough && total > limit
    report.unit(affected)
    report.place(affected)
    if (!affected) return
    report.fault({
      member: facts,
      message: `The model wrote ${counted(total, 'token')} in ${counted(facts.assistantLengths.length, 'turn')} under a completion limit of ${count(limit)}, at which turns of ${counted(stopped.length, 'rollout')} stop`,
      evidence: {
        max_completion_length: limit,
        limit_known_from: ofRun?.origin ?? 'metadata',
        turn_lengths: facts.assistantLengths.slice(0, 64),
        sampled_tokens: total,
        rollouts_with_a_turn_at_the_limit: stopped.length,
      },
    })
  }
  yield* within(0.6, 1, forEachOf(rows, look))
}
