import type { PyDtype } from './dtype.ts'
import { NumberBuffer } from './numbers.ts'
import type { JaggedTensor, PyStorage, PyTensor } from './tensor.ts'

/**
 * What a pickle holds. Nothing in it was called or imported: a name stays a name (`PyName`), a call of something that is not known
 * to make plain data stays what it is, a call of that name with those arguments (`Placeholder`). One value may be reached on several
 * ways, and may contain itself: `toJson` copes with both.
 */
export type PyValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | PyList
  | PyTuple
  | PyDict
  | PySet
  | PyBytes
  | PyName
  | PyObject
  | Placeholder
  | PyDtype
  | PyTensor
  | JaggedTensor
  | PyStorage

/** A list. Long lists of numbers are kept as typed arrays, so that a dump of millions of token ids takes 4 bytes for each. */
export class PyList {
  readonly kind = 'list'
  private plain: PyValue[] | null
  private packed: NumberBuffer | null = null

  constructor(items: PyValue[] = []) {
    this.plain = items
  }

  get length(): number {
    return this.packed?.length ?? (this.plain as PyValue[]).length
  }

  at(index: number): PyValue | undefined {
    return this.packed === null ? (this.plain as PyValue[])[index] : this.packed.view()[index]
  }

  push(value: PyValue): void {
    this.unpack().push(value)
  }

  /** Appends numbers that came in one run; `integers` says that each fits 32 bits and was no float. */
  pushNumbers(source: Float64Array, count: number, integers: boolean): void {
    if (this.packed === null && (this.plain as PyValue[]).length === 0) {
      this.packed = new NumberBuffer(integers, count)
      this.plain = null
    }
    if (this.packed !== null) this.packed.append(source, count, integers)
    else for (let i = 0; i < count; i++) (this.plain as PyValue[]).push(source[i] as number)
  }

  /** The elements as a typed array when the list was written as nothing but numbers and has more than one, else null. Not to be changed. */
  numbers(): Int32Array | Float64Array | null {
    return this.packed?.view() ?? null
  }

  /** Elements `start` to `end`, in a list of their own. */
  slice(start: number, end: number): PyValue[] {
    if (this.packed === null) return (this.plain as PyValue[]).slice(start, end)
    return Array.from(this.packed.view().subarray(start, end))
  }

  /** All elements. Not to be changed. */
  items(): readonly PyValue[] {
    return this.packed === null ? (this.plain as PyValue[]) : Array.from(this.packed.view())
  }

  private unpack(): PyValue[] {
    if (this.packed !== null) {
      this.plain = Array.from(this.packed.view())
      this.packed = null
    }
    return this.plain as PyValue[]
  }
}

export class PyTuple {
  readonly kind = 'tuple'
  constructor(readonly items: readonly PyValue[]) {}
}

/** A dict, OrderedDict, defaultdict or Counter, in the order of its items. */
export class PyDict {
  readonly kind = 'dict'
  readonly entries = new Map<PyValue, PyValue>()

  get(key: PyValue): PyValue | undefined {
    return this.entries.get(key)
  }

  set(key: PyValue, value: PyValue): void {
    this.entries.set(key, value)
  }
}

/** A set or frozenset. */
export class PySet {
  readonly kind = 'set'
  constructor(readonly items: PyValue[] = []) {}
}

/** Bytes that may still be in the file. */
export interface ByteRange {
  readonly length: number
  /** Bytes `start` to `end` (clamped to `length`); shorter where the file ends before. The caller does not change them. */
  slice(start: number, end: number): Promise<Uint8Array>
}

/** `bytes` or `bytearray`; a long one is left in the file until it is asked for. */
export class PyBytes implements ByteRange {
  readonly kind = 'bytes'
  readonly length: number
  /** The bytes, null when they are still in the file. */
  readonly data: Uint8Array | null
  private readonly range: ByteRange | null

  constructor(from: Uint8Array | ByteRange) {
    this.length = from.length
    this.data = from instanceof Uint8Array ? from : null
    this.range = from instanceof Uint8Array ? null : from
  }

  async slice(start: number, end: number): Promise<Uint8Array> {
    return this.data?.subarray(start, end) ?? (this.range as ByteRange).slice(start, end)
  }
}

/** A class or function, by name alone. */
export class PyName {
  readonly kind = 'name'
  constructor(
    readonly module: string,
    readonly qualname: string,
  ) {}

  /** `module.qualname`. */
  get name(): string {
    return `${this.module}.${this.qualname}`
  }
}

/** An instance of a class, read as its fields: no method of the class took part. */
export class PyObject {
  readonly kind = 'object'
  readonly fields = new Map<string, PyValue>()
  /** What a dict subclass holds. */
  entries: PyDict | null = null
  /** What a list or set subclass holds. */
  items: PyList | null = null
  /** A state that is no dict of fields. */
  state: PyValue | undefined = undefined
  /** Plain data that the instance stands for: the text of a UUID, what a NonTensorData carries. */
  value: PyValue | undefined = undefined

  constructor(readonly className: string) {}
}

/** A call that was not made: what would have been called, by name, and with what. */
export class Placeholder {
  readonly kind = 'placeholder'
  kwargs: PyDict | null = null
  state: PyValue | undefined = undefined
  entries: PyDict | null = null
  items: PyList | null = null

  constructor(
    readonly name: string,
    readonly args: readonly PyValue[] = [],
  ) {}
}

/** The elements of a list, tuple or set, or null for anything else. */
export function itemsOf(value: PyValue | undefined): readonly PyValue[] | null {
  if (value instanceof PyList) return value.items()
  return value instanceof PyTuple || value instanceof PySet ? value.items : null
}

/** The value under a text key of a dict, or a field of an object; undefined where there is none. */
export function fieldOf(value: PyValue | undefined, key: string): PyValue | undefined {
  if (value instanceof PyDict) return value.get(key)
  return value instanceof PyObject ? (value.fields.get(key) ?? value.entries?.get(key)) : undefined
}

/** What a value is, in words for a message. */
export function describeValue(value: PyValue | undefined): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'None'
  if (typeof value === 'string') return 'a text'
  if (typeof value === 'boolean') return 'a boolean'
  if (typeof value === 'number' || typeof value === 'bigint') return 'a number'
  if (value instanceof PyName) return `the name ${shownName(value.name)}`
  if (value instanceof Placeholder) return `a call of ${shownName(value.name)}`
  if (value instanceof PyObject) return `an object of ${shownName(value.className)}`
  return value.kind === 'bytes' ? 'bytes' : `a ${value.kind}`
}

/** A name as it may be shown: no control characters, no endless text. */
export function shownName(name: string): string {
  const cut = name.length > 200 ? `${name.slice(0, 200)}…` : name
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
  return cut.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
}
