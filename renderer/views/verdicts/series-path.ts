/** Drawn width and height of a series, in units of its own. */
export const WIDTH = 240
export const HEIGHT = 44

/** Points drawn at most: two for each unit of the width. */
const MOST_POINTS = 2 * WIDTH

/**
 * A series as the path of an SVG, from its least value (below) to its greatest (above). A step without a finite value breaks
 * the line, one alone is a dot. A long series is drawn by the extremes of each stretch, so that no peak is lost.
 */
export function seriesPath(steps: readonly number[], values: readonly (number | null)[]): string {
  const finite = values.filter((value) => value !== null)
  const least = finite.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const most = finite.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  const [first = 0] = steps
  const across = (steps.at(-1) ?? first) - first
  // Halves first: the whole range of two large numbers may be more than a number can be.
  const above = most / 2 - least / 2
  const xOf = (step: number) => (across > 0 ? ((step - first) / across) * WIDTH : WIDTH / 2)
  const yOf = (value: number) => HEIGHT - (above > 0 ? ((value / 2 - least / 2) / above) * HEIGHT : HEIGHT / 2)
  let path = ''
  let isDrawing = false
  for (const at of drawnPoints(values)) {
    const value = values[at] ?? null
    const step = steps[at]
    if (value === null || step === undefined) {
      isDrawing = false
      continue
    }
    const point = `${round(xOf(step))} ${round(yOf(value))}`
    // A line to where it begins shows as a dot, with round ends.
    path += isDrawing ? `L${point}` : `M${point}L${point}`
    isDrawing = true
  }
  return path
}

/** Indices to draw, ascending: all of them, or the least and the greatest of each stretch and the gaps between. */
function drawnPoints(values: readonly (number | null)[]): number[] {
  if (values.length <= MOST_POINTS) return values.map((_, at) => at)
  const stretch = Math.ceil((2 * values.length) / MOST_POINTS)
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
