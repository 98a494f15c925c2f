import { PbfReader } from 'pbf'
import type { ByteSource } from '../../model/source.ts'
import type { RunLogKind } from './run-log-kind.ts'
import { SeriesBuilder } from './series.ts'

/** Before the content of a record: its length in 8 bytes, and a checksum in 4. Behind it another checksum. */
const FRAME = 12
const CHECKSUM = 4
/** Events of scalars have some hundred bytes; one with an image or a histogram is skipped whatever its size, up to this. */
const LARGEST = 256 << 20

/** Event files of TensorBoard (tensorflow/core/util/event.proto, framework/summary.proto): scalars by tag and step. */
export const tensorboard: RunLogKind = {
  id: 'tensorboard',
  title: 'TensorBoard events',
  recognise({ bytes }) {
    const version = new TextDecoder('latin1').decode(bytes.subarray(0, 64)).match(/brain\.Event:\d+/)
    return version === null ? null : `${version[0]} in its first record`
  },
  async read(source, evidence, signal) {
    const builder = new SeriesBuilder()
    const notes: string[] = []
    for await (const event of events(source, notes)) {
      signal?.throwIfAborted()
      readEvent(event, builder)
    }
    if (builder.isEmpty) return null
    const found = builder.finish()
    return { kind: this.id, title: this.title, evidence, series: found.series, notes: [...found.notes, ...notes] }
  },
}

async function* events(source: ByteSource, notes: string[]): AsyncGenerator<Uint8Array, void, undefined> {
  const WINDOW = 4 << 20
  let window: Uint8Array = new Uint8Array(0)
  let start = 0
  for (let at = 0; at < source.size; ) {
    if (at + FRAME > start + window.length) {
      start = at
      window = await source.slice(at, at + WINDOW)
    }
    if (window.length - (at - start) < FRAME) {
      notes.push(`It is cut off in the record at byte ${at}; what stands before it was read.`)
      return
    }
    const view = new DataView(window.buffer, window.byteOffset + at - start, FRAME)
    const length = Number(view.getBigUint64(0, true))
    const end = at + FRAME + length + CHECKSUM
    if (length > LARGEST || end > source.size) {
      notes.push(
        `The record at byte ${at} declares ${length} bytes, which are not there; what stands before it was read.`,
      )
      return
    }
    const whole = end <= start + window.length
    yield whole
      ? window.subarray(at - start + FRAME, at - start + FRAME + length)
      : await source.slice(at + FRAME, at + FRAME + length)
    at = end
  }
}

/** Field numbers as in event.proto and summary.proto. */
function readEvent(bytes: Uint8Array, builder: SeriesBuilder): void {
  try {
    const event = new PbfReader(bytes).readFields(
      (tag, result, pbf) => {
        if (tag === 2) result.step = pbf.readVarint(true)
        else if (tag === 5) result.summaries.push(pbf.readBytes())
      },
      { step: 0, summaries: [] as Uint8Array[] },
    )
    for (const summary of event.summaries) readSummary(summary, event.step, builder)
  } catch {
    // An event that is damaged tells nothing; the next one begins at a known place.
  }
}

function readSummary(bytes: Uint8Array, step: number, builder: SeriesBuilder): void {
  const values = new PbfReader(bytes).readFields((tag, result, pbf) => {
    if (tag === 1) result.push(pbf.readBytes())
  }, [] as Uint8Array[])
  for (const value of values) {
    const { name, scalar } = new PbfReader(value).readFields(
      (tag, result, pbf) => {
        if (tag === 1) result.name = pbf.readString()
        else if (tag === 2) result.scalar = pbf.readFloat()
        else if (tag === 8) result.scalar = scalarOf(pbf.readBytes()) ?? result.scalar
      },
      { name: '', scalar: null as number | null },
    )
    if (name !== '' && scalar !== null) builder.set(name, step, scalar)
  }
}

/** The number of a tensor that holds one (tensor.proto): PyTorch's newer writers store scalars so. */
function scalarOf(bytes: Uint8Array): number | null {
  const tensor = new PbfReader(bytes).readFields(
    (tag, result, pbf) => {
      if (tag === 1) result.type = pbf.readVarint()
      else if (tag === 4) result.content = pbf.readBytes()
      else if (tag === 5) result.value = pbf.type === 2 ? (pbf.readPackedFloat()[0] ?? null) : pbf.readFloat()
      else if (tag === 6) result.value = pbf.type === 2 ? (pbf.readPackedDouble()[0] ?? null) : pbf.readDouble()
    },
    { type: 0, content: null as Uint8Array | null, value: null as number | null },
  )
  if (tensor.value !== null || tensor.content === null) return tensor.value
  const { content } = tensor
  const view = new DataView(content.buffer, content.byteOffset, content.length)
  if (tensor.type === 1 && content.length === 4) return view.getFloat32(0, true)
  return tensor.type === 2 && content.length === 8 ? view.getFloat64(0, true) : null
}
