import { type Batch, type Column, Type, UnionMode } from '@uwdata/flechette'
import { type DataType, shapeOf } from './types.ts'

/** Values that columns may give without a bit that holds them, whatever their bytes: columns that nobody filled are small and give such. */
const MOST_UNHELD = 1 << 16

/** Bytes of texts that rows may have in all, and this many more for each byte of their columns: rows that share a prompt give it again and again. */
const MOST_TEXT = 1 << 28
const MOST_TEXT_OF_A_BYTE = 64

/** What a batch of the library's has, by its type. */
interface Parts {
  readonly offsets?: ArrayLike<number | bigint>
  readonly sizes?: ArrayLike<number | bigint>
  readonly children?: readonly Batch<unknown>[]
  readonly dictionary?: Column<unknown>
}

/**
 * Refuses columns that give more values than their bytes can hold: a list of two billion nulls takes eight bytes, and views and runs give one
 * list again and again. Texts that are given again are counted by `checkTexts`. Throws `RangeError`.
 *
 * @param bytes what the columns take, unpacked
 */
export function checkHeld(columns: readonly Batch<unknown>[], bytes: number): void {
  const unheld = columns.reduce((sum, column) => sum + unheldIn(column), 0)
  if (unheld > MOST_UNHELD + 8 * bytes) {
    throw new RangeError(`${unheld} values are declared that none of the ${bytes} bytes of its columns hold`)
  }
}

/** Values of a column and of those in it that take no bit, or bits that were counted. */
function unheldIn(batch: Batch<unknown>): number {
  const { children = [] } = batch as Parts
  const own = takesBits(batch.type as DataType) ? 0 : batch.length
  return children.reduce((sum, child) => sum + unheldIn(child), own + givenAgain(batch))
}

function takesBits(type: DataType): boolean {
  const shape = shapeOf(type)
  if (shape.kind === 'fixed') return shape.bits > 0
  return shape.kind !== 'null' && !(shape.kind === 'children' && shape.children.every((child) => !takesBits(child)))
}

/** Elements of lists that a column gives more than once. */
function givenAgain(batch: Batch<unknown>): number {
  const { sizes, children = [], dictionary } = batch as Parts
  const type = batch.type as DataType
  const [first, second] = children
  if (sizes !== undefined && first !== undefined) {
    let elements = 0
    for (let i = 0; i < batch.length; i++) elements += Number(sizes[i])
    return Math.max(0, elements * Math.max(1, longest(first)) - first.length)
  }
  if (type.typeId === Type.RunEndEncoded && second !== undefined) return batch.length * longest(second)
  if (dictionary !== undefined) return batch.length * Math.max(0, ...dictionary.data.map(longest))
  if (type.typeId === Type.Union && type.mode === UnionMode.Dense)
    return batch.length * Math.max(0, ...children.map(longest))
  return 0
}

/** Most elements that one value of a column has, those of lists in it included; 0 where it is no list. */
function longest(batch: Batch<unknown>): number {
  const { offsets, sizes, children = [] } = batch as Parts
  const shape = shapeOf(batch.type as DataType)
  const inner = children.map(longest)
  if (shape.kind === 'children') {
    const elements = inner.reduce((sum, each) => sum + each, 0)
    return shape.times === 1 ? elements : shape.times * Math.max(1, elements)
  }
  const lengthAt =
    sizes !== undefined
      ? (i: number) => Number(sizes[i])
      : offsets !== undefined && shape.kind === 'offsets' && shape.child !== null
        ? (i: number) => Number(offsets[i + 1]) - Number(offsets[i])
        : null
  if (lengthAt === null) return Math.max(0, ...inner)
  let most = 0
  for (let i = 0; i < batch.length; i++) most = Math.max(most, lengthAt(i))
  return most * Math.max(1, ...inner)
}

/** Refuses columns whose rows give so much text, again and again, that it would take minutes. Throws `RangeError` naming the column. */
export function checkTexts(
  columns: readonly { readonly name: string; readonly batch: Batch<unknown> }[],
  bytes: number,
): void {
  const most = MOST_TEXT + MOST_TEXT_OF_A_BYTE * bytes
  let text = 0
  for (const { name, batch } of columns) {
    text += textIn(batch)
    if (text > most) {
      throw new RangeError(
        `column ${name}: texts of ${text} bytes are given for rows that are read at once, again and again from ${bytes} bytes; ${most} are allowed. Write smaller batches.`,
      )
    }
  }
}

/** Bytes of the texts that a column gives more than once, over all its rows. */
function textIn(batch: Batch<unknown>): number {
  const { sizes, children = [], dictionary } = batch as Parts
  const { typeId } = batch.type as DataType
  if (dictionary !== undefined) {
    const lengths = dictionary.data.flatMap(textLengths)
    return sumOver(batch.length, (row) => lengths[Number(batch.values?.[row])] ?? 0)
  }
  if (typeId === Type.RunEndEncoded) {
    const [runs, values] = children as readonly [Batch<unknown>, Batch<unknown>]
    const lengths = textLengths(values)
    const end = (run: number) => (run < 0 ? 0 : Number(runs.values?.[run] ?? 0))
    return sumOver(values.length, (run) => Math.max(0, end(run) - end(run - 1)) * (lengths[run] as number))
  }
  if (typeId === Type.Union) return batch.length * Math.max(0, ...children.map(longestText))
  if (sizes !== undefined) return givenAgain(batch) * Math.max(0, ...children.map(longestText))
  const own = isView(batch) ? sumOver(batch.length, viewLength(batch)) : 0
  return children.reduce((sum, child) => sum + textIn(child), own)
}

function longestText(batch: Batch<unknown>): number {
  return textLengths(batch).reduce((most, length) => Math.max(most, length), 0)
}

/** Bytes of the text in each value of a column; of what is nested, of all that is in it. */
function textLengths(batch: Batch<unknown>): number[] {
  const { offsets, children = [] } = batch as Parts
  const shape = shapeOf(batch.type as DataType)
  const rows = Array.from({ length: batch.length }, (_, row) => row)
  if (isView(batch)) return rows.map(viewLength(batch))
  if (offsets !== undefined && shape.kind === 'offsets' && shape.child === null) {
    return rows.map((row) => Number(offsets[row + 1]) - Number(offsets[row]))
  }
  const inner = textIn(batch) + children.reduce((sum, child) => sum + sumOf(textLengths(child)), 0)
  return rows.map(() => inner)
}

function isView({ type }: Batch<unknown>): boolean {
  const { typeId } = type as DataType
  return typeId === Type.Utf8View || typeId === Type.BinaryView
}

/** The length that stands first in the sixteen bytes of each view. */
function viewLength(batch: Batch<unknown>): (row: number) => number {
  const { values } = batch as Batch<unknown> & { readonly values: Uint8Array }
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength)
  return (row) => Math.max(0, view.getInt32(row * 16, true))
}

function sumOver(count: number, of: (index: number) => number): number {
  let sum = 0
  for (let i = 0; i < count; i++) sum += of(i)
  return sum
}

function sumOf(lengths: readonly number[]): number {
  return sumOver(lengths.length, (i) => lengths[i] as number)
}
