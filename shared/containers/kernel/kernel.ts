import type { WordMixer } from '../../model/hash.ts'
import type { PlainNumbers } from '../plain-numbers.ts'
import { KERNEL_MODULE } from './kernel-module.ts'

/** Bytes that lie in the kernel's memory at most; their numbers take at most twice that, since each has a comma. */
const INPUT_BYTES = 4 << 20
/** Bytes at the end of the memory in which sets of ids lie: six of vocabularies of 150,000. */
const SET_BYTES = 128 << 10

/** What kernel.wat exports. Addresses are offsets in `memory`. */
interface KernelExports {
  readonly memory: WebAssembly.Memory
  plain(at: number, end: number, out: number): number
  readonly written: WebAssembly.Global<'i32'>
  hash(at: number, end: number, low: number, high: number): void
  readonly low: WebAssembly.Global<'i32'>
  readonly high: WebAssembly.Global<'i32'>
  first(at: number, end: number, bound: number): number
  member(at: number, end: number, set: number, words: number): number
  narrow(at: number, end: number, out: number): void
  bag(at: number, end: number): number
  other(at: number, end: number, value: number): number
  count(at: number, end: number, value: number): number
  differ(at: number, end: number, other: number): number
}

/** The loops over every byte of a dump, in WebAssembly: over bytes that lie in its own memory. */
export class Kernel implements PlainNumbers, WordMixer {
  /** Where a thread reads its part of a file to. */
  readonly input: Uint8Array<ArrayBuffer>
  count = 0
  private readonly numbers: Int32Array<ArrayBuffer>
  private readonly buffer: ArrayBuffer
  /** Numbers before it belong to arrays that were taken and lie here. */
  private first = 0
  private passing = false
  /** Addresses of the sets that lie here. */
  private readonly sets = new Map<Uint32Array, number>()
  private nextSet: number

  private constructor(private readonly code: KernelExports) {
    // The memory never grows, so that its buffer stays the same.
    const buffer = code.memory.buffer as ArrayBuffer
    this.buffer = buffer
    this.input = new Uint8Array(buffer, 0, INPUT_BYTES)
    this.numbers = new Int32Array(buffer, INPUT_BYTES, (buffer.byteLength - SET_BYTES - INPUT_BYTES) >> 2)
    this.nextSet = this.numbers.byteOffset + this.numbers.byteLength
  }

  /** Null where this machine, or the page's policy, runs no such code. */
  static create(): Kernel | null {
    try {
      const bytes = Uint8Array.from(atob(KERNEL_MODULE), (character) => character.charCodeAt(0))
      const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes))
      return new Kernel(exports as unknown as KernelExports)
    } catch {
      return null
    }
  }

  scan(at: number, end: number, count: number): number {
    const start = INPUT_BYTES + this.first * 4
    const next = this.code.plain(at, end, start + count * 4)
    this.count = (this.code.written.value - start) >> 2
    return next
  }

  put(index: number, value: number): void {
    this.numbers[this.first + index] = value
  }

  /**
   * Records follow that lie in `input`. What was taken before is given up.
   *
   * @param passing arrays are views into this memory, which stand until the next records are begun, instead of copies
   */
  begin(passing: boolean): void {
    this.first = 0
    this.passing = passing
  }

  taken(count: number): Int32Array {
    const { first } = this
    const end = first + count
    if (!this.passing) return this.numbers.slice(first, end)
    // What comes next goes behind it: for all numbers of one input there is room.
    this.first = end
    return this.numbers.subarray(first, end)
  }

  copyTo(floats: Float64Array, count: number): void {
    floats.set(this.numbers.subarray(this.first, this.first + count))
  }

  mix(start: number, end: number, low: number, high: number): void {
    this.code.hash(start, end, low, high)
  }

  /** Whether an array is a view into this memory. */
  holds(array: Int32Array | Uint8Array): boolean {
    return array.buffer === this.buffer
  }

  /** See `firstAtLeast`, of numbers that this memory holds. */
  firstAtLeast(numbers: Int32Array, bound: number, from: number, to: number): number {
    const at = numbers.byteOffset
    return (this.code.first(at + from * 4, at + to * 4, bound) - at) >> 2
  }

  /**
   * The first index from `from` on at which numbers that this memory holds are in a set, which has a bit for each; `to` where none is. Null where
   * there is no room for so large a set.
   */
  firstMember(numbers: Int32Array, set: Uint32Array, from: number, to: number): number | null {
    const placed = this.sets.get(set) ?? this.place(set)
    if (placed === null) return null
    const at = numbers.byteOffset
    return (this.code.member(at + from * 4, at + to * 4, placed, set.length) - at) >> 2
  }

  /** Copies a set here, in place of all others where they fill the room. */
  private place(set: Uint32Array): number | null {
    const size = set.byteLength + 4
    if (size > SET_BYTES) return null
    if (this.nextSet + size > this.buffer.byteLength) {
      this.sets.clear()
      this.nextSet = this.buffer.byteLength - SET_BYTES
    }
    const at = this.nextSet
    const words = new Uint32Array(this.buffer, at, set.length + 1)
    words.set(set)
    words[set.length] = 0
    this.sets.set(set, at)
    this.nextSet += size
    return at
  }

  /** See `bagOf`, of numbers that this memory holds. */
  bagOf(numbers: Int32Array, from: number, to: number): number {
    const at = numbers.byteOffset
    return this.code.bag(at + from * 4, at + to * 4)
  }

  /** The first index from `from` on at which bytes that this memory holds have another value than `value`; `to` where none has. */
  firstOther(bytes: Uint8Array, value: number, from: number, to: number): number {
    const at = bytes.byteOffset
    return this.code.other(at + from, at + to, value) - at
  }

  /** How many of the bytes that this memory holds are `value`. */
  countOf(bytes: Uint8Array, value: number, from: number, to: number): number {
    const at = bytes.byteOffset
    return this.code.count(at + from, at + to, value)
  }

  /** The first index from `from` on at which bytes differ, all of which this memory holds; `to` where they agree. */
  firstDifference(bytes: Uint8Array, others: Uint8Array, from: number, to: number): number {
    const at = bytes.byteOffset
    return this.code.differ(at + from, at + to, others.byteOffset + from) - at
  }

  /** Room for bytes, whatever is in it, that stand as long as what was taken; null where there is none. */
  bytes(length: number): Uint8Array | null {
    const at = INPUT_BYTES + this.first * 4
    if (at + length > this.buffer.byteLength - SET_BYTES) return null
    this.first += (length + 3) >> 2
    return new Uint8Array(this.buffer, at, length)
  }

  /** The lowest bytes of numbers that this memory holds, none of which is above 255; null where there is no room for them. */
  narrowed(numbers: Int32Array): Uint8Array | null {
    const bytes = this.bytes(numbers.length)
    const at = numbers.byteOffset
    if (bytes !== null) this.code.narrow(at, at + numbers.length * 4, bytes.byteOffset)
    return bytes
  }

  /** As `mix`, of numbers that this memory holds. */
  mixNumbers(numbers: Int32Array, start: number, end: number, low: number, high: number): void {
    const at = numbers.byteOffset
    this.code.hash(at + start * 4, at + end * 4, low, high)
  }

  get low(): number {
    return this.code.low.value
  }

  get high(): number {
    return this.code.high.value
  }
}

/** Undefined until somebody asks for its memory. */
let kernel: Kernel | null | undefined

/**
 * Memory for `length` bytes of records that this thread reads next, from which they are scanned fastest; null where there is none, or not so much of it.
 * What was read to it before is gone.
 */
export function kernelInput(length: number): Uint8Array<ArrayBuffer> | null {
  if (length > INPUT_BYTES) return null
  if (kernel === undefined) kernel = Kernel.create()
  return kernel === null ? null : kernel.input.subarray(0, length)
}

/** The same bytes where they are scanned fastest, until others are read or moved there; `bytes` themselves where that cannot be. */
export function inKernel(bytes: Uint8Array): Uint8Array {
  if (kernelOver(bytes) !== null) return bytes
  const input = kernelInput(bytes.length)
  if (input === null) return bytes
  input.set(bytes)
  return input
}

/** The kernel in whose memory `bytes` lie, from its start on; null where they lie elsewhere. */
export function kernelOver(bytes: Uint8Array): Kernel | null {
  return kernel != null && bytes.buffer === kernel.input.buffer && bytes.byteOffset === 0 ? kernel : null
}

/** The kernel in whose memory the elements of an array are; null where they are elsewhere. */
export function kernelWith(array: Int32Array | Uint8Array): Kernel | null {
  return kernel?.holds(array) ? kernel : null
}
