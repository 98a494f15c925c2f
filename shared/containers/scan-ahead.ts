import { hashBytes } from '../model/hash.ts'
import type { RecordSpans } from './container.ts'
import { parseJson } from './json.ts'
import { JsonError } from './json-error.ts'
import { type Kernel, kernelOver, type ScannedSlot } from './kernel/kernel.ts'

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
  const hashes: (string | null)[] = []
  const keep = (at: number, next: number, numbers: Int32Array | Float64Array) => {
    const first = kernel.indexOf(numbers)
    if (first >= 0) arrays.push(at, next, first, numbers.length)
  }
  const base = offsets[0] ?? 0
  for (let i = 0; i < offsets.length; i++) {
    if (damaged?.index === i) {
      hashes.push(null)
      continue
    }
    const from = (offsets[i] as number) - base
    const to = from + (lengths[i] as number)
    try {
      parseJson(bytes, from, to, numericKeys, keep)
      hashes.push(hashBytes(bytes, from, to, kernelOver(bytes)))
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      hashes.push(null)
    }
  }
  kernel.leave()
  return { slot, start, length, arrays: Int32Array.from(arrays), hashes }
}
