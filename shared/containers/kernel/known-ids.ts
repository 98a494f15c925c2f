/** Bytes that an id may have each; vocabularies have 262,144 ids at most. What is told of them lies behind. */
export const KNOWN_BYTES = 320 << 10
const TOLD_BYTES = 64
const [GENERATION, IDS] = [0, 1]

/** A byte for each id of a vocabulary, in memory that several threads may have: one of them writes what it learns of ids, the others read. */
export class KnownIds {
  private knower: object | null = null
  private bytes = new Uint8Array(0)
  private readonly told: Int32Array<ArrayBuffer>

  /** @param at where the bytes begin, of which there are `KNOWN_BYTES` */
  constructor(
    private readonly buffer: ArrayBuffer,
    readonly at: number,
  ) {
    this.told = new Int32Array(buffer, at + KNOWN_BYTES - TOLD_BYTES, 2)
  }

  /** The bytes, all 0 before anybody writes them, which stand until they are asked for by another `knower`; null where there is no room. */
  of(knower: object, ids: number): Uint8Array | null {
    if (ids > KNOWN_BYTES - TOLD_BYTES) return null
    if (this.knower !== knower) {
      Atomics.add(this.told, GENERATION, 1)
      this.bytes = new Uint8Array(this.buffer, this.at, ids).fill(0)
      Atomics.store(this.told, IDS, ids)
      Atomics.add(this.told, GENERATION, 1)
      this.knower = knower
    }
    return this.bytes
  }

  /** Another number whenever the bytes are of another knower; odd while they change, 0 before there are any. */
  get generation(): number {
    return Atomics.load(this.told, GENERATION)
  }

  /** How many ids have one. */
  get size(): number {
    return Atomics.load(this.told, IDS)
  }
}
