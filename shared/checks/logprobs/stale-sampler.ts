import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import { FactColumns } from '../fact-columns.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { digits } from './text.ts'
import { gapTrend } from './trend.ts'

/** L08. The sampler runs behind the trainer, further at every step, or never moves at all. */
export const L08: Check = {
  code: 'L08',
  name: 'stale-sampler',
  title: 'The sampler does not get the new weights',
  hypotheses: ['H06-lora'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'logprobs.sampler', 'logprobs.trainer', 'step'],
  looksAt: 'rollouts of several training steps that both sampler and trainer scored',
  why: 'The trainer learns from rollouts of a policy that it left long ago: rewards cannot rise, since what is sampled never changes.',
  fix: 'Check that every update reaches the sampler: adapter loaded by name, merged weights, version counter, one fixed prompt scored per step.',
  cite: 'verl#7495, ms-swift#9855, TRL#3679, TRL#2872',
  dump: lookAtSteps,
}

function* lookAtSteps(view: DumpView, report: DumpReporter): Steps<void> {
  const hasGap = new FactColumns(view.facts).present('gap')
  const rows = view.facts.filter(({ step }, at) => hasGap[at] === 1 && step !== null)
  const { thresholds } = view.settings
  const values = new FactColumns(view.facts).numbers('gap', 'samplerValues')
  const telling = view.facts.filter(
    ({ step }, at) => (values[at] as number) >= thresholds['equal-values'] && step !== null,
  )
  yield 0.1
  const frozen = yield* within(0.1, 0.5, frozenCopies(telling, thresholds))
  const trend = gapTrend(view.facts, thresholds)
  if (trend === null && frozen.size === 0) {
    const steps = new Set(rows.map(({ step }) => step)).size
    report.abstain(
      'not-checkable',
      `the dump has ${steps} training ${steps === 1 ? 'step' : 'steps'} with trained tokens: too few to tell a trend`,
    )
    return
  }
  const grows = trend?.grows ?? false
  // Where the gap grows with the step, the rollouts of its later half are those that are far off.
  const late = trend === null ? Number.POSITIVE_INFINITY : (trend.steps[trend.steps.length >> 1]?.step ?? 0)
  const look = (row: TrajectoryFacts) => {
    const original = frozen.get(row)
    const isLate = grows && (row.step as number) >= late
    report.unit(isLate || original !== undefined)
    report.place(isLate || original !== undefined)
    if (original !== undefined) report.fault(frozenFault(row, original))
    else if (isLate && trend !== null) {
      const own = (row.gap?.absolute ?? 0) / (row.gap?.count ?? 1)
      report.fault({
        member: row,
        affectedTokens: row.gap?.count ?? 0,
        affectedWeight: row.weight ?? 0,
        message: `At step ${row.step} sampler and trainer differ by ${digits(own)} on average; over ${trend.steps.length} steps the gap grew from ${digits(trend.first)} to ${digits(trend.last)}`,
        evidence: {
          mean_absolute_gap: own,
          rank_correlation_with_step: trend.rank,
          gap_by_step: trend.steps.slice(0, MOST_LISTED).map(({ step, mean }) => [step, mean]),
        },
      })
    }
  }
  yield* within(0.5, 1, forEachOf(rows, look))
}

const MOST_LISTED = 64

function frozenFault(row: TrajectoryFacts, original: TrajectoryFacts) {
  const moved = Math.abs(meanTrainer(row) - meanTrainer(original))
  return {
    member: row,
    affectedTokens: row.gap?.count ?? 0,
    affectedWeight: row.weight ?? 0,
    message: `The sampler scores these ids at step ${row.step} bit by bit as it did at step ${original.step}, while the trainer moved by ${digits(moved)} a token`,
    evidence: {
      same_as: original.id,
      same_as_place: original.place,
      steps: [original.step, row.step],
      mean_trainer_logprobs: [meanTrainer(original), meanTrainer(row)],
    },
  }
}

function meanTrainer({ gap }: TrajectoryFacts): number {
  return (gap?.trainerSum ?? 0) / (gap?.count || 1)
}

/**
 * Rollouts with the ids of one of an earlier step and the very logprobs of the sampler, though the trainer has moved since. A row that was
 * merely written twice has the trainer's numbers as well. `rows`: those with enough values to tell.
 */
function* frozenCopies(
  rows: readonly TrajectoryFacts[],
  { 'trainer-moved': moved }: Thresholds,
): Steps<Map<TrajectoryFacts, TrajectoryFacts>> {
  const seen = new Map<string, TrajectoryFacts>()
  const frozen = new Map<TrajectoryFacts, TrajectoryFacts>()
  const look = (row: TrajectoryFacts) => {
    const { idsHash, gap } = row
    if (idsHash === null || gap === undefined) return
    const key = `${row.promptHash} ${idsHash} ${gap.samplerHash}`
    const original = seen.get(key)
    if (original === undefined) seen.set(key, row)
    else if (original.step !== row.step && Math.abs(meanTrainer(row) - meanTrainer(original)) >= moved) {
      frozen.set(row, original)
    }
  }
  yield* forEachOf(rows, look)
  return frozen
}
