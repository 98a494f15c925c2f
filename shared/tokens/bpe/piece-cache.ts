/** Pieces that are remembered. Rollouts repeat themselves: this is more than ten megabytes of them have. */
const MOST_PIECES = 1 << 17
/** Bytes of the longest piece that is remembered; longer ones seldom return. */
export const LONGEST_REMEMBERED = 64
/** Bytes of the pieces that fit into their slot. */
const SHORT = 8
/** Bytes of all longer ones together, and ids of all that have several. */
const MOST_BYTES = 1 << 21
const MOST_IDS = 1 << 19
/** Twice as many slots as pieces, so that runs of taken slots are short. */
const SLOTS = MOST_PIECES * 2
/**
 * Integers a slot. Of a short piece its two words, of a longer one its hash and where its bytes begin; then its length (0 = free),
 * and its id or -1 - the place of several.
 */
const STRIDE = 4
/** Slots that are looked at for one piece: a text made to collide is slower by this much and no more. */
const MOST_PROBES = 16

/** What a piece of so many bytes leaves of the two words that begin where it does. */
const FIRST_WORD = Int32Array.of(0, 0xff, 0xffff, 0xffffff, -1, -1, -1, -1, -1)
const SECOND_WORD = Int32Array.of(0, 0, 0, 0, 0, 0xff, 0xffff, 0xffffff, -1)

/**
 * The ids of pieces met before, by their bytes, in at most eight megabytes; when these are full it forgets all and begins anew. Not a
 * `Map`, because that one takes most of the time of encoding, and wants a text made of each piece.
 */
export class PieceCache {
  readonly #slots = new Int32Array(SLOTS * STRIDE)
  readonly #own = new Uint8Array(MOST_BYTES)
  /** Of each piece of several ids their number, then the ids. */
  readonly #several = new Int32Array(MOST_IDS)
  #pieces = 0
  #ownUsed = 0
  #severalUsed = 0
  #bytes: Uint8Array = this.#own
  #words: DataView = new DataView(this.#own.buffer)
  /** Of the piece that was looked for last. */
  #first = 0
  #second = 0

  /** The bytes that pieces are parts of from now on. */
  read(bytes: Uint8Array): void {
    if (bytes === this.#bytes) return
    this.#bytes = bytes
    this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Appends the ids of the piece from `start` to `end`; false, and nothing is appended, where it is not remembered. */
  append(start: number, end: number, to: number[]): boolean {
    const at = this.#find(start, end)
    if (at < 0) return false
    const slots = this.#slots
    if (slots[at + 2] === 0) return false
    const id = slots[at + 3] as number
    if (id >= 0) {
      to.push(id)
      return true
    }
    const several = this.#several
    const from = -id
    const until = from + (several[from - 1] as number)
    for (let i = from; i < until; i++) to.push(several[i] as number)
    return true
  }

  /**
   * Remembers the first `count` of `ids` for a piece that is not remembered yet; one that is too long or crowded out is
   * left.
   */
  remember(start: number, end: number, ids: Int32Array, count: number): void {
    const length = end - start
    if (length > LONGEST_REMEMBERED) return
    const full = this.#pieces === MOST_PIECES || this.#ownUsed + length > MOST_BYTES
    if (full || this.#severalUsed + count + 1 > MOST_IDS) this.#forget()
    const at = this.#find(start, end)
    if (at < 0) return
    const slots = this.#slots
    slots[at] = this.#first
    slots[at + 1] = length <= SHORT ? this.#second : this.#ownUsed
    slots[at + 2] = length
    slots[at + 3] = count === 1 ? (ids[0] as number) : -1 - this.#severalUsed
    this.#pieces++
    if (length > SHORT) {
      this.#own.set(this.#bytes.subarray(start, end), this.#ownUsed)
      this.#ownUsed += length
    }
    if (count === 1) return
    this.#several[this.#severalUsed] = count
    this.#several.set(ids.subarray(0, count), this.#severalUsed + 1)
    this.#severalUsed += count + 1
  }

  /** Where the piece is, or a free slot for it; -1 where it has neither. */
  #find(start: number, end: number): number {
    const length = end - start
    if (length <= SHORT) return this.#findShort(start, length)
    if (length > LONGEST_REMEMBERED) return -1
    const slots = this.#slots
    const hash = this.#hash(start, end)
    this.#first = hash
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const at = ((hash + probe) & (SLOTS - 1)) * STRIDE
      const taken = slots[at + 2]
      if (taken === 0) return at
      if (slots[at] === hash && taken === length && this.#spells(slots[at + 1] as number, start, end)) return at
    }
    return -1
  }

  #findShort(start: number, length: number): number {
    const slots = this.#slots
    const first = this.#word(start) & (FIRST_WORD[length] as number)
    const second = this.#word(start + 4) & (SECOND_WORD[length] as number)
    this.#first = first
    this.#second = second
    const hash = mixed(Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x01000193) ^ length)
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const at = ((hash + probe) & (SLOTS - 1)) * STRIDE
      const taken = slots[at + 2]
      if (taken === 0) return at
      if (slots[at] === first && slots[at + 1] === second && taken === length) return at
    }
    return -1
  }

  /** Four bytes, zeros where there are none. */
  #word(at: number): number {
    const words = this.#words
    const rest = words.byteLength - at
    if (rest >= 4) return words.getInt32(at, true)
    let word = 0
    for (let i = 0; i < rest; i++) word |= words.getUint8(at + i) << (8 * i)
    return word
  }

  #hash(start: number, end: number): number {
    let hash = end - start
    for (let at = start; at < end; at += 4) {
      const left = end - at
      hash = Math.imul(hash, 0x01000193) ^ (left >= 4 ? this.#word(at) : this.#word(at) & (FIRST_WORD[left] as number))
    }
    return mixed(hash)
  }

  #spells(from: number, start: number, end: number): boolean {
    const bytes = this.#bytes
    const own = this.#own
    for (let i = start, at = from; i < end; i++, at++) if (own[at] !== bytes[i]) return false
    return true
  }

  #forget(): void {
    this.#slots.fill(0)
    this.#pieces = 0
    this.#ownUsed = 0
    this.#severalUsed = 0
  }
}

/** Murmur3's last steps, 32 bits with sign. */
function mixed(bits: number): number {
  let hash = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
