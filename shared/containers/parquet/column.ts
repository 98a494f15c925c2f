import { assembleLists } from 'hyparquet/src/assemble.js'
import { isListLike } from 'hyparquet/src/schema.js'
import type { DecodedArray, SchemaTree } from 'hyparquet/src/types.js'
import type { Allowance } from './allowance.ts'
import {
  type ColumnLayout,
  checkDeclared,
  converted,
  type DataPage,
  isNumeric,
  leafOf,
  readDataPage,
  readDictionary,
  storedPage,
  weightOf,
} from './page.ts'

/** Rows of one leaf column: of what is nested deeper, lists that the struct above it is assembled from. */
export interface ColumnRows {
  /** Row of the row group that `rows` begins with. */
  readonly first: number
  readonly rows: DecodedArray
  /** Its rows are lists of numbers, whole: typed arrays or null. */
  readonly typed: boolean
}

/** The other kinds of pages are passed over. */
const HOLDS_VALUES: ReadonlySet<string> = new Set(['DICTIONARY_PAGE', 'DATA_PAGE', 'DATA_PAGE_V2'])

/** Reads the rows of a column until there are `until` of its row group, which has `values` in this column; `bytes` are its dictionary page and pages in a row. */
export function readColumn(
  bytes: Uint8Array,
  layout: ColumnLayout,
  { first, values }: { readonly first: number; readonly values: number },
  until: number,
  allowance: Allowance,
): ColumnRows {
  const rows = new RowsBuilder(layout)
  let dictionary: DecodedArray | null = null
  let declared = 0
  const weight = weightOf(layout)
  for (let at = 0; at < bytes.length; ) {
    const { page, next } = storedPage(bytes, at)
    at = next
    if (!HOLDS_VALUES.has(page.header.type)) continue
    declared += checkDeclared(declared, page, values)
    allowance.take(page, weight)
    if (page.header.type === 'DICTIONARY_PAGE') {
      dictionary = readDictionary(page, layout)
      continue
    }
    const data = readDataPage(page, layout, dictionary)
    allowance.takeTexts(data.values)
    rows.add(data)
    // A row is over once the next has begun.
    if (first + rows.length > until) break
  }
  return rows.finish(first)
}

/** The rows of pages that hold them as they are stored. */
export function joinParts(
  parts: readonly DataPage[],
  layout: ColumnLayout,
  first: number,
  allowance: Allowance,
): ColumnRows {
  const rows = new RowsBuilder(layout)
  for (const part of parts) {
    allowance.takeValues(part.count * weightOf(layout))
    allowance.takeTexts(part.values)
    rows.add({ ...part, values: convertedOnce(part.values, layout) })
  }
  return rows.finish(first)
}

/** What stored values stand for; of a text that a dictionary gives to many rows, one text for all of them. */
function convertedOnce(values: DecodedArray, layout: ColumnLayout): DecodedArray {
  if (!Array.isArray(values) || !(values[0] instanceof Uint8Array)) return converted(values, layout)
  const entries = [...new Set<unknown>(values)]
  const texts = converted(entries, layout)
  const textOf = new Map(entries.map((entry, i) => [entry, texts[i]]))
  return values.map((value) => textOf.get(value))
}

class RowsBuilder {
  private readonly lists: NumberRows | null
  private nested: DecodedArray = []

  constructor(private readonly layout: ColumnLayout) {
    const numbers = numberList(layout)
    this.lists = numbers === null ? null : new NumberRows(layout, numbers)
  }

  /** Rows that have begun. */
  get length(): number {
    return this.lists?.length ?? this.nested.length
  }

  add(page: DataPage): void {
    if (page.count === 0) return
    if (this.lists !== null) this.lists.add(page)
    else this.nested = assembled(this.nested, page, this.layout)
  }

  finish(first: number): ColumnRows {
    return { first, rows: this.lists?.finish() ?? this.nested, typed: this.lists !== null }
  }
}

function assembled(rows: DecodedArray, page: DataPage, layout: ColumnLayout): DecodedArray {
  const { definition, repetition, values, count } = page
  const all = definition === null || isFilledWith(definition, layout.maxDefinition)
  if (layout.maxRepetition === 0 && layout.maxDefinition === 0) return append(rows, values)
  return assembleLists(
    Array.isArray(rows) ? rows : Array.from(rows as ArrayLike<unknown>),
    (all ? new Uint8Array(count).fill(layout.maxDefinition) : definition) as unknown as number[],
    (repetition ?? new Uint8Array(0)) as unknown as number[],
    values,
    layout.path as SchemaTree[],
  )
}

function append(rows: DecodedArray, values: DecodedArray): DecodedArray {
  if (rows.length === 0) return values
  const all = Array.isArray(rows) ? rows : Array.from(rows as ArrayLike<unknown>)
  for (let i = 0; i < values.length; i++) all.push(values[i])
  return all
}

function isFilledWith(levels: ArrayLike<number>, level: number): boolean {
  for (let i = 0; i < levels.length; i++) if (levels[i] !== level) return false
  return true
}

/** How a column of lists of numbers is read straight into typed arrays, null where it is something else. */
interface NumberList {
  /** Definition level from which on the list is there, and from which on it has an element. */
  readonly present: number
  readonly filled: number
  readonly integers: boolean
}

function numberList(layout: ColumnLayout): NumberList | null {
  const { path } = layout
  const repeated = path.findIndex(({ element }) => element.repetition_type === 'REPEATED')
  // The root, perhaps the list, what is repeated, perhaps the element below it.
  if (layout.maxRepetition !== 1 || repeated > 2 || path.length - repeated > 2) return null
  if (repeated === 2 && !isListLike(path[1] as SchemaTree)) return null
  if (path.slice(1).some(({ children }) => children.length > 1) || !isNumeric({ ...leafOf(layout), type: layout.type }))
    return null
  const present = path.slice(1, repeated).filter(({ element }) => element.repetition_type !== 'REQUIRED').length
  return { present, filled: present + 1, integers: layout.type !== 'FLOAT' && layout.type !== 'DOUBLE' }
}

/** Lists of numbers; null elements are NaN, booleans 1 and 0. */
class NumberRows {
  private readonly rows: (Int32Array | Float64Array | null)[] = []
  private buffer = new Float64Array(1 << 10)
  private used = 0
  private fits = true
  private open = false
  private isNull = false

  constructor(
    private readonly layout: ColumnLayout,
    private readonly list: NumberList,
  ) {}

  /** Rows that have begun. */
  get length(): number {
    return this.rows.length + (this.open ? 1 : 0)
  }

  add({ count, definition, repetition, values }: DataPage): void {
    const { filled, present } = this.list
    const { maxDefinition } = this.layout
    let next = 0
    for (let i = 0; i < count; i++) {
      if (repetition === null || repetition[i] === 0) {
        this.close()
        this.open = true
        this.isNull = definition !== null && (definition[i] as number) < present
      }
      const level = definition === null ? maxDefinition : (definition[i] as number)
      if (level < filled) continue
      this.push(level === maxDefinition ? Number(values[next++]) : Number.NaN)
    }
  }

  finish(): (Int32Array | Float64Array | null)[] {
    this.close()
    return this.rows
  }

  private push(value: number): void {
    if (this.used === this.buffer.length) {
      const grown = new Float64Array(this.used * 2)
      grown.set(this.buffer)
      this.buffer = grown
    }
    this.buffer[this.used++] = value
    if (value !== (value | 0)) this.fits = false
  }

  private close(): void {
    if (!this.open) return
    const numbers = this.buffer.subarray(0, this.used)
    const integers = this.list.integers && this.fits
    this.rows.push(this.isNull ? null : integers ? Int32Array.from(numbers) : numbers.slice())
    this.used = 0
    this.fits = true
    this.open = false
  }
}
