import type { TrajectoryFacts } from '../checks/facts.ts'
import { loggedOf } from '../hypotheses/logged.ts'
import { RUN_METRICS } from '../model/run-log.ts'
import type { ComparedSide } from './comparison-pair.ts'
import { lengthHistogram, lengthsOf } from './lengths.ts'
import type { ComparedSeries, ComparedSpread } from './requests/compare.ts'

const REWARD_BINS = 24

type Facts = readonly TrajectoryFacts[]

/** How rewards and lengths are spread in both runs, over the same bins; only those of which both tell. */
export function comparedSpreads(here: Facts, there: Facts): ComparedSpread[] {
  const rewards = spreadOfRewards(finiteRewards(here), finiteRewards(there))
  const lengths = (['sequence', 'assistant-turn', 'tool-reply'] as const).flatMap((of): ComparedSpread[] => {
    const [a, b] = [lengthsOf(here, of), lengthsOf(there, of)]
    if (a.length === 0 || b.length === 0) return []
    const { from, width, counts } = lengthHistogram([...a, ...b])
    return [
      { of, from, width, here: shares(a, from, width, counts.length), there: shares(b, from, width, counts.length) },
    ]
  })
  return rewards === null ? lengths : [rewards, ...lengths]
}

function spreadOfRewards(here: readonly number[], there: readonly number[]): ComparedSpread | null {
  if (here.length === 0 || there.length === 0) return null
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  for (const values of [here, there]) {
    for (const value of values) {
      least = Math.min(least, value)
      greatest = Math.max(greatest, value)
    }
  }
  const width = (greatest - least) / REWARD_BINS
  if (!(width > 0) || !Number.isFinite(width)) return { of: 'reward', from: least, width: 0, here: [1], there: [1] }
  const bins = (values: readonly number[]) => shares(values, least, width, REWARD_BINS)
  return { of: 'reward', from: least, width, here: bins(here), there: bins(there) }
}

/** The share of values in each bin; the greatest value belongs to the last. */
function shares(values: readonly number[], from: number, width: number, bins: number): number[] {
  const counts = new Array<number>(bins).fill(0)
  for (const value of values) counts[Math.min(bins - 1, Math.max(0, Math.floor((value - from) / width)))]! += 1
  return counts.map((count) => count / values.length)
}

function finiteRewards(facts: Facts): number[] {
  return facts.flatMap(({ reward }) => (reward === null || !Number.isFinite(reward) ? [] : reward))
}

/** What goes by training step: rewards, lengths and the gap of the rollouts, and what was logged. Only what one of the runs has over two steps or more. */
export function comparedSeries(here: ComparedSide, there: ComparedSide): ComparedSeries[] {
  const own: readonly (readonly [string, (row: TrajectoryFacts) => number | null])[] = [
    ['mean reward', ({ reward }) => reward],
    ['mean tokens per rollout', ({ realLength, idsHash }) => (idsHash === null ? null : realLength)],
    ['mean |sampler − trainer|', ({ gap }) => (gap && gap.count > 0 ? gap.absolute / gap.count : null)],
  ]
  return [
    ...own.map(([name, of]) => ({
      name,
      here: byStep(here.run.dump.facts, of),
      there: byStep(there.run.dump.facts, of),
    })),
    ...RUN_METRICS.map((metric) => ({
      name: `${metric.replaceAll('-', ' ')}, as logged`,
      here: loggedSeries(here, metric),
      there: loggedSeries(there, metric),
    })),
  ].filter(({ here: a, there: b }) => a.steps.length > 1 || b.steps.length > 1)
}

function byStep(facts: Facts, of: (row: TrajectoryFacts) => number | null): ComparedSeries['here'] {
  const sums = new Map<number, { sum: number; count: number }>()
  for (const row of facts) {
    const value = of(row)
    if (row.step === null || value === null || !Number.isFinite(value)) continue
    const at = sums.get(row.step) ?? { sum: 0, count: 0 }
    at.sum += value
    at.count++
    sums.set(row.step, at)
  }
  const steps = [...sums].sort(([a], [b]) => a - b)
  return { steps: steps.map(([step]) => step), values: steps.map(([, { sum, count }]) => sum / count) }
}

function loggedSeries({ run }: ComparedSide, metric: (typeof RUN_METRICS)[number]): ComparedSeries['here'] {
  const logged = loggedOf(run.logs, metric)
  return logged === null ? { steps: [], values: [] } : { steps: logged.steps, values: logged.values }
}
