/** Where values are drawn, in units of the drawing. */
export interface Frame {
  readonly width: number
  x(step: number): number
  y(value: number): number
}

/**
 * A series as the path of an SVG. A step without a finite value breaks the line, one alone is a dot. A long series is drawn by the
 * extremes of each stretch, so that no peak is lost.
 */
export function seriesPath(
  steps: readonly number[],
  values: readonly (number | null)[],
  { width, x, y }: Frame,
): string {
  let path = ''
  let isDrawing = false
  // Two points for each unit of the width.
  for (const at of drawnPoints(values, 2 * width)) {
    const value = values[at] ?? null
    const step = steps[at]
    if (value === null || step === undefined) {
      isDrawing = false
      continue
    }
    const point = `${round(x(step))} ${round(y(value))}`
    // A line to where it begins shows as a dot, with round ends.
    path += isDrawing ? `L${point}` : `M${point}L${point}`
    isDrawing = true
  }
  return path
}

/** Indices to draw, ascending: all of them, or the least and the greatest of each stretch and the gaps between. */
function drawnPoints(values: readonly (number | null)[], most: number): number[] {
  if (values.length <= most) return values.map((_, at) => at)
  const stretch = Math.ceil((2 * values.length) / most)
  const drawn: number[] = []
  for (let from = 0; from < values.length; from += stretch) {
    let low = -1
    let high = -1
    let gap = -1
    for (let at = from; at < Math.min(values.length, from + stretch); at++) {
      const value = values[at] ?? null
      if (value === null) {
        gap = at
        continue
      }
      if (low < 0 || value < (values[low] as number)) low = at
      if (high < 0 || value > (values[high] as number)) high = at
    }
    drawn.push(...[...new Set([low, high, gap])].filter((at) => at >= 0).sort((a, b) => a - b))
  }
  return drawn
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
