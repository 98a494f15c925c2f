import type { RecordSpans } from './container.ts'

export const DEFAULT_BATCH_BYTES = 4 << 20

/** Most bytes of the first batch, and of any. */
export interface BatchSizes {
  readonly first: number
  readonly most: number
}

/** Gathers record boundaries into batches, of which the first begins with the record `first`. `add` and `damage` give a batch when one is full, `finish` the last one. */
export class SpansBuilder {
  private lines: number[] = []
  private offsets: number[] = []
  private lengths: number[] = []

  private limit: number
  private readonly most: number

  constructor(
    sizes: BatchSizes,
    private first = 0,
  ) {
    this.limit = Math.min(sizes.first, sizes.most)
    this.most = sizes.most
  }

  /** Adds a record; returns the batch before it when the two together would be too large. */
  add(offset: number, length: number, line: number): RecordSpans | null {
    const start = this.offsets[0]
    const full = start !== undefined && offset + length - start > this.limit ? this.finish() : null
    this.offsets.push(offset)
    this.lengths.push(length)
    this.lines.push(line)
    return full
  }

  /** The last batch: what was gathered, and after it one record that stands for everything that could not be read. */
  damage(offset: number, line: number, code: string, message: string): RecordSpans {
    this.offsets.push(offset)
    this.lengths.push(0)
    this.lines.push(line)
    const index = this.offsets.length - 1
    return { ...(this.finish() as RecordSpans), damaged: { index, code, message } }
  }

  finish(): RecordSpans | null {
    const count = this.offsets.length
    if (count === 0) return null
    const batch = {
      first: this.first,
      lines: Float64Array.from(this.lines),
      offsets: Float64Array.from(this.offsets),
      lengths: Float64Array.from(this.lengths),
    }
    this.first += count
    this.limit = Math.min(this.limit * 2, this.most)
    this.lines = []
    this.offsets = []
    this.lengths = []
    return batch
  }
}

/** Consecutive rows of columns, all of which stand in what begins at `byte`. */
export function rowSpans(first: number, count: number, byte: number): RecordSpans {
  return {
    first,
    lines: new Float64Array(count),
    offsets: new Float64Array(count).fill(byte),
    lengths: new Float64Array(count),
  }
}

/**
 * Where the bytes of a batch begin and end in its container. Not named as in a span of tokens: to V8 all objects with the same names are of one kind, and were
 * those numbers as large as these are, each of them would be an object of its own.
 */
export interface Extent {
  readonly firstByte: number
  readonly endByte: number
}

export function extentOf(spans: RecordSpans): Extent {
  const last = spans.offsets.length - 1
  if (last < 0) return { firstByte: 0, endByte: 0 }
  return {
    firstByte: spans.offsets[0] as number,
    endByte: (spans.offsets[last] as number) + (spans.lengths[last] as number),
  }
}

/** The same number, as an integer of 32 bits where it is one: what is read from `RecordSpans` is kept as a float, and all that is counted on from it. */
export function asSmall(number: number): number {
  const small = number | 0
  return small === number ? small : number
}
