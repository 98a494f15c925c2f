import type { Thresholds } from '../../model/thresholds/registry.ts'
import { FactColumns } from '../fact-columns.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { runsOfFiles } from '../runs-of-files.ts'

/** Mean |gap| by training step of one run. */
export interface GapTrend {
  /** Files of the run, by `Place.source`. */
  readonly sources: ReadonlySet<number>
  readonly steps: readonly { readonly step: number; readonly mean: number }[]
  /** Kendall's rank correlation of step and mean, -1 to 1. */
  readonly rank: number
  /** Means over the first and the last third of the steps. */
  readonly first: number
  readonly last: number
  /** The gap rises with the step, to where engines no longer agree. */
  readonly grows: boolean
}

interface Sum {
  count: number
  absolute: number
}

/**
 * One for each run among the files that has enough steps for one, those that grow first, then by the number of steps; none where
 * no run has.
 */
export function gapTrends(facts: readonly TrajectoryFacts[], thresholds: Thresholds): GapTrend[] {
  const files = gapsByFile(facts)
  return runsOfFiles(files)
    .flatMap((sources) => trendOfRun(sources, files, thresholds) ?? [])
    .sort((a, b) => Number(b.grows) - Number(a.grows) || b.steps.length - a.steps.length)
}

interface FileGaps {
  readonly model: string | null
  readonly steps: Set<number>
  readonly sums: Map<number, Sum>
}

function gapsByFile(facts: readonly TrajectoryFacts[]): Map<number, FileGaps> {
  const files = new Map<number, FileGaps>()
  const columns = new FactColumns(facts)
  const sources = columns.numbers('place', 'source')
  const stepOf = columns.numbers('step')
  const counts = columns.numbers('gap', 'count')
  const absolutes = columns.numbers('gap', 'absolute')
  for (let row = 0; row < columns.length; row++) {
    const step = stepOf[row] as number
    const count = counts[row] as number
    if (Number.isNaN(step) || Number.isNaN(count)) continue
    const source = sources[row] as number
    let file = files.get(source)
    if (file === undefined) {
      const { model } = facts[row] as TrajectoryFacts
      files.set(source, (file = { model, steps: new Set(), sums: new Map() }))
    }
    addTo(file.sums, step, count, absolutes[row] as number)
    file.steps.add(step)
  }
  return files
}

function addTo(sums: Map<number, Sum>, step: number, count: number, absolute: number): void {
  let sum = sums.get(step)
  if (sum === undefined) sums.set(step, (sum = { count: 0, absolute: 0 }))
  sum.count += count
  sum.absolute += absolute
}

/** Null with fewer steps than a trend can be told from. */
function trendOfRun(
  sources: readonly number[],
  files: ReadonlyMap<number, FileGaps>,
  thresholds: Thresholds,
): GapTrend | null {
  const sums = new Map<number, Sum>()
  for (const source of sources)
    for (const [step, { count, absolute }] of files.get(source)?.sums ?? []) addTo(sums, step, count, absolute)
  if (sums.size < thresholds['trend-steps']) return null
  const steps = [...sums]
    .sort(([a], [b]) => a - b)
    .map(([step, { count, absolute }]) => ({ step, mean: absolute / count }))
  const means = steps.map(({ mean }) => mean)
  const third = Math.floor(means.length / 3)
  const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const first = average(means.slice(0, third))
  const last = average(means.slice(-third))
  const rank = kendall(means)
  const rises = rank >= thresholds['trend-rank'] && last >= thresholds['trend-growth'] * first
  const grows = rises && last >= thresholds['engines-differ']
  return { sources: new Set(sources), steps, rank, first, last, grows }
}

/** Most steps compared pair by pair: a run of thousands is thinned out evenly. */
const MOST_STEPS = 512

/** Kendall's rank correlation of values with their order, -1 to 1; ties count as neither. */
export function kendall(means: readonly number[]): number {
  const stride = Math.ceil(means.length / MOST_STEPS)
  const values = means.filter((_, k) => k % stride === 0)
  let balance = 0
  for (let i = 0; i < values.length; i++) {
    for (let j = i + 1; j < values.length; j++) balance += Math.sign((values[j] as number) - (values[i] as number))
  }
  return (2 * balance) / (values.length * (values.length - 1))
}
