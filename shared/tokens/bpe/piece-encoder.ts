import { mergeIds } from './merge.ts'
import type { ByteLevelModel } from './model.ts'
import { LONGEST_REMEMBERED, PieceCache } from './piece-cache.ts'

const UTF8_PER_UNIT = 3
/** Room that is kept between pieces, in bytes; what a longer one needs is given back. */
const ROOM = LONGEST_REMEMBERED * UTF8_PER_UNIT

const utf8 = new TextEncoder()

/** Encodes the pieces that the pre-tokeniser cuts. */
export class PieceEncoder {
  readonly #model: ByteLevelModel
  readonly #cache = new PieceCache()
  readonly #bytes = new Uint8Array(ROOM)
  readonly #ids = new Int32Array(ROOM)

  constructor(model: ByteLevelModel) {
    this.#model = model
  }

  /** Appends the ids of a piece. */
  append(piece: string, to: number[]): void {
    if (this.#cache.append(piece, to)) return
    const room = piece.length * UTF8_PER_UNIT
    const bytes = room <= ROOM ? this.#bytes : new Uint8Array(room)
    const ids = room <= ROOM ? this.#ids : new Int32Array(room)
    const count = this.#encode(bytes, utf8.encodeInto(piece, bytes).written, ids)
    for (let i = 0; i < count; i++) to.push(ids[i] as number)
    this.#cache.remember(piece, ids, count)
  }

  /** Turns the first `length` bytes into the first of `ids` and returns the number of these. */
  #encode(bytes: Uint8Array, length: number, ids: Int32Array): number {
    const { byteIds, merges, wholes } = this.#model
    for (let i = 0; i < length; i++) ids[i] = byteIds[bytes[i] as number] as number
    const count = mergeIds(ids, length, merges)
    // Merges that end in one id have spelt the whole piece, and no two ids are spelt the same.
    if (count === 1 || wholes === null) return count
    const whole = wholes.find(bytes, length)
    if (whole < 0) return count
    ids[0] = whole
    return 1
  }
}
