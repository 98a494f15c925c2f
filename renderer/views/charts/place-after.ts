/** The point that a key leads to from the chosen one, null = none is chosen; null where the key leads nowhere. As a slider's (ARIA, "Slider Pattern"). */
export function placeAfter(key: string, at: number | null, points: number): number | null {
  if (points === 0) return null
  const leap = Math.max(1, Math.round(points / 10))
  const to = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: leap, PageDown: -leap }[key]
  if (key === 'Home') return 0
  if (key === 'End') return points - 1
  if (to === undefined) return null
  if (at === null) return to > 0 ? 0 : points - 1
  return Math.max(0, Math.min(points - 1, at + to))
}
