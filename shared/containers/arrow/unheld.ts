import { type Batch, type Column, Type, UnionMode } from '@uwdata/flechette'
import { type DataType, shapeOf } from './types.ts'

/** Values that columns may give without a bit that holds them, whatever their bytes: columns that nobody filled are small and give such. */
const MOST_UNHELD = 1 << 16

/** What a batch of the library's has, by its type. */
interface Parts {
  readonly offsets?: ArrayLike<number | bigint>
  readonly sizes?: ArrayLike<number | bigint>
  readonly children?: readonly Batch<unknown>[]
  readonly dictionary?: Column<unknown>
}

/**
 * Refuses columns that give more values than their bytes can hold: a list of two billion nulls takes eight bytes, and views and runs give one
 * list again and again. Texts that are given again are not counted: what shares its prompts writes them so. Throws `RangeError`.
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
