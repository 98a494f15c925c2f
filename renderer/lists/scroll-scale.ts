/**
 * Browsers draw no element taller than some 33 million device pixels. A list that would be taller is drawn this tall (in CSS
 * pixels, with room for zoom and dense screens) and its scroll bar stands for more than it moves.
 */
export const MOST_DRAWN = 8_000_000

/** Between the place in a list, in pixels from its top, and that of a scroll bar that may be shorter than the list. */
export interface ScrollScale {
  /** Height of the whole list, and of what is drawn for it. */
  readonly total: number
  readonly drawn: number
  /** Height of the window onto it. */
  readonly window: number
}

export function scrollScale(total: number, window: number): ScrollScale {
  return { total, drawn: Math.min(total, MOST_DRAWN), window }
}

/** Furthest place of the list's top edge, and of the scroll bar. */
export function furthest({ total, drawn, window }: ScrollScale): { readonly top: number; readonly bar: number } {
  return { top: Math.max(0, total - window), bar: Math.max(0, drawn - window) }
}

/** Where the bar belongs for a place in the list. */
export function barOf(scale: ScrollScale, top: number): number {
  const most = furthest(scale)
  return scale.drawn === scale.total || most.top === 0 ? top : (top / most.top) * most.bar
}

/**
 * Where the list stands after the bar moved. Steps within a window (a wheel, a finger, a key) move the list as far as the bar; anything
 * longer is a jump to that share of the list. The ends of the bar are the ends of the list.
 */
export function topAfter(
  scale: ScrollScale,
  before: { readonly top: number; readonly bar: number },
  bar: number,
): number {
  const most = furthest(scale)
  if (scale.drawn === scale.total) return Math.max(0, Math.min(most.top, bar))
  // Bars stand on fractions of pixels where the screen is dense.
  if (bar <= 0.5) return 0
  if (bar >= most.bar - 0.5) return most.top
  const step = bar - before.bar
  const top = Math.abs(step) <= scale.window ? before.top + step : (bar / most.bar) * most.top
  return Math.max(0, Math.min(most.top, top))
}
