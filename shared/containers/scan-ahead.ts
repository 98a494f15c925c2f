import { type ByteRange, hashRanges } from '../model/hash.ts'
import type { RecordSpans } from './container.ts'
import { parseJson } from './json.ts'
import { JsonError } from './json-error.ts'
import { type Kernel, kernelOver } from './kernel/kernel.ts'
import type { ScannedSlot } from './kernel/scanned-slot.ts'

/** What a thread found of records ahead of the one that parses them, which goes on from it. */
export interface ScannedText extends ScannedSlot {
  /** Of each record; null where it could not be parsed. */
  readonly hashes: readonly (string | null)[]
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
  const parsed: ByteRange[] = []
  /** Which of the hashes is that of a record; null where it has none. */
  const places: (number | null)[] = []
  const keep = (at: number, next: number, numbers: Int32Array | Float64Array) => {
    const told = kernel.told(at, next, numbers)
    if (told !== null) arrays.push(...told)
  }
  const base = offsets[0] ?? 0
  for (let i = 0; i < offsets.length; i++) {
    if (damaged?.index === i) {
      places.push(null)
      continue
    }
    const from = (offsets[i] as number) - base
    const to = from + (lengths[i] as number)
    try {
      parseJson(bytes, from, to, numericKeys, keep)
      places.push(parsed.push({ start: from, end: to }) - 1)
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      places.push(null)
    }
  }
  const found = hashRanges(bytes, parsed, kernelOver(bytes))
  kernel.leave()
  const hashes = places.map((place) => (place === null ? null : (found[place] as string)))
  return { slot, start, length, arrays: Int32Array.from(arrays), hashes }
}
