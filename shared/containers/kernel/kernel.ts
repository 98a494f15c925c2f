import type { StripeHasher } from '../../model/bulk-hash.ts'
import { Hash64 } from '../../model/hash.ts'
import type { PlainNumbers } from '../plain-numbers.ts'
import type { KernelExports } from './exports.ts'
import { KERNEL_MODULE, SHARED_KERNEL_MODULE } from './kernel-module.ts'
import { KNOWN_BYTES, KnownIds } from './known-ids.ts'
import { ARRAY, type ScannedSlot } from './scanned-slot.ts'

/** Bytes that lie in a slot of the kernel's memory at most. */
export const INPUT_BYTES = 4 << 20
/** An input and behind it its numbers, which take at most twice that, since each has a comma; and what is put beside them. */
const SLOT_BYTES = 193 << 16
/** Bytes behind the numbers of an input that are written before it is known whether they are any. */
const ROOM_TO_WRITE = 64
/** Bytes at the end of the memory in which sets of ids lie: six of vocabularies of 150,000. */
const SET_BYTES = 128 << 10

/** Memory for kernels of several threads. */
export function sharedMemory(slots: number): WebAssembly.Memory {
  const pages = (slots * SLOT_BYTES + KNOWN_BYTES + SET_BYTES) >> 16
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
}

/** The loops over every byte of a dump, in WebAssembly: over bytes that lie in its own memory. */
export class Kernel implements PlainNumbers, StripeHasher {
  /** Where a thread reads its part of a file to. */
  readonly input: Uint8Array<ArrayBuffer>
  count = 0
  /** All of the memory. */
  private readonly numbers: Int32Array<ArrayBuffer>
  private readonly buffer: ArrayBuffer
  /** Where the input begins that records are read from, and where its slot ends. */
  private base = 0
  private slotEnd = SLOT_BYTES
  /** Where numbers of this input that nobody scanned before may lie, as an index of `numbers`. */
  private floor = INPUT_BYTES >> 2
  /** Numbers from `floor` to it belong to arrays that were taken and lie here. */
  private first = INPUT_BYTES >> 2
  private passing = false
  /** Bytes of this input, and of those of its arrays that were told. */
  private inputLength = 0
  private toldBytes = 0
  /** What was scanned of this input, and which of its arrays is the next one. */
  private scanned: Int32Array = NONE
  private nextScanned = 0
  /** Addresses of the sets that lie here. */
  private readonly sets = new Map<Uint32Array, number>()
  private nextSet: number
  /** Where in `scanned` arrays of this input are that were taken, by where they begin. */
  private readonly places = new Map<number, number>()
  private readonly known: KnownIds

  private constructor(
    private readonly code: KernelExports,
    memory: WebAssembly.Memory,
  ) {
    // The memory never grows, so that its buffer stays the same.
    const buffer = memory.buffer as ArrayBuffer
    this.buffer = buffer
    this.input = new Uint8Array(buffer, 0, INPUT_BYTES)
    this.numbers = new Int32Array(buffer)
    this.nextSet = buffer.byteLength - SET_BYTES
    this.known = new KnownIds(buffer, this.nextSet - KNOWN_BYTES)
  }

  /** Null where this machine, or the page's policy, runs no such code. `memory`: of `sharedMemory`; absent = its own. */
  static create(memory?: WebAssembly.Memory): Kernel | null {
    try {
      const text = memory === undefined ? KERNEL_MODULE : SHARED_KERNEL_MODULE
      const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
      const imports: WebAssembly.Imports = memory === undefined ? {} : { host: { memory } }
      const exports = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports)
        .exports as unknown as KernelExports
      return new Kernel(exports, memory ?? exports.memory)
    } catch {
      return null
    }
  }

  /** Records follow that lie in another slot, `start` bytes behind its beginning. Returns their bytes. */
  enter(slot: number, start: number, length: number): Uint8Array<ArrayBuffer> {
    this.base = slot * SLOT_BYTES + start
    this.slotEnd = (slot + 1) * SLOT_BYTES
    this.floor = (slot * SLOT_BYTES + INPUT_BYTES) >> 2
    this.first = this.floor
    this.scanned = NONE
    this.places.clear()
    this.inputLength = length
    this.toldBytes = 0
    return new Uint8Array(this.buffer, this.base, length)
  }

  /** As `enter`, of records whose arrays another thread scanned. */
  enterScanned({ slot, start, length, arrays }: ScannedSlot): Uint8Array<ArrayBuffer> {
    const bytes = this.enter(slot, start, length)
    const { length: all } = arrays
    if (all > 0) this.floor += arrays[all - ARRAY.numbers + ARRAY.end] as number
    this.first = this.floor
    this.scanned = arrays
    this.nextScanned = 0
    return bytes
  }

  /** Back to what this thread reads by itself. */
  leave(): void {
    this.enter(0, 0, 0)
  }

  /** The input of a slot, whatever is in it. */
  slotInput(slot: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.buffer, slot * SLOT_BYTES, INPUT_BYTES)
  }

  scannedAt(at: number, scan: { next: number }): Int32Array | null {
    const scanned = this.scanned
    let next = this.nextScanned
    while (next < scanned.length && (scanned[next] as number) < at) next += ARRAY.numbers
    this.nextScanned = next
    if (next >= scanned.length || scanned[next] !== at || !this.passing) return null
    scan.next = scanned[next + ARRAY.next] as number
    const start = ((this.slotEnd - SLOT_BYTES + INPUT_BYTES) >> 2) + (scanned[next + ARRAY.first] as number)
    this.places.set(start * 4, next)
    return this.numbers.subarray(start, start + (scanned[next + ARRAY.count] as number))
  }

  /** What `ScannedSlot.arrays` tells of an array that was scanned in this slot, from `bracket` to `next`; null where it lies elsewhere. */
  told(bracket: number, next: number, numbers: Int32Array | Float64Array): readonly number[] | null {
    if (numbers.buffer !== this.buffer) return null
    const { byteOffset, length } = numbers
    const from = this.slotEnd - SLOT_BYTES + INPUT_BYTES
    const end = byteOffset + length * 4
    this.toldBytes += next - bracket
    let beside = this.bytesBesideTold(6 * blocksOf(length))
    const most =
      beside === null ? this.code.most(byteOffset, end) : this.code.maxima(byteOffset, end, beside.byteOffset)
    if (most >>> 0 <= 1) {
      // The largest of each 64 are given up for what tells more.
      if (beside !== null) this.first = beside.byteOffset >> 2
      beside = this.bytesBesideTold(length)
      if (beside !== null) this.code.narrow(byteOffset, end, beside.byteOffset)
    }
    const knowledge = most >>> 0 <= 1 || beside === null ? -1 : this.sum(byteOffset, end, beside.byteOffset)
    const at = beside === null ? -1 : beside.byteOffset - from
    return [bracket, next, (byteOffset - from) >> 2, length, most, 0, 0, 0, at, this.first - (from >> 2), knowledge]
  }

  /** Puts the sums of numbers behind their largest, which begin at `beside`. Returns under which knowledge, -1 where it changed meanwhile or there is none. */
  private sum(at: number, end: number, beside: number): number {
    const { generation, size } = this.known
    if (size === 0 || generation % 2 === 1) return -1
    this.code.sums(at, end, this.known.at, size, beside + 4 * blocksOf((end - at) >> 2))
    return this.known.generation === generation ? generation : -1
  }

  /** As `bytes`, null also where the numbers of what nobody told yet might not have room then. */
  private bytesBesideTold(length: number): Uint8Array | null {
    const left = this.slotEnd - this.first * 4 - length
    return left < 2 * (this.inputLength - this.toldBytes) + ROOM_TO_WRITE ? null : this.bytes(length)
  }

  /** `hashOfNumbers` of all of an array that this memory holds, where another thread told it; else null. */
  hashAhead({ byteOffset, length }: Int32Array): Hash64 | null {
    const { scanned } = this
    const at = this.places.get(byteOffset)
    if (at === undefined || scanned[at + ARRAY.count] !== length || scanned[at + ARRAY.isHashed] === 0) return null
    return Hash64.from(scanned[at + ARRAY.low] as number, scanned[at + ARRAY.high] as number, length)
  }

  scan(at: number, end: number, count: number): number {
    const { base } = this
    const start = (this.first + count) * 4
    const next = this.code.plain(base + at, base + end, start)
    this.count = count + ((this.code.written.value - start) >> 2)
    return next - base
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
    this.first = this.floor
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

  hashBytes(start: number, end: number): void {
    this.code.stripes(this.base + start, this.base + end)
  }

  /** Whether these are the bytes that records are read from. */
  isAt(bytes: Uint8Array): boolean {
    return bytes.buffer === this.buffer && bytes.byteOffset === this.base
  }

  /** Whether an array is a view into this memory. */
  holds(array: Int32Array | Uint8Array): boolean {
    return array.buffer === this.buffer
  }

  /** See `firstAtLeast`, of numbers that this memory holds. */
  firstAtLeast(numbers: Int32Array, bound: number, from: number, to: number): number {
    const at = numbers.byteOffset
    const place = this.places.get(at)
    const [start, end] = [at + from * 4, at + to * 4]
    if (place === undefined) return (this.code.first(start, end, bound) - at) >> 2
    const most = (this.scanned[place + ARRAY.most] as number) >>> 0
    if (most < bound >>> 0) return to
    const maxima = most > 1 ? this.besideOf(place) : -1
    const found = maxima < 0 ? this.code.first(start, end, bound) : this.code.firstOver(start, end, bound, at, maxima)
    return (found - at) >> 2
  }

  /** See `firstOfNumber`, of numbers that this memory holds. */
  firstOfNumber(numbers: Int32Array, value: number, from: number, to: number): number {
    const at = numbers.byteOffset
    return (this.code.find(at + from * 4, at + to * 4, value) - at) >> 2
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

  /** See `KnownIds.of`. */
  knownTo(knower: object, ids: number): Uint8Array | null {
    return this.known.of(knower, ids)
  }

  /**
   * The first index from `from` on at which ids that this memory holds have no byte of `known` (`knownTo`), or one that is 0 or odd; `to` where all have
   * others. `lookedAt` is half the sum of those before it.
   */
  look(ids: Int32Array, known: Uint8Array, from: number, to: number): number {
    const at = ids.byteOffset
    const [start, end] = [at + from * 4, at + to * 4]
    const place = this.places.get(at)
    const largest =
      place !== undefined && this.scanned[place + ARRAY.knowledge] === this.known.generation ? this.besideOf(place) : -1
    if (largest < 0) return (this.code.look(start, end, known.byteOffset, known.length) - at) >> 2
    const sums = largest + 4 * blocksOf(this.scanned[(place as number) + ARRAY.count] as number)
    return (this.code.lookOver(start, end, known.byteOffset, known.length, at, sums) - at) >> 2
  }

  get lookedAt(): number {
    return this.code.lookedAt.value >>> 0
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
    const at = this.first * 4
    if (at + length > this.slotEnd) return null
    this.first += (length + 3) >> 2
    return new Uint8Array(this.buffer, at, length)
  }

  /** Makes bytes that this memory holds all `value`. */
  fill(bytes: Uint8Array, value: number, from: number, to: number): void {
    const at = bytes.byteOffset
    this.code.fill(at + from, at + to, value)
  }

  /** Other bytes that this memory holds once more; null where there is no room for them. */
  copied(others: Uint8Array): Uint8Array | null {
    const bytes = this.bytes(others.length)
    const at = others.byteOffset
    if (bytes !== null) this.code.copy(at, at + others.length, bytes.byteOffset)
    return bytes
  }

  /** Where the bytes are that lie beside an array which another thread scanned; -1 where none do. */
  private besideOf(place: number): number {
    const beside = this.scanned[place + ARRAY.beside] as number
    return beside < 0 ? -1 : this.slotEnd - SLOT_BYTES + INPUT_BYTES + beside
  }

  /** The lowest bytes of numbers that this memory holds, none of which is above 255; null where there is no room for them. */
  narrowed(numbers: Int32Array): Uint8Array | null {
    const place = this.places.get(numbers.byteOffset)
    if (place !== undefined && this.scanned[place + ARRAY.count] === numbers.length) {
      const beside = (this.scanned[place + ARRAY.most] as number) >>> 0 <= 1 ? this.besideOf(place) : -1
      // They belong to whoever asks first.
      this.scanned[place + ARRAY.beside] = -1
      if (beside >= 0) return new Uint8Array(this.buffer, beside, numbers.length)
    }
    const bytes = this.bytes(numbers.length)
    const at = numbers.byteOffset
    if (bytes !== null) this.code.narrow(at, at + numbers.length * 4, bytes.byteOffset)
    return bytes
  }

  hashNumbers(numbers: Int32Array, start: number, end: number): void {
    const at = numbers.byteOffset
    this.code.stripes(at + start * 4, at + end * 4)
  }

  get low(): number {
    return this.code.low.value
  }

  get high(): number {
    return this.code.high.value
  }
}

const NONE = new Int32Array(0)

/** Of so many numbers, how many times 64 there are, the last of them maybe fewer. */
function blocksOf(length: number): number {
  return (length + 63) >> 6
}
