/** Pieces that are remembered. Rollouts repeat themselves: this is more than ten megabytes of them have. */
const MOST_PIECES = 1 << 17
/** UTF-16 code units of the longest piece that is remembered; longer ones seldom return. */
export const LONGEST_REMEMBERED = 64
/** UTF-16 code units of all of them together, and ids of all that have several. */
const MOST_UNITS = 1 << 20
const MOST_IDS = 1 << 19
/** Twice as many slots as pieces, so that runs of taken slots are short. */
const SLOTS = MOST_PIECES * 2
/**
 * Integers a slot: hash, length of the piece (0 = free), where its code units begin, its id or -1 - the place of
 * several.
 */
const STRIDE = 4
/** Slots that are looked at for one piece: a text made to collide is slower by this much and no more. */
const MOST_PROBES = 16

/**
 * The ids of pieces met before, in at most eight megabytes; when these are full it forgets all and begins anew. Not a
 * `Map`, because that one takes most of the time of encoding, and holds on to the whole text that a longer piece was
 * cut from.
 */
export class PieceCache {
  readonly #slots = new Int32Array(SLOTS * STRIDE)
  readonly #units = new Uint16Array(MOST_UNITS)
  /** Of each piece of several ids their number, then the ids. */
  readonly #several = new Int32Array(MOST_IDS)
  #pieces = 0
  #unitsUsed = 0
  #severalUsed = 0

  /** Appends the ids of a piece; false, and nothing is appended, where it is not remembered. */
  append(piece: string, to: number[]): boolean {
    const at = this.#find(piece)
    if (at < 0) return false
    const slots = this.#slots
    if (slots[at + 1] === 0) return false
    const id = slots[at + 3] as number
    if (id >= 0) {
      to.push(id)
      return true
    }
    const several = this.#several
    const start = -id
    const end = start + (several[start - 1] as number)
    for (let i = start; i < end; i++) to.push(several[i] as number)
    return true
  }

  /**
   * Remembers the first `count` of `ids` for a piece that is not remembered yet; one that is too long or crowded out is
   * left.
   */
  remember(piece: string, ids: Int32Array, count: number): void {
    if (piece.length > LONGEST_REMEMBERED) return
    const full = this.#pieces === MOST_PIECES || this.#unitsUsed + piece.length > MOST_UNITS
    if (full || this.#severalUsed + count + 1 > MOST_IDS) this.#forget()
    const at = this.#find(piece)
    if (at < 0) return
    const slots = this.#slots
    slots[at] = hashOf(piece)
    slots[at + 1] = piece.length
    slots[at + 2] = this.#unitsUsed
    slots[at + 3] = count === 1 ? (ids[0] as number) : -1 - this.#severalUsed
    this.#pieces++
    for (let i = 0; i < piece.length; i++) this.#units[this.#unitsUsed++] = piece.charCodeAt(i)
    if (count === 1) return
    this.#several[this.#severalUsed] = count
    this.#several.set(ids.subarray(0, count), this.#severalUsed + 1)
    this.#severalUsed += count + 1
  }

  /** Where the piece is, or a free slot for it; -1 where it has neither. */
  #find(piece: string): number {
    const length = piece.length
    if (length > LONGEST_REMEMBERED) return -1
    const slots = this.#slots
    const hash = hashOf(piece)
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const at = ((hash + probe) & (SLOTS - 1)) * STRIDE
      const taken = slots[at + 1]
      if (taken === 0) return at
      if (slots[at] === hash && taken === length && this.#spells(slots[at + 2] as number, piece)) return at
    }
    return -1
  }

  #spells(start: number, piece: string): boolean {
    const units = this.#units
    for (let i = 0; i < piece.length; i++) if (units[start + i] !== piece.charCodeAt(i)) return false
    return true
  }

  #forget(): void {
    this.#slots.fill(0)
    this.#pieces = 0
    this.#unitsUsed = 0
    this.#severalUsed = 0
  }
}

/** Murmur3's last steps over a polynomial of the code units, 32 bits with sign. */
function hashOf(piece: string): number {
  let hash = piece.length
  for (let i = 0; i < piece.length; i++) hash = (Math.imul(hash, 0x01000193) ^ piece.charCodeAt(i)) | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}
