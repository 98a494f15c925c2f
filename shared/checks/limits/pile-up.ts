import type { Thresholds } from '../../model/thresholds/registry.ts'
import { chanceOfAtLeast } from '../reporting/chance.ts'

/** How rows end; index i is row i. */
export interface RowEnds {
  /** Values of `ENDS`. */
  readonly ends: Uint8Array
  /** 1: the dump itself says that a limit ended the row. */
  readonly saidCut: Uint8Array
  /** The id that stands last, NaN where that is not known. */
  readonly lastTokens: Float64Array
  /** How long the last turn is, NaN where that is not known or the row does not end in it. */
  readonly turn: Float64Array
}

/** `open`: without an end token, so that a limit may have cut it. `unknown` rows are not looked at. */
export const ENDS = { closed: 0, open: 1, unknown: 2 } as const

/** A length at which a limit ends rows, and how many it ended. */
export interface PileUp {
  readonly value: number
  readonly rows: number
}

/**
 * The greatest length, if enough rows without an end token share it, more than closed ones do, and more than chance puts there: a run that
 * stops on a string closes none of its rows, and they share lengths all the same. Where the dump says that they were cut, closed rows may
 * be longer by their end token, which is put behind what a limit cut.
 */
export function pileUp(lengths: Float64Array, rows: RowEnds, thresholds: Thresholds): PileUp | null {
  const { ends } = rows
  const near = thresholds['near-limit-tokens']
  let [value, longest] = [-1, -1]
  let measured = 0
  for (let i = 0; i < lengths.length; i++) {
    const length = lengths[i] as number
    if (Number.isNaN(length) || ends[i] === ENDS.unknown) continue
    measured++
    if (length > longest) longest = length
    if (ends[i] === ENDS.open && length > value) value = length
  }
  if (value < longest - 1 || (value < longest && !mostAreSaidCut(lengths, value, rows))) return null
  let [open, closed, before, shorter] = [0, 0, 0, 0]
  for (let i = 0; i < lengths.length; i++) {
    const length = lengths[i] as number
    if (Number.isNaN(length) || ends[i] === ENDS.unknown) continue
    if (length >= value && ends[i] === ENDS.open) open++
    else if (length >= value) closed++
    else if (length < value - near) shorter++
    else if (ends[i] === ENDS.open) before++
  }
  const enough = open >= thresholds['pile-up-rollouts'] && open >= thresholds['pile-up-share'] * measured
  if (!enough || open <= closed) return null
  // Replies of few lengths, most of them about equally long: any one of these is shared by many.
  const areAlike = shorter < before && before > thresholds['pile-up-share'] * measured
  const isAsLongAnyway =
    areAlike || value < thresholds['pile-up-tokens'] || endInOneWord(lengths, value, rows, thresholds)
  if (isAsLongAnyway && !mostAreSaidCut(lengths, value, rows)) return null
  const isPeak = open > before || chanceOfAtLeast(open, open + before, 1 / (near + 1)) < thresholds['pile-up-chance']
  return isPeak && !endsAtString(lengths, value, rows) ? { value, rows: open } : null
}

/** The last turns of most open rows of this length are short and equally long: rows whose prompts and replies are equally long share it anyway. */
function endInOneWord(lengths: Float64Array, value: number, { ends, turn }: RowEnds, thresholds: Thresholds): boolean {
  const rowsOf = new Map<number, number>()
  let there = 0
  for (let i = 0; i < lengths.length; i++) {
    if (ends[i] !== ENDS.open || lengths[i] !== value) continue
    there++
    const last = turn[i] as number
    if (last < thresholds['pile-up-tokens']) rowsOf.set(last, (rowsOf.get(last) ?? 0) + 1)
  }
  return [...rowsOf.values()].some((rows) => 2 * rows > there)
}

function mostAreSaidCut(lengths: Float64Array, value: number, { ends, saidCut }: RowEnds): boolean {
  let [there, said] = [0, 0]
  for (let i = 0; i < lengths.length; i++) {
    if (ends[i] !== ENDS.open || lengths[i] !== value) continue
    there++
    said += saidCut[i] as number
  }
  return 2 * said >= there
}

/**
 * All open rows of this length end with one id, as do most of the shorter ones: a stop string ended them. A limit cuts wherever a text has
 * come to, and what the dump itself calls cut was cut. Where none is shorter, a policy may as well repeat that id up to its limit.
 */
function endsAtString(lengths: Float64Array, value: number, rows: RowEnds): boolean {
  const { ends, lastTokens } = rows
  let last = Number.NaN
  let [there, alike, shorter] = [0, 0, 0]
  for (let i = 0; i < lengths.length; i++) {
    if (ends[i] !== ENDS.open || lengths[i] !== value) continue
    const own = lastTokens[i] as number
    if (there > 0 && own !== last) return false
    last = own
    there++
  }
  if (Number.isNaN(last) || mostAreSaidCut(lengths, value, rows)) return false
  for (let i = 0; i < lengths.length; i++) {
    if (ends[i] !== ENDS.open || !((lengths[i] as number) < value)) continue
    shorter++
    if (lastTokens[i] === last) alike++
  }
  return shorter > 0 && 2 * alike >= shorter
}
