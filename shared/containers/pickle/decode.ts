import { type Dtype, ITEM_BYTES } from './dtype.ts'

/** Whole numbers and booleans are 32-bit integers where every one fits, else doubles; 16-bit and smaller floats are widened. */
export type TensorNumbers = Int32Array | Float32Array | Float64Array

export interface Decoded {
  readonly data: TensorNumbers
  /** Integers beyond ±2^53, which a double only comes near. */
  readonly inexact: number
}

const HOST_IS_LITTLE = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** Numbers a complex element is made of, in a row: its real and its imaginary part. */
export function partsOf(dtype: Dtype): 1 | 2 {
  return dtype.startsWith('complex') ? 2 : 1
}

/** The elements of `bytes`; `bytes` holds whole elements. */
export function decodeNumbers(bytes: Uint8Array, dtype: Dtype, littleEndian: boolean): Decoded {
  const buffer = aligned(bytes, ITEM_BYTES[dtype] / partsOf(dtype), littleEndian)
  switch (dtype) {
    case 'bool':
      return exact(Int32Array.from(new Uint8Array(buffer), (value) => (value === 0 ? 0 : 1)))
    case 'uint8':
      return exact(Int32Array.from(new Uint8Array(buffer)))
    case 'int8':
      return exact(Int32Array.from(new Int8Array(buffer)))
    case 'int16':
      return exact(Int32Array.from(new Int16Array(buffer)))
    case 'uint16':
      return exact(Int32Array.from(new Uint16Array(buffer)))
    case 'int32':
      return exact(new Int32Array(buffer))
    case 'uint32':
      return exact(narrowed(Float64Array.from(new Uint32Array(buffer))))
    case 'int64':
      return wide(buffer, true)
    case 'uint64':
      return wide(buffer, false)
    case 'float32':
    case 'complex64':
      return exact(new Float32Array(buffer))
    case 'float64':
    case 'complex128':
      return exact(new Float64Array(buffer))
    case 'bfloat16': {
      const words = new Uint32Array(new Uint16Array(buffer))
      for (let i = 0; i < words.length; i++) words[i] = (words[i] as number) << 16
      return exact(new Float32Array(words.buffer))
    }
    case 'float16':
    case 'complex32':
      return exact(widened(new Uint16Array(buffer), HALF))
    default:
      return exact(widened(new Uint8Array(buffer), SMALL[dtype]))
  }
}

/** A copy that starts where any typed array may, in this host's byte order. */
function aligned(bytes: Uint8Array, unit: number, littleEndian: boolean): ArrayBuffer {
  const copy = new Uint8Array(bytes.length)
  copy.set(bytes)
  if (unit > 1 && littleEndian !== HOST_IS_LITTLE) {
    for (let start = 0; start + unit <= copy.length; start += unit) copy.subarray(start, start + unit).reverse()
  }
  return copy.buffer
}

function wide(buffer: ArrayBuffer, signed: boolean): Decoded {
  const words = new Uint32Array(buffer)
  const count = words.length / 2
  const low = HOST_IS_LITTLE ? 0 : 1
  const small = new Int32Array(count)
  for (let i = 0; i < count; i++) {
    const value = (words[2 * i + low] as number) | 0
    const rest = words[2 * i + 1 - low] as number
    if (rest !== (value < 0 && signed ? 0xffffffff : 0) || (value < 0 && !signed)) return wider(buffer, signed)
    small[i] = value
  }
  return exact(small)
}

function wider(buffer: ArrayBuffer, signed: boolean): Decoded {
  const integers = signed ? new BigInt64Array(buffer) : new BigUint64Array(buffer)
  const data = new Float64Array(integers.length)
  let inexact = 0
  for (let i = 0; i < data.length; i++) {
    const value = Number(integers[i])
    if (!Number.isSafeInteger(value)) inexact++
    data[i] = value
  }
  return { data, inexact }
}

function narrowed(values: Float64Array): Int32Array | Float64Array {
  for (const value of values) if (value > 0x7fffffff) return values
  return Int32Array.from(values)
}

function exact(data: TensorNumbers): Decoded {
  return { data, inexact: 0 }
}

interface SmallFloat {
  readonly exponent: number
  readonly mantissa: number
  readonly bias: number
  /** What the largest exponent and the sign alone mean: as IEEE 754; NaN for all bits set (`fn`); NaN for -0 only (`fnuz`). */
  readonly special: 'ieee' | 'fn' | 'fnuz'
}

const HALF: SmallFloat = { exponent: 5, mantissa: 10, bias: 15, special: 'ieee' }

// Micikevicius et al., "FP8 formats for deep learning" (arXiv 2209.05433), and the fnuz variants of arXiv 2206.02915.
const SMALL: Readonly<Record<'float8_e4m3fn' | 'float8_e4m3fnuz' | 'float8_e5m2' | 'float8_e5m2fnuz', SmallFloat>> = {
  float8_e4m3fn: { exponent: 4, mantissa: 3, bias: 7, special: 'fn' },
  float8_e4m3fnuz: { exponent: 4, mantissa: 3, bias: 8, special: 'fnuz' },
  float8_e5m2: { exponent: 5, mantissa: 2, bias: 15, special: 'ieee' },
  float8_e5m2fnuz: { exponent: 5, mantissa: 2, bias: 16, special: 'fnuz' },
}

function widened(bits: Uint8Array | Uint16Array, kind: SmallFloat): Float32Array {
  const table = tableOf(kind)
  const out = new Float32Array(bits.length)
  for (let i = 0; i < out.length; i++) out[i] = table[bits[i] as number] as number
  return out
}

const tables = new Map<SmallFloat, Float32Array>()

function tableOf(kind: SmallFloat): Float32Array {
  let table = tables.get(kind)
  if (table === undefined) {
    const half = 1 << (kind.exponent + kind.mantissa)
    table = new Float32Array(2 * half)
    for (let magnitude = 0; magnitude < half; magnitude++) {
      const value = magnitudeOf(magnitude, half, kind)
      table[magnitude] = value
      table[half + magnitude] = -value
    }
    if (kind.special === 'fnuz') table[half] = Number.NaN
    tables.set(kind, table)
  }
  return table
}

function magnitudeOf(bits: number, half: number, { exponent, mantissa, bias, special }: SmallFloat): number {
  const power = bits >> mantissa
  const fraction = bits & ((1 << mantissa) - 1)
  if (special === 'ieee' && power === (1 << exponent) - 1) return fraction === 0 ? Number.POSITIVE_INFINITY : Number.NaN
  if (special === 'fn' && bits === half - 1) return Number.NaN
  const scale = 2 ** mantissa
  return power === 0 ? (fraction / scale) * 2 ** (1 - bias) : (1 + fraction / scale) * 2 ** (power - bias)
}
