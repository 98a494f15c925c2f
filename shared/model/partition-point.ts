/**
 * How many of `length` entries stand before a boundary, by bisection. `isBefore` holds for those and for none behind them: what is
 * ascending need not be gone through to find a place in it.
 */
export function partitionPoint(length: number, isBefore: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
