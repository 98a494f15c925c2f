import { mergeIds } from './merge.ts'
import type { MergeTable } from './merge-table.ts'
import { LONGEST_REMEMBERED, PieceCache } from './piece-cache.ts'
import type { WholeTable } from './whole-table.ts'

/** A byte-level byte-pair encoding, laid out to be looked up. */
export interface ByteLevelTables {
  /** Id of each of the 256 bytes. */
  readonly byteIds: Int32Array
  readonly merges: MergeTable
  /** Ids of whole pieces that are taken before any merge; null where merges decide. */
  readonly wholes: WholeTable | null
}

/** Encodes the pieces that the pre-tokeniser cuts. */
export class PieceEncoder {
  readonly #tables: ByteLevelTables
  readonly #cache = new PieceCache()
  #bytes: Uint8Array = new Uint8Array(0)
  readonly #ids = new Int32Array(LONGEST_REMEMBERED)

  constructor(tables: ByteLevelTables) {
    this.#tables = tables
  }

  /** The bytes that pieces are parts of from now on. */
  read(bytes: Uint8Array): void {
    this.#bytes = bytes
    this.#cache.read(bytes)
  }

  /** Appends the ids of the piece that lies from `start` to `end`. */
  append(start: number, end: number, to: number[]): void {
    if (this.#cache.append(start, end, to)) return
    const length = end - start
    const ids = length <= LONGEST_REMEMBERED ? this.#ids : new Int32Array(length)
    const count = this.#encode(start, end, ids)
    for (let i = 0; i < count; i++) to.push(ids[i] as number)
    this.#cache.remember(start, end, ids, count)
  }

  /** Turns the bytes into the first of `ids` and returns the number of these. */
  #encode(start: number, end: number, ids: Int32Array): number {
    const bytes = this.#bytes
    const { byteIds, merges, wholes } = this.#tables
    for (let i = start; i < end; i++) ids[i - start] = byteIds[bytes[i] as number] as number
    const count = mergeIds(ids, end - start, merges)
    // Merges that end in one id have spelt the whole piece, and no two ids are spelt the same.
    if (count === 1 || wholes === null) return count
    const whole = wholes.find(bytes, start, end)
    if (whole < 0) return count
    ids[0] = whole
    return 1
  }
}
