import { FactColumns } from '../checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { isCutReason } from '../checks/limits/limits.ts'
import { KL_FORMULAS } from '../checks/logprobs/kl-formulas.ts'
import { gapsOfTwoEngines } from '../checks/logprobs/one-array.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import type { MeasureUnit } from './requests/compare.ts'
import { type RunSteps, STEP_MEASURES, type StepMeasure, type StepPoint, type StepSeries } from './requests/steps.ts'

/** Points of a series: a drawing has no room for more. */
const MOST_POINTS = 400

/** What each rollout adds to the sum and to what the sum is divided by; NaN where it tells nothing. */
interface Terms {
  readonly sums: Float64Array
  readonly weights: Float64Array
}

interface Told {
  readonly title: string
  readonly unit: MeasureUnit
  readonly over: string
  /** @param isRefuted whether a row was cut that is said to have stopped */
  of(columns: FactColumns, thresholds: Thresholds, isRefuted: (row: number) => boolean): Terms
}

const TOLD: Readonly<Record<StepMeasure, Told>> = {
  reward: {
    title: 'mean reward',
    unit: 'number',
    over: 'rollouts with a reward',
    of: (columns) => eachOnce(columns.numbers('reward')),
  },
  gap: {
    title: 'mean |sampler − trainer|',
    unit: 'nats',
    over: 'trained tokens that both scored',
    // As the verdict takes it (H06-lora): one array that stands in both places is no gap of 0.
    of: (columns, thresholds) => ({
      sums: gapsOfTwoEngines(columns, thresholds),
      weights: columns.numbers('gap', 'count'),
    }),
  },
  kl: {
    title: 'mean KL to the reference (k3)',
    unit: 'nats',
    over: 'trained tokens that trainer and reference scored',
    of: (columns) => ({
      sums: columns.numbers('kl', 'formulas', KL_FORMULAS.indexOf('k3')),
      weights: columns.numbers('kl', 'count'),
    }),
  },
  cut: {
    title: 'rollouts that a limit cut',
    unit: 'share',
    over: 'rollouts whose end the ids tell',
    of(columns, _, isRefuted) {
      const ends = columns.numbered('endReason', (end) => (end === 'unknown' ? -1 : Number(isCutReason(end))))
      return eachOnce(Float64Array.from(ends, (cut, row) => (isRefuted(row) ? 1 : cut < 0 ? Number.NaN : cut)))
    },
  },
  trained: {
    title: 'trained share of tokens',
    unit: 'share',
    over: 'tokens with a mask, padding left out',
    of(columns) {
      const trained = columns.numbers('trained')
      const masked = columns.numbers('masked')
      return { sums: trained, weights: trained.map((tokens, row) => tokens + (masked[row] as number)) }
    },
  },
  tokens: {
    title: 'mean tokens per rollout',
    unit: 'tokens',
    over: 'rollouts with ids, padding left out',
    of(columns) {
      const hasIds = columns.present('idsHash')
      return eachOnce(columns.numbers('realLength').map((tokens, row) => (hasIds[row] === 1 ? tokens : Number.NaN)))
    },
  },
}

function eachOnce(values: Float64Array): Terms {
  return { sums: values, weights: new Float64Array(values.length).fill(1) }
}

/**
 * How a run goes by training step. Means and shares are over all that its rollouts of a step hold, as verdicts take them.
 * @param beside steps of a run that it is drawn with: both have the same points then, of which one may be without rollouts
 * @param refuted rollouts that were cut and are said to have stopped (`told-ends.ts`)
 */
export function runSteps(
  facts: readonly TrajectoryFacts[],
  thresholds: Thresholds,
  beside: readonly number[] = [],
  refuted: ReadonlySet<TrajectoryFacts> = new Set(),
): RunSteps {
  const columns = new FactColumns(facts)
  const { points, pointOf } = pointsOf(columns.numbers('step'), beside)
  if (points.length === 0) return { points, series: [] }
  const isRefuted = (row: number) => refuted.has(facts[row] as TrajectoryFacts)
  const series = STEP_MEASURES.flatMap((of): StepSeries[] => {
    const { title, unit, over, of: terms } = TOLD[of]
    const values = valuesOf(terms(columns, thresholds, isRefuted), pointOf, points.length)
    return values.every((value) => value === null) ? [] : [{ of, title, unit, over, values }]
  })
  return { points, series }
}

/** The training steps that rollouts are of, ascending. */
export function stepsOf(facts: readonly TrajectoryFacts[]): number[] {
  const steps = new FactColumns(facts).numbers('step')
  return [...new Set(steps.filter(Number.isFinite))].sort((a, b) => a - b)
}

/** The points, and of which of them each rollout is: -1 where it says no step. */
function pointsOf(
  steps: Float64Array,
  beside: readonly number[],
): { readonly points: StepPoint[]; readonly pointOf: Int32Array } {
  const counts = new Map<number, number>(beside.map((step) => [step, 0]))
  for (const step of steps) if (Number.isFinite(step)) counts.set(step, (counts.get(step) ?? 0) + 1)
  const known = [...counts].sort(([a], [b]) => a - b)
  const together = Math.ceil(known.length / MOST_POINTS)
  const points: { from: number; to: number; rollouts: number }[] = []
  const pointOfStep = new Map<number, number>()
  for (const [at, [step, rollouts]] of known.entries()) {
    if (at % together === 0) points.push({ from: step, to: step, rollouts: 0 })
    const point = points[points.length - 1] as (typeof points)[number]
    point.to = step
    point.rollouts += rollouts
    pointOfStep.set(step, points.length - 1)
  }
  return { points, pointOf: Int32Array.from(steps, (step) => pointOfStep.get(step) ?? -1) }
}

function valuesOf({ sums, weights }: Terms, pointOf: Int32Array, points: number): (number | null)[] {
  const total = new Float64Array(points)
  const weight = new Float64Array(points)
  for (let row = 0; row < pointOf.length; row++) {
    const point = pointOf[row] as number
    const sum = sums[row] as number
    const own = weights[row] as number
    if (point < 0 || !Number.isFinite(sum) || !Number.isFinite(own)) continue
    total[point] = (total[point] as number) + sum
    weight[point] = (weight[point] as number) + own
  }
  return Array.from(total, (sum, point) => {
    const value = sum / (weight[point] as number)
    return Number.isFinite(value) ? value : null
  })
}
