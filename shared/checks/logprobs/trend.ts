import type { Thresholds } from '../../model/thresholds/registry.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { runsOfFiles } from '../grouping/runs-of-files.ts'
import { keptForDump } from '../once-for-dump.ts'
import { ofTwoEngines } from './one-array.ts'

/** Mean |gap| by training step of one run. */
export interface GapTrend {
  /** Files of the run, by `Place.source`. */
  readonly sources: ReadonlySet<number>
  readonly steps: readonly { readonly step: number; readonly mean: number }[]
  /** Kendall's rank correlation with the step, -1 to 1: of the mean; where that rises and the mean per nat of surprise does not, of the latter. */
  readonly rank: number | null
  /** Which of the two it is of. Text that grows less certain has larger gaps, though the engines differ as they did. */
  readonly rankOf: 'gap' | 'gap-by-surprise'
  /** Means over the first and the last third of the steps. */
  readonly first: number
  readonly last: number
  /** The gap rises with the step, and to several times what it was, however small it still is. */
  readonly rises: boolean
  /** It rises to where engines no longer agree. */
  readonly grows: boolean
  /**
   * The versions that the rollouts name follow the step, so that by them new weights do reach the sampler. `rank` is then over pairs of
   * steps of which the later lags no further behind, null where there are too few.
   */
  readonly follows: boolean
}

interface Sum {
  count: number
  absolute: number
  /** Σ −logprob of the sampler, of the same tokens. */
  surprise: number
  /** Σ of tokens times the step less the version that sampled them; NaN where one rollout names none. */
  lag: number
}

/**
 * One for each run among the files that has enough steps for one: those that grow first, then those that rise, then by the number of
 * steps; none where no run has.
 */
export function gapTrends(facts: readonly TrajectoryFacts[], thresholds: Thresholds): GapTrend[] {
  const files = gapsByFile(ofTwoEngines(facts, thresholds))
  return runsOfFiles(files)
    .flatMap((sources) => trendOfRun(sources, files, thresholds) ?? [])
    .sort(
      (a, b) =>
        Number(b.grows) - Number(a.grows) || Number(b.rises) - Number(a.rises) || b.steps.length - a.steps.length,
    )
}

/** Those of a dump, worked out once. */
export const gapTrendsOf = keptForDump(({ facts, settings }) => gapTrends(facts, settings.thresholds))

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
  const trainerSums = columns.numbers('gap', 'trainerSum')
  const gapSums = columns.numbers('gap', 'sum')
  const versions = columns.numbers('version')
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
    addTo(file.sums, step, {
      count,
      absolute: absolutes[row] as number,
      surprise: -(trainerSums[row] as number) - (gapSums[row] as number),
      lag: count * (step - (versions[row] as number)),
    })
    file.steps.add(step)
  }
  return files
}

function addTo(sums: Map<number, Sum>, step: number, { count, absolute, surprise, lag }: Sum): void {
  let sum = sums.get(step)
  if (sum === undefined) sums.set(step, (sum = { count: 0, absolute: 0, surprise: 0, lag: 0 }))
  sum.count += count
  sum.absolute += absolute
  sum.surprise += surprise
  sum.lag += lag
}

/** Null with fewer steps than a trend can be told from. */
function trendOfRun(
  sources: readonly number[],
  files: ReadonlyMap<number, FileGaps>,
  thresholds: Thresholds,
): GapTrend | null {
  const sums = new Map<number, Sum>()
  for (const source of sources) for (const [step, sum] of files.get(source)?.sums ?? []) addTo(sums, step, sum)
  if (sums.size < thresholds['trend-steps']) return null
  const ordered = [...sums].sort(([a], [b]) => a - b)
  const steps = ordered.map(([step, { count, absolute }]) => ({ step, mean: absolute / count }))
  const lags = ordered.map(([, { lag, count }]) => lag / count)
  const follows = versionsFollow(lags, ordered, thresholds)
  const rise = (values: readonly number[]) => ({
    ...thirds(values),
    rank: follows ? kendallAtLag(values, lags, thresholds) : kendall(values),
  })
  const ofGap = rise(steps.map(({ mean }) => mean))
  // A sampler that claims certainty throughout has no surprise to share its gap out over.
  const isSurprised = ordered.every(([, { surprise }]) => surprise > 0)
  const ofSurprise = isSurprised ? rise(ordered.map(([, { absolute, surprise }]) => absolute / surprise)) : ofGap
  const { 'trend-rank': leastRank, 'trend-growth': growth, 'engines-differ': differ } = thresholds
  const isRising = ({ rank }: typeof ofGap) => rank !== null && rank >= leastRank
  const rises = [ofGap, ofSurprise].every((each) => isRising(each) && each.last >= growth * each.first)
  const { first, last } = ofGap
  const isOfText = isRising(ofGap) && !isRising(ofSurprise)
  const { rank } = isOfText ? ofSurprise : ofGap
  const rankOf = isOfText ? 'gap-by-surprise' : 'gap'
  return { sources: new Set(sources), steps, rank, rankOf, first, last, rises, grows: rises && last >= differ, follows }
}

function thirds(values: readonly number[]): { first: number; last: number } {
  const third = Math.floor(values.length / 3)
  const average = (some: readonly number[]) => some.reduce((sum, value) => sum + value, 0) / some.length
  return { first: average(values.slice(0, third)), last: average(values.slice(-third)) }
}

/** All rollouts name their version, it is newer in some step, and the last step lags no further behind than one before it. */
function versionsFollow(
  lags: readonly number[],
  ordered: readonly (readonly [number, unknown])[],
  { 'same-lag': same }: Thresholds,
): boolean {
  if (lags.some(Number.isNaN)) return false
  const versions = ordered.map(([step], at) => step - (lags[at] as number))
  const isNewer = versions.some((version) => version > (versions[0] as number))
  return isNewer && (lags.at(-1) as number) <= lags.slice(0, -1).reduce((most, lag) => Math.max(most, lag)) + same
}

/** Most steps compared pair by pair: a run of thousands is thinned out evenly. */
const MOST_STEPS = 512

/** Kendall's rank correlation of values with their order, -1 to 1; ties count as neither. Over pairs of which the first is before `until`. */
export function kendall(means: readonly number[], until: number = means.length): number {
  return rankOver(means, (i) => i < until).rank
}

/**
 * The same over pairs of which the later step lags no further behind: what grows with the lag alone, as when an asynchronous run fills its
 * queue, is no weights that fail to arrive. Null where these are fewer than the pairs of the fewest steps that a trend is told from.
 */
function kendallAtLag(
  means: readonly number[],
  lags: readonly number[],
  { 'trend-steps': least, 'same-lag': same }: Thresholds,
): number | null {
  const { rank, pairs } = rankOver(means, (i, j) => (lags[j] as number) <= (lags[i] as number) + same)
  return pairs < (least * (least - 1)) / 2 ? null : rank
}

function rankOver(means: readonly number[], isCompared: (i: number, j: number) => boolean) {
  const stride = Math.ceil(means.length / MOST_STEPS)
  let [balance, pairs] = [0, 0]
  for (let i = 0; i < means.length; i += stride) {
    for (let j = i + stride; j < means.length; j += stride) {
      if (!isCompared(i, j)) continue
      balance += Math.sign((means[j] as number) - (means[i] as number))
      pairs++
    }
  }
  return { rank: pairs === 0 ? 0 : balance / pairs, pairs }
}
