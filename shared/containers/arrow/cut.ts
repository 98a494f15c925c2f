import type { BatchLayout, Region } from './message.ts'
import { type DataType, type Field, shapeOf } from './types.ts'

/** Columns of some rows, in the order in which Arrow lists nodes and buffers. */
export interface CutColumns {
  readonly nodes: { readonly length: number; readonly nulls: number }[]
  readonly buffers: Uint8Array[]
}

/**
 * Cuts `count` rows from `from` on out of a batch, reading the bytes of these rows alone. `read` gives bytes of the batch's body.
 * Throws `RangeError` where offsets contradict each other.
 */
export async function cutRows(
  fields: readonly Field[],
  layout: BatchLayout,
  from: number,
  count: number,
  read: (region: Region) => Promise<Uint8Array>,
): Promise<CutColumns> {
  const cutter = new Cutter(layout, read)
  for (const { name, type } of fields) {
    await cutter.cut(type, from, count).catch((error: unknown) => {
      throw error instanceof RangeError ? new RangeError(`column ${name}: ${error.message}`) : error
    })
  }
  return { nodes: cutter.nodes, buffers: cutter.buffers }
}

class Cutter {
  readonly nodes: { length: number; nulls: number }[] = []
  readonly buffers: Uint8Array[] = []
  private node = 0
  private buffer = 0

  constructor(
    private readonly layout: BatchLayout,
    private readonly read: (region: Region) => Promise<Uint8Array>,
  ) {}

  async cut(type: DataType, from: number, count: number): Promise<void> {
    const node = this.layout.nodes[this.node++]
    if (node === undefined || from + count > node.length) {
      throw new RangeError(`${from + count} values are expected of a column of ${node?.length ?? 0}`)
    }
    const shape = shapeOf(type)
    if (shape.kind === 'null') {
      this.nodes.push({ length: count, nulls: count })
      return
    }
    const validity = await this.bits(this.next(), from, node.nulls === 0 ? 0 : count)
    this.nodes.push({ length: count, nulls: node.nulls === 0 ? 0 : count - ones(validity, count) })
    this.buffers.push(validity)
    if (shape.kind === 'fixed') {
      const { bits } = shape
      const values = this.next()
      this.buffers.push(
        bits === 1
          ? await this.bits(values, from, count)
          : await this.bytes(values, (from * bits) / 8, (count * bits) / 8),
      )
    } else if (shape.kind === 'offsets') {
      const { offsets, start, end } = await this.offsets(this.next(), from, count, shape.wide)
      this.buffers.push(offsets)
      if (shape.child === null) this.buffers.push(await this.bytes(this.next(), start, end - start))
      else await this.cut(shape.child, start, end - start)
    } else if (shape.kind === 'children') {
      for (const child of shape.children) await this.cut(child, from * shape.times, count * shape.times)
    } else throw new RangeError('a column that cannot be cut')
  }

  private next(): Region {
    const region = this.layout.buffers[this.buffer++]
    if (region === undefined) throw new RangeError('a column has no buffer')
    return region
  }

  private async bytes({ offset, length }: Region, from: number, count: number): Promise<Uint8Array> {
    if (count === 0) return new Uint8Array(0)
    if (from + count > length) throw new RangeError(`bytes ${from} to ${from + count} of a column of ${length} bytes`)
    return this.read({ offset: offset + from, length: count })
  }

  private async bits(region: Region, from: number, count: number): Promise<Uint8Array> {
    if (count === 0) return new Uint8Array(0)
    const first = from >> 3
    const bytes = await this.bytes(region, first, Math.ceil((from + count) / 8) - first)
    const shift = from & 7
    if (shift === 0) return bytes
    const shifted = new Uint8Array(Math.ceil(count / 8))
    for (let i = 0; i < shifted.length; i++)
      shifted[i] = ((bytes[i] as number) >> shift) | ((bytes[i + 1] ?? 0) << (8 - shift))
    return shifted
  }

  private async offsets(region: Region, from: number, count: number, wide: boolean) {
    const width = wide ? 8 : 4
    // An empty column may have no offsets at all.
    if (count === 0 && region.length === 0) return { offsets: new Uint8Array(width), start: 0, end: 0 }
    const bytes = await this.bytes(region, from * width, (count + 1) * width)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const at = (i: number) => (wide ? Number(view.getBigInt64(i * 8, true)) : view.getInt32(i * 4, true))
    const start = at(0)
    const rebased = wide ? new BigInt64Array(count + 1) : new Int32Array(count + 1)
    let before = start
    for (let i = 0; i <= count; i++) {
      const offset = at(i)
      if (!(offset >= before && offset >= 0)) throw new RangeError(`a value begins at ${before} and ends at ${offset}`)
      if (wide) (rebased as BigInt64Array)[i] = BigInt(offset - start)
      else (rebased as Int32Array)[i] = offset - start
      before = offset
    }
    return { offsets: new Uint8Array(rebased.buffer), start, end: before }
  }
}

function ones(bits: Uint8Array, count: number): number {
  let sum = 0
  for (let i = 0; i < count; i++) sum += ((bits[i >> 3] as number) >> (i & 7)) & 1
  return sum
}
