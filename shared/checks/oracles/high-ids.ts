import { firstAtLeast } from '../../containers/kernel/numbers.ts'
import { OfLast } from '../of-last.ts'

/** Where the high ids of a row stand. */
interface HighIds {
  readonly bound: number
  /** Places of ids that are at least `bound`, in order, the first ones. */
  readonly places: readonly number[]
  /** Up to here none but those is; the length of the row unless it has many of them. */
  readonly past: number
}

/** Rows with more of them are looked through by whoever asks. */
const MOST_KEPT = 64

const known = new OfLast<Int32Array, HighIds>()

/**
 * As `firstAtLeast` (the first place from `from` to `to` whose id is at least `bound`, `to` where none is), for ids as hardly any token of a text
 * has: a row is looked through once for all who ask.
 *
 * @param least no one asks for less in this vocabulary
 */
export function firstHigh(ids: Int32Array, least: number, bound: number, from: number, to = ids.length): number {
  let high = known.get(ids)
  if (high === undefined || high.bound !== least) known.set(ids, (high = findHigh(ids, least)))
  if (bound < least) return firstAtLeast(ids, bound, from, to)
  for (const place of high.places)
    if (place >= from && (ids[place] as number) >>> 0 >= bound) return Math.min(place, to)
  return high.past >= to ? to : firstAtLeast(ids, bound, Math.max(from, high.past), to)
}

function findHigh(ids: Int32Array, bound: number): HighIds {
  const places: number[] = []
  let at = firstAtLeast(ids, bound)
  for (; at < ids.length && places.length < MOST_KEPT; at = firstAtLeast(ids, bound, at + 1)) places.push(at)
  return { bound, places, past: at }
}
