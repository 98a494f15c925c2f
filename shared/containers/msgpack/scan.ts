/** Where a value ends, and what kind of value it is; found without making it. */
export interface ScannedValue {
  readonly end: number
  readonly kind: 'array' | 'map' | 'other'
  /** Elements of an array, pairs of a map. */
  readonly count: number
  /** Where the first of them begins. */
  readonly inside: number
}

/** The bytes end inside a value. */
export class CutValue extends RangeError {}

/**
 * Finds the end of the MessagePack value at `at`, however deep it is nested. Throws `CutValue` where the bytes end before it, and
 * `RangeError` for a byte that begins no value.
 */
export function scanValue(bytes: Uint8Array, at: number, end = bytes.length): ScannedValue {
  const first = head(bytes, at, end)
  let pos = first.next + first.skip
  let pending = first.values
  while (pending > 0) {
    // Every value takes a byte at least: a declared length beyond that is cut off, or made up.
    if (pos + pending > end)
      throw new CutValue(`${pending} more values are declared where ${Math.max(0, end - pos)} bytes are left`)
    const { next, skip, values } = head(bytes, pos, end)
    pos = next + skip
    pending += values - 1
  }
  if (pos > end) throw new CutValue(`a value declares ${pos - end} bytes more than there are`)
  const { kind, values } = first
  return { end: pos, kind, count: kind === 'map' ? values / 2 : values, inside: first.next }
}

interface Head {
  readonly kind: ScannedValue['kind']
  /** After its first byte and its length. */
  readonly next: number
  /** Bytes of its own that follow. */
  readonly skip: number
  /** Values that follow. */
  readonly values: number
}

function head(bytes: Uint8Array, at: number, end: number): Head {
  if (at >= end) throw new CutValue('the bytes end where a value should begin')
  const byte = bytes[at] as number
  const other = (length: number, skip: number): Head => ({ kind: 'other', next: at + 1 + length, skip, values: 0 })
  const sized = (width: number): number => {
    if (at + 1 + width > end) throw new CutValue('the bytes end inside a length')
    let value = 0
    for (let i = 1; i <= width; i++) value = value * 256 + (bytes[at + i] as number)
    return value
  }
  const array = (width: number, count: number): Head => ({
    kind: 'array',
    next: at + 1 + width,
    skip: 0,
    values: count,
  })
  const map = (width: number, count: number): Head => ({
    kind: 'map',
    next: at + 1 + width,
    skip: 0,
    values: count * 2,
  })
  if (byte < 0x80 || byte >= 0xe0) return other(0, 0)
  if (byte < 0x90) return map(0, byte & 15)
  if (byte < 0xa0) return array(0, byte & 15)
  if (byte < 0xc0) return other(0, byte & 31)
  if (byte === 0xc1) throw new RangeError(`byte ${at} begins no value (0xc1)`)
  if (byte < 0xc4) return other(0, 0)
  if (byte < 0xc7) return other(1 << (byte - 0xc4), sized(1 << (byte - 0xc4)))
  if (byte < 0xca) return other(1 << (byte - 0xc7), sized(1 << (byte - 0xc7)) + 1)
  if (byte < 0xd4) return other(0, [4, 8, 1, 2, 4, 8, 1, 2, 4, 8][byte - 0xca] as number)
  if (byte < 0xd9) return other(0, (1 << (byte - 0xd4)) + 1)
  if (byte < 0xdc) return other(1 << (byte - 0xd9), sized(1 << (byte - 0xd9)))
  if (byte < 0xde) return array(byte === 0xdc ? 2 : 4, sized(byte === 0xdc ? 2 : 4))
  return map(byte === 0xde ? 2 : 4, sized(byte === 0xde ? 2 : 4))
}

/**
 * Whether a file that begins with `bytes` is MessagePack: nothing but maps and lists at its top, a map with texts as keys, a list that
 * begins with a list or map. There is no magic to go by.
 */
export function isMsgpack(bytes: Uint8Array): boolean {
  let seen = 0
  try {
    for (let at = 0; at < bytes.length; seen++) {
      const first = head(bytes, at, bytes.length)
      if (first.kind === 'other' || first.values === 0) return false
      if (seen === 0 && !begins(bytes, first)) return false
      at = scanValue(bytes, at).end
    }
    return seen > 0
  } catch (error) {
    // What is cut off after a beginning like this is a damaged file, and more than that cannot be told of the head of a long one.
    return error instanceof CutValue
  }
}

function begins(bytes: Uint8Array, { kind, next, values }: Head): boolean {
  if (kind === 'array') return beginsList(bytes, next, values)
  return isTextKey(bytes, next) && areTextKeys(bytes, next, Math.min(values / 2, LOOKED_AT))
}

/** Letters of JSON are numbers here: behind damaged bytes that begin a map or a list they stand where keys or values would. */
const LOOKED_AT = 8
/** Fields of a struct that is written by position, of which all but the first may be numbers and texts; two bytes of a letter declare more. */
const MOST_FIELDS = 1000

/** Whether the first of so many values is a list or a map, and all others that are there too, unless they may be fields. */
function beginsList(bytes: Uint8Array, from: number, count: number): boolean {
  const looked = count <= MOST_FIELDS ? 1 : Math.min(count, LOOKED_AT)
  let at = from
  try {
    for (let value = 0; value < looked && at < bytes.length; value++) {
      if (head(bytes, at, bytes.length).kind === 'other') return false
      at = scanValue(bytes, at).end
    }
  } catch (error) {
    if (!(error instanceof CutValue)) throw error
  }
  return from < bytes.length
}

/** Whether those of so many keys that are there are texts. */
function areTextKeys(bytes: Uint8Array, from: number, keys: number): boolean {
  let at = from
  try {
    for (let key = 0; key < keys && at < bytes.length; key++) {
      if (!isTextKey(bytes, at)) return false
      at = scanValue(bytes, scanValue(bytes, at).end).end
    }
  } catch (error) {
    if (!(error instanceof CutValue)) throw error
  }
  return true
}

function isTextKey(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at] ?? 0
  if (byte >= 0xa1 && byte < 0xc0) return isText(bytes.subarray(at + 1, at + 1 + (byte & 31)))
  return byte === 0xd9 && isText(bytes.subarray(at + 2, at + 2 + (bytes[at + 1] ?? 0)))
}

/** Whether a key is text; one that the head cuts off inside a character is. */
function isText(key: Uint8Array): boolean {
  if (!key.every((byte) => byte >= 0x20 && byte !== 0x7f)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(key, { stream: true })
    return true
  } catch {
    return false
  }
}
