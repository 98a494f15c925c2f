import type { TokenTable } from '../../tokens/tokenizer.ts'

/** A piece of text that two sequences of ids spell with other tokens; half-open ranges of either sequence. */
export interface OtherSplit {
  readonly a: readonly [start: number, end: number]
  readonly b: readonly [start: number, end: number]
}

/**
 * Where two sequences spell the same bytes with other tokens, as far as the shorter goes. Null where they do not spell the same bytes,
 * or hold an id that the table does not have: they are then not two splits of one text.
 */
export function otherSplits(table: TokenTable, a: Int32Array, b: Int32Array): OtherSplit[] | null {
  const splits: OtherSplit[] = []
  const left = new Cursor(table, a)
  const right = new Cursor(table, b)
  while (left.at < a.length && right.at < b.length) {
    if (a[left.at] === b[right.at]) {
      left.next()
      right.next()
      continue
    }
    const from = [left.at, right.at] as const
    left.next()
    right.next()
    while (left.bytes !== right.bytes) {
      const behind = left.bytes < right.bytes ? left : right
      if (!behind.next()) return null
    }
    if (left.unknown || right.unknown) return null
    if (!sameBytes(table, a.subarray(from[0], left.at), b.subarray(from[1], right.at))) return null
    splits.push({ a: [from[0], left.at], b: [from[1], right.at] })
  }
  return splits
}

/** A place in a sequence, with the bytes before it. */
class Cursor {
  at = 0
  bytes = 0
  unknown = false

  constructor(
    private readonly table: TokenTable,
    private readonly ids: Int32Array,
  ) {}

  /** False at the end. */
  next(): boolean {
    if (this.at >= this.ids.length) return false
    const id = this.ids[this.at++] as number
    const { offsets, size } = this.table
    const length = id >= 0 && id < size ? (offsets[id + 1] as number) - (offsets[id] as number) : 0
    if (length === 0) this.unknown = true
    this.bytes += length
    return true
  }
}

function sameBytes({ bytes, offsets }: TokenTable, a: Int32Array, b: Int32Array): boolean {
  const spelt = (ids: Int32Array) => [...ids].flatMap((id) => [...bytes.subarray(offsets[id], offsets[id + 1])])
  const left = spelt(a)
  const right = spelt(b)
  return left.length === right.length && left.every((byte, i) => byte === right[i])
}
