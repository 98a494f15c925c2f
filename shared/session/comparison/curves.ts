import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { toldEnds } from '../../checks/truncation/told-ends.ts'
import { loggedOf } from '../../hypotheses/logged.ts'
import { RUN_METRICS } from '../../model/run-log.ts'
import { lengthHistogram, lengthsOf } from '../audit/lengths.ts'
import type { ComparedSeries, ComparedSpread } from '../requests/compare.ts'
import { type RunSteps, STEP_MEASURES } from '../requests/steps.ts'
import { runSteps, stepsOf } from '../run-steps.ts'
import type { ComparedSide } from './pair.ts'

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

/** What goes by training step: what the rollouts tell, and what was logged. Only what one of the runs has over two steps or more. */
export function comparedSeries(here: ComparedSide, there: ComparedSide): ComparedSeries[] {
  const [a, b] = [here.run.dump, there.run.dump]
  const ours = runSteps(a.facts, a.settings.thresholds, stepsOf(b.facts), toldEnds(a).refuted)
  const theirs = runSteps(b.facts, b.settings.thresholds, stepsOf(a.facts), toldEnds(b).refuted)
  const told = STEP_MEASURES.flatMap((of): ComparedSeries[] => {
    const known = [ours, theirs].flatMap(({ series }) => series.find((each) => each.of === of) ?? [])[0]
    if (known === undefined) return []
    return [{ name: known.title, unit: known.unit, here: toldSeries(ours, of), there: toldSeries(theirs, of) }]
  })
  const logged = RUN_METRICS.map(
    (metric): ComparedSeries => ({
      name: `${metric.replaceAll('-', ' ')}, as logged`,
      unit: 'number',
      here: loggedSeries(here, metric),
      there: loggedSeries(there, metric),
    }),
  )
  return [...told, ...logged].filter(({ here: a, there: b }) => a.steps.length > 1 || b.steps.length > 1)
}

function toldSeries({ points, series }: RunSteps, of: (typeof STEP_MEASURES)[number]): ComparedSeries['here'] {
  const values = series.find((each) => each.of === of)?.values ?? []
  const told = points.flatMap(({ from, to }, at) => {
    const value = values[at] ?? null
    return value === null ? [] : [{ from, to, value }]
  })
  return {
    steps: told.map(({ from }) => from),
    to: told.map(({ to }) => to),
    values: told.map(({ value }) => value),
  }
}

function loggedSeries({ run }: ComparedSide, metric: (typeof RUN_METRICS)[number]): ComparedSeries['here'] {
  const logged = loggedOf(run.logs, metric)
  if (logged === null) return { steps: [], to: [], values: [] }
  return { steps: logged.steps, to: logged.steps, values: logged.values }
}
