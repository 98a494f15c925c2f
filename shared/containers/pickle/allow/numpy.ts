import { bytesOf, copiedItems, fewItems, lengthsOf } from '../arguments.ts'
import type { Build, BuildContext, Family } from '../context.ts'
import { decodeNumbers } from '../decode.ts'
import { dtypeNamed, ITEM_BYTES, PyDtype } from '../dtype.ts'
import { lookUp } from '../look-up.ts'
import { contiguousStrides, PyStorage, PyTensor, sizeOf } from '../tensor.ts'
import { decodeLatin1 } from '../text.ts'
import { type ByteRange, PyBytes, PyName, PyObject, type PyValue } from '../values.ts'

/** numpy's arrays, scalars and dtypes, under the module names of every version. */
export const numpy: Family = {
  call({ module, qualname }) {
    if (module === 'numpy') return qualname === 'dtype' ? dtype : undefined
    return /^numpy\._?core\.(multiarray|_multiarray_umath|numeric)$/.test(module) ? lookUp(CALLS, qualname) : undefined
  },
  isKnownClass: ({ module, qualname }) =>
    (module === 'numpy' && /^(ndarray|dtype|bool_?|(u?int|float|complex)\d+|str_|bytes_|object_)$/.test(qualname)) ||
    (module === 'numpy.dtypes' && /^\w+DType$/.test(qualname)),
}

const CALLS: Readonly<Record<string, Build>> = {
  _reconstruct: ([type], { at }) => {
    // A subclass of ndarray may read its bytes another way.
    if (!(type instanceof PyName) || type.name !== 'numpy.ndarray') return undefined
    return new PyTensor('numpy', at)
  },
  scalar: ([kind, value], context) => {
    if (!(kind instanceof PyDtype)) return undefined
    if (kind.code.startsWith('O')) return value
    const array = new PyTensor('numpy', context.at)
    const data = bytesOf(value, context)
    if (data?.data == null || !fill(array, [], kind, false, data, context)) return undefined
    return array.items === null ? scalarOf(array, data.data) : array.items[0]
  },
  _frombuffer: ([buffer, kind, shape, order, axes], context) => {
    const lengths = lengthsOf(shape)
    const data = buffer instanceof PyBytes ? buffer : null
    if (data === null || !(kind instanceof PyDtype) || lengths === null || axes != null) return undefined
    if (order !== 'C' && order !== 'F') return undefined
    const array = new PyTensor('numpy', context.at)
    return fill(array, lengths, kind, order === 'F', data, context) ? array : undefined
  },
}

function dtype([code]: readonly PyValue[]): PyValue | undefined {
  if (typeof code !== 'string' || code.length > 64) return undefined
  const [, order, plain] = /^([<>|=]?)(.+)$/.exec(code) ?? []
  if (plain === undefined) return undefined
  const made = new PyDtype(plain)
  if (order !== undefined && order !== '') made.order = order
  // Fields, subarrays and units come with the state; a code with a comma or a bracket has them already.
  made.opaque = !/^[a-zA-Z]\d*$/.test(plain) || /^[Mm]/.test(plain)
  return made
}

/** Takes the state of a dtype: (version, byte order, subarray, names, fields, …). */
export function buildDtype(made: PyDtype, state: PyValue): void {
  const [, order, subarray, names, fields] = fewItems(state) ?? []
  if (typeof order === 'string') made.order = order
  if (subarray != null || names != null || fields != null) made.opaque = true
}

/** Takes the state of an array: (version, shape, dtype, is in Fortran order, bytes or list of objects). */
export function buildArray(array: PyTensor, state: PyValue, context: BuildContext): void {
  const items = fewItems(state) ?? []
  const [shape, kind, fortran, data] = items.length === 5 ? items.slice(1) : items
  const lengths = lengthsOf(shape)
  if (array.library !== 'numpy' || lengths === null || !(kind instanceof PyDtype) || data === undefined) {
    throw context.error('bad-pickle', 'the state of a numpy array does not have shape, dtype, order and data')
  }
  if (!fill(array, lengths, kind, fortran === true || fortran === 1, data, context)) {
    throw context.error('bad-pickle', 'the data of a numpy array are neither bytes nor a list')
  }
}

function fill(
  array: PyTensor,
  shape: number[],
  kind: PyDtype,
  fortran: boolean,
  data: PyValue,
  context: BuildContext,
): boolean {
  array.shape = shape
  array.strides = fortran ? contiguousStrides([...shape].reverse()).reverse() : contiguousStrides(shape)
  const size = sizeOf(shape)
  const objects = copiedItems(data, context)
  if (objects !== null) {
    if (objects.length !== size) throw misfit(context, shape, `${size} objects`, `${objects.length}`)
    // Objects are listed in C order whatever the order of the array.
    array.strides = contiguousStrides(shape)
    array.items = [...objects]
    return true
  }
  const bytes = bytesOf(data, context)
  if (bytes === null) return false
  const numeric = kind.numeric
  if (numeric !== null) {
    const needed = size * ITEM_BYTES[numeric]
    if (bytes.length !== needed) throw misfit(context, shape, `${needed} bytes of ${numeric}`, `${bytes.length}`)
    const storage = new PyStorage(`at byte ${context.at}`)
    storage.data = bytes
    storage.dtype = numeric
    storage.littleEndian = kind.order !== '>'
    array.storage = storage
    return true
  }
  const [, letter, count] = /^([SU])(\d+)$/.exec(kind.opaque ? '' : kind.code) ?? []
  if (letter === undefined) {
    array.refused = `an array of numpy's dtype ${kind.code}${kind.opaque ? ' (structured or with a unit)' : ''} is not taken apart`
    context.issues.add('opaque-array', array.refused)
    return true
  }
  const width = Number(count) * (letter === 'U' ? 4 : 1)
  if (bytes.length !== size * width) throw misfit(context, shape, `${size * width} bytes`, `${bytes.length}`)
  context.budget.charge(size * (24 + width), context.at)
  const read = (all: Uint8Array) => {
    const texts = Array.from({ length: size }, (_, i) => all.subarray(i * width, (i + 1) * width))
    const decoded = texts.map((text) => (letter === 'U' ? wideText(text, kind.order !== '>') : byteText(text)))
    array.items = fortran ? inC(decoded, array) : decoded
    array.strides = contiguousStrides(shape)
  }
  if (bytes.data !== null) read(bytes.data)
  else context.defer(async () => read(await whole(bytes, context)))
  return true
}

async function whole(bytes: ByteRange, context: BuildContext): Promise<Uint8Array> {
  const all = await bytes.slice(0, bytes.length)
  if (all.length < bytes.length) throw context.error('cut-off', 'the file ends within an array')
  return all
}

/** UTF-32, padded with zeros. A unit that is no character is shown as one that cannot be read. */
function wideText(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let end = bytes.length
  while (end >= 4 && view.getUint32(end - 4) === 0) end -= 4
  let text = ''
  for (let at = 0; at + 4 <= end; at += 4) {
    const code = view.getUint32(at, littleEndian)
    text += code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
  }
  return text
}

function byteText(bytes: Uint8Array): string {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return decodeLatin1(bytes.subarray(0, end))
}

/** What lies in Fortran order, brought into C order. */
function inC(items: readonly PyValue[], { shape, strides }: PyTensor): PyValue[] {
  const index = new Array<number>(shape.length).fill(0)
  return items.map(() => {
    const at = index.reduce((sum, i, axis) => sum + i * (strides[axis] as number), 0)
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      if (++(index[axis] as number) < (shape[axis] as number)) break
      index[axis] = 0
    }
    return items[at] as PyValue
  })
}

function scalarOf(array: PyTensor, bytes: Uint8Array): PyValue | undefined {
  const { storage, dtype } = array
  if (storage === null || dtype === null) return undefined
  if (dtype === 'int64' || dtype === 'uint64') {
    const view = new DataView(bytes.buffer, bytes.byteOffset, 8)
    const value =
      dtype === 'int64' ? view.getBigInt64(0, storage.littleEndian) : view.getBigUint64(0, storage.littleEndian)
    return Number.isSafeInteger(Number(value)) ? Number(value) : value
  }
  const { data } = decodeNumbers(bytes, dtype, storage.littleEndian)
  if (data.length === 1) return dtype === 'bool' ? data[0] !== 0 : data[0]
  const complex = new PyObject('builtins.complex')
  complex.fields.set('real', data[0] as number).set('imaginary', data[1] as number)
  return complex
}

function misfit(context: BuildContext, shape: readonly number[], needs: string, has: string) {
  return context.error('bad-pickle', `an array of shape (${shape.join(', ')}) needs ${needs}, the pickle has ${has}`)
}

/** An array from raw bytes that a trainer wrote with the name of their dtype; undefined when they do not fit. */
export function arrayOfBytes(
  data: PyValue | undefined,
  dtypeName: PyValue | undefined,
  shape: PyValue | undefined,
  context: BuildContext,
): PyTensor | undefined {
  const named = typeof dtypeName === 'string' ? dtypeNamed(dtypeName) : null
  const lengths = lengthsOf(shape)
  if (named === null || lengths === null) return undefined
  let range: ByteRange | null = bytesOf(data, context)
  // verl gives the bytes as an array of uint8.
  if (data instanceof PyTensor && data.storage !== null && data.dtype === 'uint8') range = data.storage.data
  const needed = sizeOf(lengths) * ITEM_BYTES[named.dtype]
  if (range === null || range.length !== needed) return undefined
  const storage = new PyStorage(`at byte ${context.at}`)
  storage.data = range
  storage.dtype = named.dtype
  storage.littleEndian = named.littleEndian
  return viewOf(storage, lengths, context)
}

/** A contiguous view of a storage. */
export function viewOf(storage: PyStorage, shape: readonly number[], context: BuildContext, byteOffset = 0): PyTensor {
  const tensor = new PyTensor('torch', context.at)
  tensor.storage = storage
  tensor.shape = shape
  tensor.strides = contiguousStrides(shape)
  tensor.byteOffset = byteOffset
  return tensor
}
