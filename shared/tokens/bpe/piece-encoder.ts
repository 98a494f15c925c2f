import { spellBytes } from '../byte-alphabet.ts'
import { mergeIds } from './merge.ts'
import type { ByteLevelModel } from './model.ts'

/** Pieces that are remembered. Rollouts repeat themselves: a few thousand pieces make nearly all of a dump. */
const MOST_PIECES = 1 << 16
/** Ids that are remembered for pieces of several ids, lengths included: one megabyte. */
const MOST_IDS = 1 << 18
/** UTF-16 code units of the longest piece that is remembered; longer ones seldom return. */
const LONGEST_REMEMBERED = 64
/** From this length on V8 keeps a part of a text as a view of it, and a remembered piece would keep the whole text alive. */
const VIEW = 13
const UTF8_PER_UNIT = 3

const utf8 = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Encodes the pieces that the pre-tokeniser cuts, remembering a bounded number of them. */
export class PieceEncoder {
  readonly #model: ByteLevelModel
  /** An id, or from -1 downwards the place of several in `#several`: -1 - place. */
  readonly #remembered = new Map<string, number>()
  /** Their number, then the ids. */
  readonly #several = new Int32Array(MOST_IDS)
  #used = 0
  #bytes = new Uint8Array(LONGEST_REMEMBERED * UTF8_PER_UNIT)
  #ids = new Int32Array(LONGEST_REMEMBERED * UTF8_PER_UNIT)

  constructor(model: ByteLevelModel) {
    this.#model = model
  }

  /** Appends the ids of a piece. */
  append(piece: string, to: number[]): void {
    const found = this.#remembered.get(piece)
    if (found === undefined) this.#appendNew(piece, to)
    else if (found >= 0) to.push(found)
    else {
      const several = this.#several
      const start = -found
      const end = start + (several[start - 1] as number)
      for (let i = start; i < end; i++) to.push(several[i] as number)
    }
  }

  #appendNew(piece: string, to: number[]): void {
    if (piece.length * UTF8_PER_UNIT > this.#bytes.length) this.#makeRoom(piece.length)
    const length = utf8.encodeInto(piece, this.#bytes).written
    const count = this.#encode(length)
    const ids = this.#ids
    for (let i = 0; i < count; i++) to.push(ids[i] as number)
    if (piece.length > LONGEST_REMEMBERED) {
      if (ids.length > MOST_IDS) this.#makeRoom(LONGEST_REMEMBERED)
    } else {
      this.#remember(piece.length < VIEW ? piece : decoder.decode(this.#bytes.subarray(0, length)), count)
    }
  }

  #makeRoom(units: number): void {
    this.#bytes = new Uint8Array(units * UTF8_PER_UNIT)
    this.#ids = new Int32Array(units * UTF8_PER_UNIT)
  }

  /** Turns the first `length` of `#bytes` into the first of `#ids` and returns the number of these. */
  #encode(length: number): number {
    const { byteIds, merges, wholes, longestWhole } = this.#model
    const bytes = this.#bytes
    const ids = this.#ids
    const whole = length <= longestWhole ? wholes?.get(spellBytes(bytes.subarray(0, length))) : undefined
    if (whole !== undefined) {
      ids[0] = whole
      return 1
    }
    for (let i = 0; i < length; i++) ids[i] = byteIds[bytes[i] as number] as number
    return mergeIds(ids, length, merges)
  }

  #remember(piece: string, count: number): void {
    if (this.#remembered.size === MOST_PIECES || this.#used + count + 1 > MOST_IDS) {
      this.#remembered.clear()
      this.#used = 0
    }
    if (count === 1) {
      this.#remembered.set(piece, this.#ids[0] as number)
    } else {
      this.#remembered.set(piece, -1 - this.#used)
      this.#several[this.#used] = count
      this.#several.set(this.#ids.subarray(0, count), this.#used + 1)
      this.#used += count + 1
    }
  }
}
