import { minus } from '../../model/number-text.ts'
import type { Span } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { pairsOf } from './scored.ts'

/** Three significant digits, as a message shows them. */
export function digits(value: number): string {
  return minus(String(rounded(value)))
}

/** Three significant digits, as a number. */
export function rounded(value: number): number {
  const size = Math.abs(value)
  if (!(size >= 0.01 && size < 100)) return Number(value.toPrecision(3))
  const scale = size < 0.1 ? 1e4 : size < 1 ? 1e3 : size < 10 ? 100 : 10
  const scaled = value * scale
  const whole = Math.round(scaled)
  // What lies between two is for the exact way; a quotient of whole numbers is the number that its digits spell.
  return Math.abs(scaled - whole) > 0.499 ? Number(value.toPrecision(3)) : whole / scale
}

/** From the first scored token to the last: where a statement about all of them points. */
export function scoredSpan(view: TrajectoryView): Span {
  const tokens = pairsOf(view)?.tokens ?? new Int32Array(0)
  return { start: tokens[0] ?? 0, end: (tokens.at(-1) ?? -1) + 1 }
}

/** The scored tokens as spans, for counting what a fault touches. */
export function scoredSpans(view: TrajectoryView): Span[] {
  const spans: { start: number; end: number }[] = []
  for (const i of pairsOf(view)?.tokens ?? []) {
    const last = spans.at(-1)
    if (last?.end === i) last.end++
    else spans.push({ start: i, end: i + 1 })
  }
  return spans
}
