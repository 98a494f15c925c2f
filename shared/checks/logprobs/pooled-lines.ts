import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import { addSums, fitLine, isBeyond, isFiltered, isLine, type Line, type LineSums } from './gap-line.ts'
import type { Tilt } from './tilt.ts'

/** The line of a temperature that a rollout is affected by: of its own tokens, or of those of many rollouts. */
export interface TiltedLine {
  readonly line: Line
  /** Rollouts through whose tokens it is drawn. */
  readonly rollouts: number
}

export interface TiltedRollouts {
  readonly tilted: ReadonlyMap<TrajectoryFacts, TiltedLine>
  /** Rollouts with a line of their own that the others deny, and those that only lean as one does and have none together either. */
  readonly denied: readonly TrajectoryFacts[]
}

/** Rollouts that declare the same temperature: whatever engine divides by one does so in all of them. */
interface Pool {
  readonly temperature: number | null
  readonly rows: TrajectoryFacts[]
  /** Rows with a line of their own. */
  readonly own: TrajectoryFacts[]
  /** Rows whose mismatch may be a temperature, with too few tokens to show one. */
  readonly leaning: TrajectoryFacts[]
  logprobs: LineSums
  odds: LineSums
  sum: number
  absolute: number
}

/**
 * The rollouts in which sampler and trainer are at different temperatures. A short rollout has few tokens that tell a temperature, and noise
 * gives some of many a line: all that declare one temperature are asked together, and one alone is believed where it is one of few.
 */
export const tiltedRollouts = onceForDump(findTilted)

function* findTilted({ facts, settings: { thresholds } }: DumpView): Steps<TiltedRollouts> {
  const asked = new FactColumns(facts).having('tilt')
  yield 0.1
  const pools = yield* within(0.1, 0.4, poolsOf(asked))
  const found = { tilted: new Map<TrajectoryFacts, TiltedLine>(), denied: [] as TrajectoryFacts[] }
  yield* within(0.4, 1, lookAtPools(pools, found, thresholds))
  return found
}

function* lookAtPools(
  pools: readonly Pool[],
  { tilted, denied }: { tilted: Map<TrajectoryFacts, TiltedLine>; denied: TrajectoryFacts[] },
  thresholds: Thresholds,
): Steps<void> {
  for (const [at, pool] of pools.entries()) {
    const [from, middle, to] = [at, at + 1 / 2, at + 1].map((done) => done / pools.length) as [number, number, number]
    const line = yield* within(from, middle, lineOfPool(pool, thresholds))
    const few = pool.own.length < thresholds['temperature-share'] * pool.rows.length
    const isDenied = line === null && (few || isFiltered(meansOf(pool), linesOf(pool), thresholds))
    const look = (row: TrajectoryFacts) => {
      const tilt = row.tilt as Tilt
      if (tilt.own !== null && isDenied) denied.push(row)
      else if (tilt.own !== null) tilted.set(row, { line: tilt.own, rollouts: 1 })
      else if (line !== null && isNearerTo(line, pool, tilt)) tilted.set(row, { line, rollouts: pool.rows.length })
    }
    yield* within(middle, to, forEachOf(line === null ? pool.own : pool.rows, look))
    for (const row of pool.leaning) if (!tilted.has(row)) denied.push(row)
  }
}

function* poolsOf(rows: readonly TrajectoryFacts[]): Steps<Pool[]> {
  const pools = new Map<number | null, Pool>()
  yield* forEachOf(rows, (row) => {
    const { gap, temperature = null } = row
    const tilt = row.tilt as Tilt
    let pool = pools.get(temperature)
    if (pool === undefined) {
      pool = { temperature, ...emptyPool() }
      pools.set(temperature, pool)
    }
    pool.rows.push(row)
    if (tilt.own !== null) pool.own.push(row)
    else if (tilt.otherwise === 'mismatch') pool.leaning.push(row)
    pool.logprobs = addSums(pool.logprobs, sumsFrom(tilt.logprobs))
    pool.odds = addSums(pool.odds, sumsFrom(tilt.odds))
    pool.sum += gap?.sum ?? 0
    pool.absolute += gap?.absolute ?? 0
  })
  return [...pools.values()]
}

function emptyPool(): Omit<Pool, 'temperature'> {
  return { rows: [], own: [], leaning: [], logprobs: sumsFrom([]), odds: sumsFrom([]), sum: 0, absolute: 0 }
}

function sumsFrom([n = 0, sumX = 0, sumY = 0, sumXX = 0, sumXY = 0, sumYY = 0]: readonly number[]): LineSums {
  return { n, sumX, sumY, sumXX, sumXY, sumYY }
}

function linesOf({ logprobs, odds }: Pool) {
  return { logprobs: fitLine(logprobs, 'logprobs'), odds: fitLine(odds, 'odds') }
}

function meansOf({ sum, absolute, logprobs }: Pool) {
  return { mean: sum / logprobs.n, meanAbsolute: absolute / logprobs.n }
}

/** The line of all rollouts of a pool that is surely tilted, of two the one that explains more; null where none is. */
function* lineOfPool(pool: Pool, thresholds: Thresholds): Steps<Line | null> {
  const { logprobs, odds } = linesOf(pool)
  if (isFiltered(meansOf(pool), { logprobs, odds }, thresholds)) return null
  const found: Line[] = []
  for (const [at, line] of [logprobs, odds].entries()) {
    if (!isLine(line, thresholds)) continue
    const isTilted = yield* within(at / 2, (at + 1) / 2, isTiltedIn(pool, line, thresholds))
    if (isTilted && !isLaterAlone(pool, line, thresholds)) found.push(line)
  }
  return found.reduce<Line | null>(
    (best, line) => (best !== null && best.explained >= line.explained ? best : line),
    null,
  )
}

/**
 * What leaving out one rollout after another does to the slope is its error: noise differs from rollout to rollout as much as from token to token. Rollouts
 * with the same numbers are one, however often it is there.
 */
function* isTiltedIn(pool: Pool, line: Line, thresholds: Thresholds): Steps<boolean> {
  const { n, sumX, sumY, sumXX } = pool[line.of]
  const middle = { x: sumX / n, y: sumY / n }
  const spread = sumXX - (sumX * sumX) / n
  // By a sum of squares, which no two rollouts have in common by chance.
  const copies = new Map<number, number>()
  const count = (row: TrajectoryFacts) => {
    const { n: own, sumXX: key } = sumsFrom((row.tilt as Tilt)[line.of])
    if (own > 0) copies.set(key, (copies.get(key) ?? 0) + 1)
  }
  yield* within(0, 0.5, forEachOf(pool.rows, count))
  const rollouts = copies.size
  let squares = 0
  const leaveOut = (row: TrajectoryFacts) => {
    const own = sumsFrom((row.tilt as Tilt)[line.of])
    if (own.n === 0) return
    const { xx, xy } = momentsAbout(own, middle)
    const times = copies.get(own.sumXX) as number
    squares += ((times * (xy - line.slope * xx)) / (spread - times * xx)) ** 2 / times
  }
  yield* within(0.5, 1, forEachOf(pool.rows, leaveOut))
  if (rollouts < thresholds['pooled-rollouts']) return false
  const error = Math.sqrt(squares) / line.slope
  const least = thresholds[isDeclared(pool, line, thresholds) ? 'declared-slope' : 'temperature-slope']
  return isBeyond(line, { least, error, freedom: rollouts - 1 }, thresholds)
}

/** A temperature is there from the first step on; a policy that the sampler does not follow grows sharper, or more open, step by step. */
function isLaterAlone({ rows }: Pool, { of, slope }: Line, thresholds: Thresholds): boolean {
  const steps = new Set<number>()
  for (const { step } of rows) if (step !== null) steps.add(step)
  const early = [...steps].sort((a, b) => a - b)[steps.size >> 2]
  if (early === undefined || steps.size === 1) return false
  const first = rows.filter(({ step }) => step !== null && step <= early)
  const line = fitLine(first.map(({ tilt }) => sumsFrom((tilt as Tilt)[of])).reduce(addSums), of)
  return line.count >= thresholds['scored-tokens'] && Math.log(line.slope) / Math.log(slope) < thresholds['early-slope']
}

/** The line is nearly that of the temperature which the rollouts declare, of the trainer or of the sampler. */
function isDeclared({ temperature }: Pool, { slope }: Line, { 'declared-off': most }: Thresholds): boolean {
  if (temperature === null || !(temperature > 0) || temperature === 1) return false
  const [tilt, declared] = [Math.abs(Math.log(slope)), Math.abs(Math.log(temperature))]
  return Math.abs(tilt - declared) <= most * declared
}

/** Squares of the distances of a rollout's points from that line, and from one of equal temperatures. */
function isNearerTo(line: Line, pool: Pool, tilt: Tilt): boolean {
  const own = sumsFrom(tilt[line.of])
  const of = pool[line.of]
  const { xx, xy, yy } = momentsAbout(own, { x: of.sumX / of.n, y: of.sumY / of.n })
  return yy - 2 * line.slope * xy + line.slope ** 2 * xx < own.sumYY - 2 * own.sumXY + own.sumXX
}

function momentsAbout({ n, sumX, sumY, sumXX, sumXY, sumYY }: LineSums, { x, y }: { x: number; y: number }) {
  return {
    xx: sumXX - 2 * x * sumX + n * x * x,
    xy: sumXY - x * sumY - y * sumX + n * x * y,
    yy: sumYY - 2 * y * sumY + n * y * y,
  }
}
