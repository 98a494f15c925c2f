import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { LikeRows } from '../grouping/like-rows.ts'
import { oneArrayIn } from './one-array.ts'
import { digits } from './text.ts'
import { type GapTrend, gapTrendsOf } from './trend.ts'

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
  ofSteps: true,
  dump: lookAtSteps,
}

function* lookAtSteps(view: DumpView, report: DumpReporter): Steps<void> {
  const lack = oneArrayIn(view)
  if (lack !== null) {
    report.abstain('not-checkable', `the dump does not carry ${lack}`)
    return
  }
  const columns = new FactColumns(view.facts)
  const [hasGap, hasStep] = [columns.present('gap'), columns.present('step')]
  const rows = view.facts.filter((_, at) => hasGap[at] === 1 && hasStep[at] === 1)
  const { thresholds } = view.settings
  yield 0.1
  const frozen = yield* within(0.1, 0.5, frozenCopies(view.facts, thresholds))
  const trends = gapTrendsOf(view)
  if (trends.length === 0 && frozen.size === 0) {
    report.abstain('not-checkable', tooFewSteps(new Set(rows.map(({ step }) => step)).size, thresholds))
    return
  }
  const growing = trends.filter(({ grows }) => grows)
  const look = (row: TrajectoryFacts) => {
    const original = frozen.get(row)
    const trend = growing.length === 0 ? undefined : growing.find(({ sources }) => sources.has(row.place.source))
    const isLate = trend !== undefined && (row.step as number) >= laterHalf(trend)
    report.unit(isLate || original !== undefined)
    report.place(isLate || original !== undefined)
    if (original !== undefined) report.fault(frozenFault(row, original))
    else if (isLate) {
      const own = (row.gap?.absolute ?? 0) / (row.gap?.count ?? 1)
      report.fault({
        member: row,
        affectedTokens: row.gap?.count ?? 0,
        affectedWeight: row.weight ?? 0,
        // Either the counter advances and the weights do not arrive, or every update is larger than the one before.
        ...(trend.follows ? { severity: 'warning' as const } : {}),
        message: `At step ${row.step} sampler and trainer differ by ${digits(own)} on average; over ${trend.steps.length} steps the gap grew from ${digits(trend.first)} to ${digits(trend.last)}${trend.follows ? ', at steps that lag no further behind, though the policy versions say that new weights arrive' : ''}`,
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

/** Where the gap grows with the step, the rollouts of its later half are those that are far off. */
function laterHalf({ steps }: GapTrend): number {
  return steps[steps.length >> 1]?.step ?? 0
}

function tooFewSteps(steps: number, { 'trend-steps': least }: Thresholds): string {
  if (steps >= least)
    return `no run among the files of the dump has ${least} training steps or more: too few to tell a trend`
  return `the dump has ${steps} training ${steps === 1 ? 'step' : 'steps'} with trained tokens: too few to tell a trend`
}

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
 * merely written twice has the trainer's numbers as well, and one with few values is equal by chance.
 */
function* frozenCopies(
  facts: readonly TrajectoryFacts[],
  { 'trainer-moved': moved, 'equal-values': enough }: Thresholds,
): Steps<Map<TrajectoryFacts, TrajectoryFacts>> {
  const columns = new FactColumns(facts)
  const values = columns.numbers('gap', 'samplerValues')
  const steps = columns.numbers('step')
  const frozen = new Map<TrajectoryFacts, TrajectoryFacts>()
  if (isOneStep(steps)) return frozen
  const hasIds = columns.present('idsHash')
  yield 0.1
  const prompts = columns.digests('promptHash')
  yield 0.2
  const like = new LikeRows([...prompts, ...columns.digests('idsHash'), ...columns.digests('gap', 'samplerHash')])
  yield 0.3
  const look = (row: TrajectoryFacts, at: number) => {
    if (hasIds[at] === 0 || !((values[at] as number) >= enough) || Number.isNaN(steps[at])) return
    const first = like.firstLike(at)
    if (first === at || steps[first] === steps[at]) return
    const original = facts[first] as TrajectoryFacts
    if (Math.abs(meanTrainer(row) - meanTrainer(original)) >= moved) frozen.set(row, original)
  }
  yield* within(0.3, 1, forEachOf(facts, look))
  return frozen
}

/** No two rollouts are of different steps, as far as they name theirs (NaN where not). */
function isOneStep(steps: Float64Array): boolean {
  const first = steps.find((step) => !Number.isNaN(step))
  return steps.every((step) => step === first || Number.isNaN(step))
}
