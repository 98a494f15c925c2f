import { Budget } from './budget.ts'
import { decodeNumbers, partsOf, type TensorNumbers } from './decode.ts'
import { type Dtype, ITEM_BYTES } from './dtype.ts'
import { PickleError } from './error.ts'
import type { ByteRange, PyValue } from './values.ts'

/** The bytes under one or more tensors. They stay in the file until a tensor is read. */
export class PyStorage {
  readonly kind = 'storage'
  /** Null until the file that holds the bytes has been looked at. */
  data: ByteRange | null = null
  littleEndian = true
  /** The type that its elements had where it was saved; `uint8` for an untyped storage. */
  dtype: Dtype | null = null

  /** @param key its name in the file, for messages */
  constructor(readonly key: string) {}
}

/**
 * A torch tensor or numpy array whose elements are still in the file. Arrays of texts and objects hold theirs in `items` instead, in C
 * order, with `dtype` null.
 */
export class PyTensor {
  readonly kind = 'tensor'
  shape: readonly number[] = []
  /** In elements. */
  strides: readonly number[] = []
  byteOffset = 0
  /** Counts beside `byteOffset`: rows that are left out, and where it starts in a storage whose type is not known yet. */
  elementOffset = 0
  items: PyValue[] | null = null
  storage: PyStorage | null = null
  /** Why it has neither numbers nor items. */
  refused: string | null = null
  private ownDtype: Dtype | null = null

  /** @param at where in the pickle it is built */
  constructor(
    readonly library: 'torch' | 'numpy',
    readonly at: number,
  ) {}

  /** Null for texts and objects. */
  get dtype(): Dtype | null {
    return this.ownDtype ?? this.storage?.dtype ?? null
  }

  set dtype(dtype: Dtype | null) {
    this.ownDtype = dtype
  }

  /** Elements in all. */
  get size(): number {
    return sizeOf(this.shape)
  }
}

/** A batch of rows of unequal length that lie one after another: torch's nested tensor with the jagged layout. */
export class JaggedTensor {
  readonly kind = 'jagged'
  constructor(
    readonly values: PyTensor,
    /** int64[rows + 1] */
    readonly offsets: PyTensor,
    /** int64[rows], where rows are shorter than the step between their offsets */
    readonly lengths: PyTensor | null,
  ) {}
}

/** A tensor's elements, in C order; complex ones as pairs of real and imaginary part. */
export interface TensorData {
  readonly dtype: Dtype
  readonly shape: readonly number[]
  readonly data: TensorNumbers
  /** Integers beyond ±2^53, which a double only comes near. */
  readonly inexact: number
}

export function sizeOf(shape: readonly number[]): number {
  let size = 1
  for (const length of shape) {
    if (length === 0) return 0
    size *= length
  }
  return size
}

/** C-order strides of a contiguous tensor, in elements. */
export function contiguousStrides(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length)
  let step = 1
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = step
    step *= Math.max(shape[axis] as number, 1)
  }
  return strides
}

/** Rows `from` to `to` of a tensor along its first axis, as a tensor over the same storage. One without axes stays as it is. */
export function narrowRows(tensor: PyTensor, from: number, to: number): PyTensor
export function narrowRows(tensor: PyTensor | JaggedTensor, from: number, to: number): PyTensor | JaggedTensor
export function narrowRows(tensor: PyTensor | JaggedTensor, from: number, to: number): PyTensor | JaggedTensor {
  if (tensor instanceof JaggedTensor) {
    const lengths = tensor.lengths === null ? null : narrowRows(tensor.lengths, from, to)
    return new JaggedTensor(tensor.values, narrowRows(tensor.offsets, from, to + 1), lengths)
  }
  const [rows, ...inner] = tensor.shape
  if (rows === undefined) return tensor
  const start = Math.min(Math.max(from, 0), rows)
  const end = Math.max(Math.min(to, rows), start)
  const part = new PyTensor(tensor.library, tensor.at)
  const width = sizeOf(inner)
  part.shape = [end - start, ...inner]
  part.strides = tensor.strides
  part.storage = tensor.storage
  part.dtype = tensor.dtype
  part.refused = tensor.refused
  part.items = tensor.items?.slice(start * width, end * width) ?? null
  const step = start * (tensor.strides[0] ?? 0)
  part.byteOffset = tensor.byteOffset
  part.elementOffset = tensor.elementOffset + step
  return part
}

/**
 * Reads a tensor's elements, and of the file only the bytes that they lie in. Throws `PickleError` when the tensor does not fit its
 * storage, is no tensor of numbers, or does not fit `budget`.
 */
export async function readTensor(
  tensor: PyTensor,
  { budget = new Budget() }: { readonly budget?: Budget } = {},
): Promise<TensorData> {
  const { dtype, at } = tensor
  if (tensor.refused !== null) throw new PickleError('unsupported-pickle', at, tensor.refused)
  if (tensor.items !== null) {
    throw new PickleError('unsupported-pickle', at, 'an array of texts or objects is read as numbers')
  }
  if (dtype === null || tensor.storage?.data == null) {
    throw new PickleError('bad-pickle', at, 'the elements of a tensor are not in the file')
  }
  const { shape } = tensor
  const item = ITEM_BYTES[dtype]
  const start = tensor.byteOffset + tensor.elementOffset * item
  const size = sizeOf(shape)
  const reach = reachOf(shape, tensor.strides)
  const where = `a tensor of shape (${shape.join(', ')})`
  // Decoding takes up to three times the elements: their bytes, an aligned copy, the numbers.
  budget.charge(3 * size * Math.max(item, 8) + (reach > size ? reach * item : 0), at, where)
  try {
    const { data, littleEndian, key } = tensor.storage
    const end = start + reach * item
    if (reach > 0 && end > data.length) {
      const has = `storage ${key} has ${data.length} bytes`
      throw new PickleError('bad-pickle', at, `${where} of ${dtype} reaches to byte ${end} of its storage; ${has}`)
    }
    const bytes = reach === 0 ? new Uint8Array(0) : await data.slice(start, end)
    if (bytes.length !== reach * item) {
      throw new PickleError('cut-off', at, `${where} needs ${end - start} bytes, the file ends after ${bytes.length}`)
    }
    const ordered = isContiguous(shape, tensor.strides) ? bytes : gather(bytes, shape, tensor.strides, item)
    return { dtype, shape, ...decodeNumbers(ordered, dtype, littleEndian) }
  } finally {
    budget.release(3 * size * Math.max(item, 8) + (reach > size ? reach * item : 0))
  }
}

/** The rows of a tensor along its first axis, each flattened; views into its data. A tensor without axes is one row. */
export function rowsOf({ shape, data, dtype }: TensorData): TensorNumbers[] {
  const count = shape[0] ?? 1
  const width = sizeOf(shape.slice(1)) * partsOf(dtype)
  return Array.from({ length: count }, (_, row) => data.subarray(row * width, (row + 1) * width))
}

/** Rows `from` to `to` of a tensor along its first axis, each flattened. Reads the bytes of these rows alone. */
export async function readRows(
  tensor: PyTensor | JaggedTensor,
  from: number,
  to: number,
  budget: Budget = new Budget(),
): Promise<TensorNumbers[]> {
  if (tensor instanceof PyTensor) return rowsOf(await readTensor(narrowRows(tensor, from, to), { budget }))
  const bounds = await jaggedBounds(tensor, from, to, budget)
  const first = bounds[0]?.[0] ?? 0
  const last = bounds.reduce((most, [, end]) => Math.max(most, end), first)
  const values = await readTensor(narrowRows(tensor.values, first, last), { budget })
  const width = sizeOf(values.shape.slice(1)) * partsOf(values.dtype)
  return bounds.map(([start, end]) => values.data.subarray((start - first) * width, (end - first) * width))
}

/** How many rows `readRows` can read; 1 for a tensor without axes. */
export function rowCount(tensor: PyTensor | JaggedTensor): number {
  if (tensor instanceof PyTensor) return tensor.shape[0] ?? 1
  return Math.max((tensor.offsets.shape[0] ?? 1) - 1, 0)
}

async function jaggedBounds(
  { offsets, lengths, values }: JaggedTensor,
  from: number,
  to: number,
  budget: Budget,
): Promise<[start: number, end: number][]> {
  const { data } = await readTensor(narrowRows(offsets, from, to + 1), { budget })
  const own = lengths === null ? null : (await readTensor(narrowRows(lengths, from, to), { budget })).data
  const bounds: [number, number][] = []
  for (let row = 0; row + 1 < data.length; row++) {
    const start = data[row] as number
    const end = own === null ? (data[row + 1] as number) : start + (own[row] ?? Number.NaN)
    const before = bounds.at(-1)?.[0] ?? 0
    if (!(start >= before && end >= start && end <= (values.shape[0] ?? 0))) {
      const range = `row ${from + row} of a jagged tensor lies at ${start} to ${end} of ${values.shape[0] ?? 0} values`
      throw new PickleError('bad-pickle', values.at, range)
    }
    bounds.push([start, end])
  }
  return bounds
}

/** Elements from the first of a tensor to behind its last. */
function reachOf(shape: readonly number[], strides: readonly number[]): number {
  let last = 0
  for (let axis = 0; axis < shape.length; axis++) {
    if (shape[axis] === 0) return 0
    last += ((shape[axis] as number) - 1) * (strides[axis] as number)
  }
  return last + 1
}

function isContiguous(shape: readonly number[], strides: readonly number[]): boolean {
  let step = 1
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const length = shape[axis] as number
    if (length === 0) return true
    if (length !== 1 && strides[axis] !== step) return false
    step *= length
  }
  return true
}

/** The elements in C order, from bytes in which they lie by `strides`. */
function gather(bytes: Uint8Array, shape: readonly number[], strides: readonly number[], item: number): Uint8Array {
  const out = new Uint8Array(sizeOf(shape) * item)
  const index = new Array<number>(shape.length).fill(0)
  let from = 0
  for (let at = 0; at < out.length; at += item) {
    for (let byte = 0; byte < item; byte++) out[at + byte] = bytes[from + byte] as number
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const step = (strides[axis] as number) * item
      from += step
      if (++(index[axis] as number) < (shape[axis] as number)) break
      from -= step * (shape[axis] as number)
      index[axis] = 0
    }
  }
  return out
}
