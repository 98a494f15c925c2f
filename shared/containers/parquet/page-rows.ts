import type { DecodedArray } from 'hyparquet/src/types.js'
import type { DataPage } from './page.ts'

/** A decoded page of which rows can be cut. */
export class PageRows {
  /** Where each row begins among the levels, and among the values that are not null; one more entry for the end. */
  private readonly levels: Uint32Array
  private readonly values: Uint32Array
  private readonly rows: number

  /** @param first the row of its row group that the page begins with, or begins inside of */
  constructor(
    private readonly page: DataPage,
    private readonly first: number,
    maxDefinition: number,
  ) {
    const { count, definition, repetition } = page
    let rows = repetition === null ? count : 1
    if (repetition !== null) for (let i = 1; i < count; i++) if (repetition[i] === 0) rows++
    this.rows = count === 0 ? 0 : rows
    this.levels = new Uint32Array(this.rows + 1)
    this.values = new Uint32Array(this.rows + 1)
    let row = 0
    let present = 0
    for (let i = 0; i < count; i++) {
      if (i === 0 || repetition === null || repetition[i] === 0) {
        this.levels[row] = i
        this.values[row++] = present
      }
      if (definition === null || definition[i] === maxDefinition) present++
    }
    this.levels[row] = count
    this.values[row] = present
  }

  /** The rows `from` to `until` that are in the page, as a page of their own. */
  cut(from: number, until: number): DataPage {
    const start = Math.min(Math.max(from - this.first, 0), this.rows)
    const end = Math.min(Math.max(until - this.first, start), this.rows)
    const [first, last] = [this.levels[start] as number, this.levels[end] as number]
    const { definition, repetition, values } = this.page
    return {
      count: last - first,
      definition: definition?.slice(first, last) ?? null,
      repetition: repetition?.slice(first, last) ?? null,
      values: values.slice(this.values[start], this.values[end]) as DecodedArray,
    }
  }
}
