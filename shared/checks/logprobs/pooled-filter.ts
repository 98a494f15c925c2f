import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import { mostLikelyRollouts } from './most-likely.ts'
import { tiltedRollouts } from './pooled-lines.ts'
import { gapTrendsOf } from './trend.ts'

/** Rollouts of which all together show that the sampler divides by what top-k kept. */
export interface FilteredRollouts {
  /** Over all of their tokens: the mean gap, that over the mean |gap|, and the share of the squared gap that a multiple of the sampler's logprob explains. */
  readonly mean: number
  readonly oneSided: number
  readonly explained: number
  readonly rollouts: number
  /** Those that show it as well as they can: the sampler is above the trainer. */
  readonly members: readonly TrajectoryFacts[]
}

/**
 * What top-k left over has gaps without a bound and few exact zeros, so that a rollout does not show it by itself. Over many the sampler is above the trainer
 * on nearly every token, which neither noise nor a temperature leaves: of what they move some tokens are likelier to the trainer. It is so by more where it
 * was less sure, and by hardly anything where it was sure; a trainer behind another context is surprised at both. Null where that is not so.
 */
export const filteredRollouts = onceForDump(findFiltered)

function* findFiltered(dump: DumpView): Steps<FilteredRollouts | null> {
  const { facts, settings } = dump
  const { thresholds } = settings
  const columns = new FactColumns(facts)
  const pool = poolOf(columns, thresholds)
  yield 0.2
  if (pool === null || (yield* within(0.2, 0.25, mostLikelyRollouts(dump))) !== null) return null
  if (gapTrendsOf(dump).some(({ rises }) => rises)) return null
  yield 0.3
  const { tilted } = yield* within(0.3, 0.9, tiltedRollouts(dump))
  if (tilted.size > (1 - thresholds['systematic-share']) * pool.rollouts) return null
  const members: TrajectoryFacts[] = []
  const look = (row: TrajectoryFacts) => {
    const { count, sum, absolute } = row.gap ?? { count: 0, sum: 0, absolute: 0 }
    const isAbove = sum >= thresholds['renormalised-gap'] * count && sum >= thresholds['renormalised-share'] * absolute
    if (count > 0 && isAbove && !tilted.has(row)) members.push(row)
  }
  yield* within(0.9, 1, forEachOf(columns.having('tilt'), look))
  return { ...pool, members }
}

/** The sums of all rollouts whose gap has no narrower cause; null where these are few, or are no filter's. */
function poolOf(columns: FactColumns, thresholds: Thresholds): Omit<FilteredRollouts, 'members'> | null {
  const counts = columns.numbers('gap', 'count')
  const sums = columns.numbers('gap', 'sum')
  const sizes = columns.numbers('gap', 'absolute')
  const squaresOf = columns.numbers('gap', 'squares')
  const ownSquares = columns.numbers('tilt', 'logprobs', SUM_XX)
  const products = columns.numbers('tilt', 'logprobs', SUM_XY)
  // What is drawn sharper than it is scored lies above a trainer that is flatter, on nearly every token as well.
  if (columns.numbers('temperature').some((temperature) => temperature < 1)) return null
  // Rollouts with the same numbers are one, however often it is there.
  const distinct = new Set<number>()
  let scored = 0
  let rollouts = 0
  let tokens = 0
  let sum = 0
  let size = 0
  let squares = 0
  let own = 0
  let together = 0
  for (let at = 0; at < counts.length; at++) {
    if ((counts[at] as number) >= thresholds['scored-tokens']) scored++
    if (Number.isNaN(ownSquares[at])) continue
    distinct.add(ownSquares[at] as number)
    rollouts++
    tokens += counts[at] as number
    sum += sums[at] as number
    size += sizes[at] as number
    squares += squaresOf[at] as number
    own += ownSquares[at] as number
    together += (ownSquares[at] as number) - (products[at] as number)
  }
  if (distinct.size < thresholds['pooled-rollouts'] || rollouts < thresholds['systematic-share'] * scored) return null
  const [mean, oneSided, explained] = [sum / tokens, sum / size, together ** 2 / (own * squares)]
  const isFilter =
    mean >= thresholds['engines-differ'] &&
    sum ** 2 >= thresholds['renormalised-tokens'] * squares &&
    mean < thresholds['one-sided-gap'] &&
    oneSided >= thresholds['renormalised-one-sided'] &&
    explained >= thresholds['renormalised-explained-least'] &&
    explained <= thresholds['renormalised-explained-most']
  return isFilter ? { mean, oneSided, explained, rollouts } : null
}

/** Where these stand in `Tilt.logprobs`. */
const SUM_XX = 3
const SUM_XY = 4
