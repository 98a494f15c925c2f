/** Rows that are drawn, from `first` to below `end`, and the row whose element is the first one. */
export interface DrawnRows {
  readonly first: number
  readonly end: number
  readonly base: number
}

/**
 * The base when other rows are drawn. As long as some stay they keep their elements. After a leap none does, and the elements are given to the new
 * rows in the order in which they stand: to move them would have the browser style and lay out each anew.
 */
export function baseAfter(before: DrawnRows, first: number, end: number): number {
  const isLeap = first >= before.end || end <= before.first
  return isLeap ? first - (before.first - before.base) : before.base
}

/** Number of the element that draws a row, below `slots`; no two rows that are less than `slots` apart share one. */
export function slotOf(row: number, base: number, slots: number): number {
  return (((row - base) % slots) + slots) % slots
}
