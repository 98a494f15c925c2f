const decoder = new TextDecoder()

/**
 * A table of FlatBuffers, the encoding of Arrow's messages. Every read is held to the message's bytes: `RangeError` where an
 * offset leads out of them or a vector declares more elements than they hold.
 */
export class FlatTable {
  private readonly vtable: number
  private readonly slots: number

  private constructor(
    private readonly view: DataView,
    private readonly pos: number,
  ) {
    this.vtable = pos - view.getInt32(pos, true)
    this.slots = view.getUint16(this.vtable, true)
  }

  /** The table that a message begins with. */
  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return new FlatTable(view, view.getUint32(0, true))
  }

  integer(slot: number, bits: 8 | 16 | 32 | 64, absent = 0): number {
    const at = this.at(slot)
    if (at === 0) return absent
    if (bits === 8) return this.view.getUint8(at)
    if (bits === 16) return this.view.getInt16(at, true)
    return bits === 32 ? this.view.getInt32(at, true) : long(this.view, at)
  }

  table(slot: number): FlatTable | null {
    const at = this.at(slot)
    return at === 0 ? null : new FlatTable(this.view, at + this.view.getUint32(at, true))
  }

  tables(slot: number): FlatTable[] {
    const { start, length } = this.vector(slot, 4)
    return Array.from({ length }, (_, i) => {
      const at = start + i * 4
      return new FlatTable(this.view, at + this.view.getUint32(at, true))
    })
  }

  /** Pairs of 64-bit integers, as field nodes and buffers are. */
  pairs(slot: number): [number, number][] {
    const { start, length } = this.vector(slot, 16)
    return Array.from({ length }, (_, i) => [long(this.view, start + i * 16), long(this.view, start + i * 16 + 8)])
  }

  longs(slot: number): number[] {
    const { start, length } = this.vector(slot, 8)
    return Array.from({ length }, (_, i) => long(this.view, start + i * 8))
  }

  text(slot: number): string {
    const { start, length } = this.vector(slot, 1)
    return decoder.decode(new Uint8Array(this.view.buffer, this.view.byteOffset + start, length))
  }

  /** Makes a vector one of no elements, in the message itself. */
  empty(slot: number): void {
    const at = this.at(slot)
    if (at !== 0) this.view.setUint32(at + this.view.getUint32(at, true), 0, true)
  }

  private at(slot: number): number {
    const entry = 4 + slot * 2
    if (entry + 2 > this.slots) return 0
    const offset = this.view.getUint16(this.vtable + entry, true)
    return offset === 0 ? 0 : this.pos + offset
  }

  private vector(slot: number, stride: number): { start: number; length: number } {
    const at = this.at(slot)
    if (at === 0) return { start: 0, length: 0 }
    const base = at + this.view.getUint32(at, true)
    const length = this.view.getUint32(base, true)
    if (base + 4 + length * stride > this.view.byteLength) {
      throw new RangeError(`a list of ${length} entries in a message of ${this.view.byteLength} bytes`)
    }
    return { start: base + 4, length }
  }
}

function long(view: DataView, at: number): number {
  const value = Number(view.getBigInt64(at, true))
  if (!Number.isSafeInteger(value)) throw new RangeError(`a length of ${value}`)
  return value
}
