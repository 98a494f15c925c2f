import { lookUp } from './look-up.ts'

/** Element types of tensors and arrays, by torch's names. */
export type Dtype = keyof typeof ITEM_BYTES

/** Bytes that one element takes in a file. */
export const ITEM_BYTES = {
  bool: 1,
  uint8: 1,
  int8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float16: 2,
  bfloat16: 2,
  float32: 4,
  float64: 8,
  float8_e4m3fn: 1,
  float8_e4m3fnuz: 1,
  float8_e5m2: 1,
  float8_e5m2fnuz: 1,
  complex32: 4,
  complex64: 8,
  complex128: 16,
} as const

function isDtype(name: string): name is Dtype {
  return Object.hasOwn(ITEM_BYTES, name)
}

/** `numpy.dtype`, as far as it could be read. */
export class PyDtype {
  readonly kind = 'dtype'
  /** Byte order of the elements: `<`, `>`, or what numpy writes where it does not matter. */
  order = '<'
  /** Names fields, a subarray or a unit: elements that this reader does not take apart. */
  opaque = false
  /** @param code numpy's short form without byte order: `f8`, `i4`, `U12`, `O8` */
  constructor(readonly code: string) {}

  /** The element type of numbers; null for texts, objects and all others. */
  get numeric(): Dtype | null {
    return this.opaque ? null : (lookUp(NUMPY, this.code) ?? null)
  }
}

const NUMPY: Readonly<Record<string, Dtype>> = {
  b1: 'bool',
  u1: 'uint8',
  i1: 'int8',
  i2: 'int16',
  u2: 'uint16',
  i4: 'int32',
  u4: 'uint32',
  i8: 'int64',
  u8: 'uint64',
  f2: 'float16',
  f4: 'float32',
  f8: 'float64',
  c8: 'complex64',
  c16: 'complex128',
}

/** What `str(dtype)` gives for numpy's or torch's numbers (`int64`, `torch.bfloat16`, `<f4`), or null. */
export function dtypeNamed(name: string): { readonly dtype: Dtype; readonly littleEndian: boolean } | null {
  const plain = name.startsWith('torch.') ? name.slice(6) : name
  const alias = lookUp(TORCH_ALIASES, plain) ?? plain
  if (isDtype(alias)) return { dtype: alias, littleEndian: true }
  const order = /^[<>|=]/.exec(plain)?.[0]
  const dtype = lookUp(NUMPY, order === undefined ? plain : plain.slice(1))
  return dtype === undefined ? null : { dtype, littleEndian: order !== '>' }
}

const TORCH_ALIASES: Readonly<Record<string, Dtype>> = {
  float: 'float32',
  double: 'float64',
  half: 'float16',
  long: 'int64',
  int: 'int32',
  short: 'int16',
  chalf: 'complex32',
  cfloat: 'complex64',
  cdouble: 'complex128',
}

/** torch's storage classes. The untyped one counts bytes. */
export const STORAGE_DTYPES: Readonly<Record<string, Dtype>> = {
  UntypedStorage: 'uint8',
  _UntypedStorage: 'uint8',
  BoolStorage: 'bool',
  ByteStorage: 'uint8',
  CharStorage: 'int8',
  ShortStorage: 'int16',
  IntStorage: 'int32',
  LongStorage: 'int64',
  HalfStorage: 'float16',
  BFloat16Storage: 'bfloat16',
  FloatStorage: 'float32',
  DoubleStorage: 'float64',
  ComplexFloatStorage: 'complex64',
  ComplexDoubleStorage: 'complex128',
  QInt8Storage: 'int8',
  QUInt8Storage: 'uint8',
  QInt32Storage: 'int32',
}
