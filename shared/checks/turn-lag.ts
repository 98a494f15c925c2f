import { Expected, type Turn } from '../model/tokens.ts'
import type { TrajectoryView } from './check.ts'
import { writtenTurns } from './edges.ts'

/** A turn whose trained run has the length of the sampled span, `lag` tokens later (negative: earlier). */
export interface TurnLag {
  readonly turn: Turn
  readonly lag: number
  /** The sampled span, and the trained run found for it. */
  readonly expected: { readonly start: number; readonly end: number }
  readonly found: { readonly start: number; readonly end: number }
}

/**
 * How far the mask of each written assistant turn lies off as a whole; null where some turn has another shape (cut, trained in part,
 * more than one run), because then no shift explains the row.
 */
export function turnLags(view: TrajectoryView): TurnLag[] | null {
  const { segmentation, expectedRl } = view
  const mask = view.mask as Uint8Array
  if (segmentation === null || expectedRl === null) return null
  const overlap = view.thresholds['turn-lag-overlap']
  const lags: TurnLag[] = []
  const end = mask.length - segmentation.padding.right
  for (const turn of writtenTurns(segmentation)) {
    if (turn.endToken < 0 || expectedRl[turn.contentStart] !== Expected.trained) continue
    const expected = { start: turn.contentStart, end: turn.endToken + 1 }
    const found = runAround(mask, (expected.start + expected.end) >> 1, end)
    if (found === null) return null
    const lag = found.start - expected.start
    const length = expected.end - expected.start
    // The last run may be cut off by the end of the row.
    const cut = found.end === end && found.end - expected.end < lag
    if ((found.end - expected.end !== lag && !cut) || Math.abs(lag) > length * overlap) return null
    lags.push({ turn, lag, expected, found })
  }
  return lags
}

/** The run of 1s around token `at`; null where it is masked. */
function runAround(mask: Uint8Array, at: number, limit: number): { start: number; end: number } | null {
  if (mask[at] !== 1) return null
  let start = at
  while (start > 0 && mask[start - 1] === 1) start--
  let end = at + 1
  while (end < limit && mask[end] === 1) end++
  return { start, end }
}

/** Tokens that are trained and should not be, or the reverse. */
export function displaced({ expected, found }: TurnLag): { start: number; end: number }[] {
  return [
    { start: Math.min(expected.start, found.start), end: Math.max(expected.start, found.start) },
    { start: Math.min(expected.end, found.end), end: Math.max(expected.end, found.end) },
  ]
}

/** `2 tokens early`, `1 token late`. */
export function lagText(lag: number): string {
  const tokens = Math.abs(lag)
  return `${tokens} ${tokens === 1 ? 'token' : 'tokens'} ${lag < 0 ? 'early' : 'late'}`
}
