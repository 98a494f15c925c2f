/**
 * Columns of a table as short texts, for reports that hold a row for each rollout. Cells stand one after the other between
 * spaces; a cell that stands n times in a row is written once, with `*n` after it. No cell holds a space or an asterisk.
 */

/** A column that holds something else than what it should. `message` is the end of a sentence that begins with its name. */
export class ColumnError extends Error {
  override readonly name = 'ColumnError'
}

/** How the values of one column become cells, and cells values again. `read` throws `ColumnError`. */
export interface Cells<Value> {
  /** A writer and a reader for one column each: what they meet may be written shorter where it comes again. */
  writer(): (value: Value) => string
  reader(): (cell: string) => Value
  /** Whether two values have the same cell. */
  same(a: Value, b: Value): boolean
  /** The cell of a value that is not there, in columns that may lack some. */
  readonly absent?: string
}

export class ColumnWriter<Value> {
  private readonly cells: string[] = []
  private readonly write: (value: Value) => string
  private last: { readonly value: Value; readonly cell: string } | null = null
  private times = 0

  constructor(private readonly kind: Cells<Value>) {
    this.write = kind.writer()
  }

  add(value: Value, times = 1): void {
    if (this.last !== null && this.kind.same(this.last.value, value)) {
      this.times += times
      return
    }
    this.flush()
    this.last = { value, cell: this.write(value) }
    this.times = times
  }

  private flush(): void {
    if (this.last !== null) this.cells.push(this.times === 1 ? this.last.cell : `${this.last.cell}*${this.times}`)
  }

  finish(): string {
    this.flush()
    this.last = null
    return this.cells.join(' ')
  }
}

export function writeColumn<Value>(kind: Cells<Value>, values: Iterable<Value>): string {
  const writer = new ColumnWriter(kind)
  for (const value of values) writer.add(value)
  return writer.finish()
}

/** The values of a column, one at a time; `rows` is how many there must be. Reads no further than it is asked. */
export class ColumnReader<Value> {
  private readonly cells: readonly string[]
  private readonly parse: (cell: string) => Value
  private next = 0
  private value: Value | null = null
  private times = 0

  constructor(kind: Cells<Value>, text: string) {
    this.cells = text === '' ? [] : text.split(' ')
    this.parse = kind.reader()
  }

  read(): Value {
    if (this.times === 0) this.advance()
    this.times--
    return this.value as Value
  }

  private advance(): void {
    const cell = this.cells[this.next++]
    if (cell === undefined) throw new ColumnError('has fewer cells than there are rows')
    const star = cell.indexOf('*')
    const times = star < 0 ? 1 : Number(cell.slice(star + 1))
    if (!Number.isSafeInteger(times) || times < 1) throw new ColumnError(`has the cell ${shortened(cell)}`)
    this.value = this.parse(star < 0 ? cell : cell.slice(0, star))
    this.times = times
  }

  get done(): boolean {
    return this.times === 0 && this.next === this.cells.length
  }

  /** Throws where cells are left. */
  end(): void {
    if (!this.done) throw new ColumnError('has more cells than there are rows')
  }
}

/** A short column that says itself how many rows it has. */
export function readSome<Value>(kind: Cells<Value>, text: string, most = 1 << 20): Value[] {
  const reader = new ColumnReader(kind, text)
  const values: Value[] = []
  while (!reader.done) {
    if (values.length === most) throw new ColumnError(`has more than ${most} rows`)
    values.push(reader.read())
  }
  return values
}

export function readColumn<Value>(kind: Cells<Value>, text: string, rows: number): Value[] {
  const reader = new ColumnReader(kind, text)
  const values: Value[] = []
  for (let row = 0; row < rows; row++) values.push(reader.read())
  reader.end()
  return values
}

function simple<Value>(write: (value: Value) => string, read: (cell: string) => Value): Cells<Value> {
  return { writer: () => write, reader: () => read, same: Object.is }
}

/** A cell that holds something else than what its column should. */
export function wrong(cell: string, wanted: string): ColumnError {
  return new ColumnError(`has the cell ${shortened(cell)} where ${wanted} should stand`)
}

function shortened(text: string): string {
  return JSON.stringify(text.length <= 40 ? text : `${text.slice(0, 40)}…`)
}

/**
 * Values that were met before are written as `^` and their number, counted from 0 in base 36, where that is shorter. Only so many
 * are remembered: columns in which nothing repeats are as long as the dump.
 */
function remembering<Value>(
  write: (value: Value) => string,
  read: (cell: string) => Value,
  isLong: (value: Value, cell: string) => boolean,
): Cells<Value> {
  return {
    writer() {
      const met = new Map<Value, string>()
      return (value) => {
        const cell = write(value)
        if (!isLong(value, cell)) return cell
        const known = met.get(value)
        if (known !== undefined) return known.length < cell.length ? known : cell
        if (met.size < MOST_MET) met.set(value, `${AGAIN}${met.size.toString(36)}`)
        return cell
      }
    },
    reader() {
      const met = new Map<Value, number>()
      const values: Value[] = []
      return (cell) => {
        if (cell.startsWith(AGAIN)) {
          const value = values[Number.parseInt(cell.slice(1), 36)]
          if (value === undefined) throw wrong(cell, 'the number of a value before it')
          return value
        }
        const value = read(cell)
        if (values.length < MOST_MET && isLong(value, cell) && !met.has(value)) {
          met.set(value, values.length)
          values.push(value)
        }
        return value
      }
    },
    same: Object.is,
  }
}

const AGAIN = '^'
const MOST_MET = 1 << 16

/** Any number, NaN and infinities included. One whose decimal text is long is written as the base64 of its eight bytes. */
export const NUMBER: Cells<number> = remembering(writeNumber, readNumber, (_, cell) => cell.startsWith('~'))

const LONGEST_DECIMAL = 12
const bits = new DataView(new ArrayBuffer(8))

function writeNumber(value: number): string {
  if (Object.is(value, -0)) return '-0'
  const decimal = String(value)
  if (decimal.length <= LONGEST_DECIMAL) return decimal
  bits.setFloat64(0, value)
  return `~${base64OfBits()}`
}

function readNumber(cell: string): number {
  if (cell.startsWith('~')) {
    bitsOfBase64(cell.slice(1), cell, 'a number')
    return bits.getFloat64(0)
  }
  if (!/^(-?(\d+(\.\d+)?(e[+-]\d+)?|Infinity)|NaN)$/.test(cell)) throw wrong(cell, 'a number')
  return Number(cell)
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** Characters that 64 bits take. */
const BASE64_LENGTH = 11

function base64OfBits(): string {
  const high = bits.getUint32(0)
  const low = bits.getUint32(4)
  let text = ''
  for (let shift = 26; shift >= 2; shift -= 6) text += DIGITS[(high >>> shift) & 63]
  text += DIGITS[((high & 3) << 4) | (low >>> 28)]
  for (let shift = 22; shift >= 4; shift -= 6) text += DIGITS[(low >>> shift) & 63]
  return text + DIGITS[(low & 15) << 2]
}

function bitsOfBase64(text: string, cell: string, wanted: string): void {
  if (text.length !== BASE64_LENGTH) throw wrong(cell, wanted)
  let value = 0n
  for (const character of text) {
    const digit = DIGITS.indexOf(character)
    if (digit < 0) throw wrong(cell, wanted)
    value = (value << 6n) | BigInt(digit)
  }
  if ((value & 3n) !== 0n) throw wrong(cell, wanted)
  bits.setBigUint64(0, value >> 2n)
}

/** A whole number from 0 to `most`, which it may be. */
export function countTo(most: number): Cells<number> {
  return simple(String, (cell) => {
    if (!/^\d{1,16}$/.test(cell) || Number(cell) > most) throw wrong(cell, `a count up to ${most}`)
    return Number(cell)
  })
}

/** A whole number from 0 on that a double holds exactly. */
export const COUNT: Cells<number> = countTo(Number.MAX_SAFE_INTEGER)

export const FLAG: Cells<boolean> = simple(
  (value) => (value ? '1' : '0'),
  (cell) => {
    if (cell !== '0' && cell !== '1') throw wrong(cell, '0 or 1')
    return cell === '1'
  },
)

const HASH = /^[0-9a-f]{16}$/
/** Hashes are the commonest texts, and take fewer characters in base64 than in hex. */
const HASH_MARK = '#'

/** Any text: 16 hex digits as the base64 of their bytes; spaces, asterisks and what would be taken for a mark escaped as in an address. */
export const TEXT: Cells<string> = remembering(plainCell, textOf, () => true)

function plainCell(text: string): string {
  if (HASH.test(text)) {
    bits.setBigUint64(0, BigInt(`0x${text}`))
    return HASH_MARK + base64OfBits()
  }
  return escapeCell(text)
}

function textOf(cell: string): string {
  if (!cell.startsWith(HASH_MARK)) return unescapeCell(cell)
  bitsOfBase64(cell.slice(1), cell, 'a hash')
  return bits.getBigUint64(0).toString(16).padStart(16, '0')
}

/** The empty text is `%`. What is a mark when it stands alone is a text only when it is escaped. */
function escapeCell(text: string): string {
  if (text === '') return '%'
  return text.replace(/[% *,:;]|^[#^]|^[-._=]$/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
}

function unescapeCell(cell: string): string {
  if (cell === '%') return ''
  if (cell === '') throw wrong(cell, 'a text')
  return cell.replace(/%(..)?/g, (_, digits: string | undefined) => {
    if (digits === undefined || !/^[0-9a-f]{2}$/.test(digits)) throw wrong(cell, 'a text')
    return String.fromCharCode(Number.parseInt(digits, 16))
  })
}

/** One of a few texts. */
export function oneOf<Value extends string>(values: readonly Value[]): Cells<Value> {
  return {
    writer: TEXT.writer,
    reader() {
      const read = TEXT.reader()
      return (cell) => {
        const text = read(cell)
        const value = values.find((each) => each === text)
        if (value === undefined) throw wrong(text, values.join(', '))
        return value
      }
    },
    same: Object.is,
  }
}

function orMark<Value, Absent>(cells: Cells<Value>, mark: string, absent: Absent): Cells<Value | Absent> {
  return {
    writer() {
      const write = cells.writer()
      return (value) => (value === absent ? mark : write(value as Value))
    },
    reader() {
      const read = cells.reader()
      return (cell) => (cell === mark ? absent : read(cell))
    },
    same: (a, b) => (a === absent || b === absent ? a === b : cells.same(a as Value, b as Value)),
    absent: mark,
  }
}

export function nullable<Value>(cells: Cells<Value>): Cells<Value | null> {
  return orMark(cells, '-', null)
}

export function optional<Value>(cells: Cells<Value>): Cells<Value | undefined> {
  return orMark(cells, '.', undefined)
}

/** Stands for a value that follows from what else is known of the row. */
export const EXPECTED = Symbol('expected')

export function orExpected<Value>(cells: Cells<Value>): Cells<Value | typeof EXPECTED> {
  return orMark<Value, typeof EXPECTED>(cells, '=', EXPECTED)
}
