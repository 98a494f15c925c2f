import { hashBytes, hashOfNumbers } from '../model/bulk-hash.ts'
import type { RecordSpans } from './container.ts'
import { parseJson } from './json.ts'
import { JsonError } from './json-error.ts'
import type { Kernel } from './kernel/kernel.ts'
import { ARRAY, type ScannedSlot } from './kernel/scanned-slot.ts'
import { kernelOver } from './kernel/thread-kernel.ts'
import { asSmall } from './spans.ts'

/** What a thread found of records ahead of the one that parses them, which goes on from it. */
export interface ScannedText extends ScannedSlot {
  /** Of each record; null where it could not be parsed. */
  readonly hashes: readonly (string | null)[]
}

/** An array in the kernel's memory, and where in `ScannedSlot.arrays` it is told of. */
interface ArrayAt {
  readonly at: number
  readonly numbers: Int32Array
}

/** Scans the arrays of numbers of records that lie in a slot from the byte `start` on, and hashes them. */
export function scanAhead(
  kernel: Kernel,
  slot: number,
  start: number,
  length: number,
  { offsets, lengths, damaged }: RecordSpans,
  numericKeys: ReadonlySet<string>,
): ScannedText {
  const bytes = kernel.enter(slot, start, length)
  kernel.begin(true)
  const arrays: number[] = []
  const hashes: (string | null)[] = []
  const own = kernelOver(bytes)
  /** The one whose hash is asked for, if any is: of each record the longest that is no mask, with its place in `arrays`. */
  let longest: ArrayAt | null = null
  const keep = (at: number, next: number, numbers: Int32Array | Float64Array) => {
    const told = kernel.told(at, next, numbers)
    if (told === null) return
    const { length } = arrays
    arrays.push(...told)
    const isMask = (told[ARRAY.most] as number) >>> 0 <= 1
    if (!isMask && numbers.length > (longest?.numbers.length ?? 0))
      longest = { at: length, numbers: numbers as Int32Array }
  }
  const base = offsets[0] ?? 0
  for (let i = 0; i < offsets.length; i++) {
    if (damaged?.index === i) {
      hashes.push(null)
      continue
    }
    const from = asSmall((offsets[i] as number) - base)
    const to = asSmall(from + (lengths[i] as number))
    longest = null
    try {
      parseJson(bytes, from, to, numericKeys, keep)
      hashes.push(hashBytes(bytes, from, to, own))
      if (longest !== null) hashArray(longest, arrays, kernel)
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      hashes.push(null)
    }
  }
  kernel.leave()
  return { slot, start, length, arrays: Int32Array.from(arrays), hashes }
}

/** Hashes an array, and tells of it in `into`: the ids of a rollout are hashed by whoever audits them. */
function hashArray({ at, numbers }: ArrayAt, into: number[], kernel: Kernel): void {
  const [low, high] = hashOfNumbers(numbers, 0, numbers.length, kernel).lanes
  into[at + ARRAY.isHashed] = 1
  into[at + ARRAY.low] = low
  into[at + ARRAY.high] = high
}
