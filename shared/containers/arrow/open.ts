import { partitionPoint } from '../../model/partition-point.ts'
import type { ByteSource } from '../../model/source.ts'
import { type Container, type JsonObject, UnreadableSource } from '../container.ts'
import type { EncodedFailure } from '../decode.ts'
import { heldLimit } from '../packed-bytes.ts'
import { reasonOf } from '../reason.ts'
import { DEFAULT_BATCH_BYTES, rowSpans } from '../spans.ts'
import { wholeBuffer } from '../whole-buffer.ts'
import { cutRows } from './cut.ts'
import type { EncodedArrow, EncodedDictionary } from './decode.ts'
import { type BatchLayout, fileWithoutRows, type Message, readMessage } from './message.ts'
import { canCut, type Schema, schemaOf } from './types.ts'

const FILE_MAGIC = 'ARROW1'
const CONTINUES = 0xffffffff
/** A message's metadata lists columns; one of more than this is damaged. */
const MAX_METADATA_BYTES = 64 << 20

/** A record batch whose place is known. */
interface StoredBatch {
  readonly first: number
  readonly layout: BatchLayout
  /** Where its body begins. */
  readonly byte: number
  /** Its message ends here. */
  readonly end: number
  /** Those in force when it was written. */
  readonly dictionaries: readonly StoredDictionary[]
}

interface StoredDictionary extends Omit<EncodedDictionary, 'body'> {
  readonly byte: number
  readonly size: number
}

/** Opens an Arrow IPC stream or file. Throws `UnreadableSource` where it does not begin with a schema that can be read. */
export async function openArrow(source: ByteSource, maxUnpacked: number | null = null): Promise<Container> {
  const start = await startOf(source)
  const opened = await openMessages(source, start)
  const { schema } = opened
  const cuts = schema.fields.every(({ type }) => canCut(type))
  const batches = new Batches(source, opened.next, await endOf(source, start))
  return {
    id: 'arrow',
    source,
    metadata: metadataOf(schema),
    async *index({ batchBytes = DEFAULT_BATCH_BYTES, firstBatchBytes = batchBytes, signal, onBytes } = {}) {
      let limit = firstBatchBytes
      for (let i = 0; ; i++) {
        signal?.throwIfAborted()
        const batch = await batches.at(i)
        if (batch === null) break
        const { length } = batch.layout
        const whole = !cuts || batch.layout.compression !== null
        for (let from = 0; from < length; ) {
          const perRow = Math.max(1, (batch.end - batch.byte) / length)
          const count = whole ? length : Math.min(length - from, Math.max(1, Math.floor(limit / perRow)))
          yield rowSpans(batch.first + from, count, batch.byte)
          from += count
          limit = Math.min(limit * 2, batchBytes)
          onBytes?.(Math.round(batch.byte + ((batch.end - batch.byte) * from) / length))
        }
      }
      const { damage } = batches
      if (damage !== null) {
        yield {
          ...rowSpans(batches.rows, 1, damage.byte),
          damaged: { index: 0, code: 'damaged-arrow', message: damage.message },
        }
      }
      onBytes?.(source.size)
    },
    async read(spans) {
      const batch = batches.holding(spans.first)
      // The record that stands for the rest.
      if (batch === null) return { decoder: 'none', spans, bytes: [], code: 'damaged-arrow', message: '' }
      const shared = {
        decoder: 'arrow' as const,
        spans,
        schema: opened.message,
        stored: start === 0 ? ('stream' as const) : ('file' as const),
        dictionaries: await readDictionaries(source, batch),
        unpacked: heldLimit(source, maxUnpacked),
      }
      const from = spans.first - batch.first
      const { layout, byte, end } = batch
      if (!cuts || layout.compression !== null) {
        const body = wholeBuffer(await source.slice(byte, end))
        return { ...shared, bytes: [body], nodes: layout.nodes, layout, from } satisfies EncodedArrow
      }
      try {
        const { nodes, buffers } = await cutRows(
          schema.fields,
          layout,
          from,
          spans.offsets.length,
          async ({ offset, length }) => {
            const bytes = await source.slice(byte + offset, byte + offset + length)
            if (bytes.length < length) throw new RangeError('a column ends before it should')
            return bytes
          },
        )
        return { ...shared, bytes: buffers.map(wholeBuffer), nodes, layout: null, from: 0 } satisfies EncodedArrow
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        return {
          decoder: 'none',
          spans,
          bytes: [],
          code: 'damaged-arrow',
          message: error.message,
        } satisfies EncodedFailure
      }
    },
  }
}

/** Finds record batches one after another, as far as they are asked for. */
class Batches {
  damage: { readonly byte: number; readonly message: string } | null = null
  /** Of all batches found so far. */
  rows = 0
  private readonly found: StoredBatch[] = []
  private dictionaries: readonly StoredDictionary[] = []
  private ended = false
  private turn: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly source: ByteSource,
    private next: number,
    private readonly end: number,
  ) {}

  async at(index: number): Promise<StoredBatch | null> {
    const search = this.turn.then(async () => {
      while (this.found.length <= index && !this.ended) await this.step()
    })
    this.turn = search.catch(() => undefined)
    await search
    return this.found[index] ?? null
  }

  holding(record: number): StoredBatch | null {
    const batch =
      this.found[partitionPoint(this.found.length, (i) => (this.found[i] as StoredBatch).first <= record) - 1]
    return batch !== undefined && record < batch.first + batch.layout.length ? batch : null
  }

  private async step(): Promise<void> {
    const at = this.next
    let message: StoredMessage | null
    try {
      message = await readAt(this.source, at, this.end)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      this.ended = true
      this.damage = {
        byte: at,
        message: `the message at byte ${at} cannot be read (${error.message}); nothing after it can be. Copy or write the file again.`,
      }
      return
    }
    if (message === null) {
      this.ended = true
      return
    }
    const { body, content } = message
    this.next = body + content.body
    if (content.kind === 'records') {
      const { layout } = content
      this.found.push({ first: this.rows, layout, byte: body, end: this.next, dictionaries: this.dictionaries })
      this.rows += layout.length
    } else if (content.kind === 'dictionary') {
      const { id, delta, layout } = content
      const kept = delta ? this.dictionaries : this.dictionaries.filter((other) => other.id !== id)
      this.dictionaries = [...kept, { id, delta, layout, byte: body, size: content.body }]
    }
  }
}

interface StoredMessage {
  /** Where its body begins. */
  readonly body: number
  readonly content: Message
  /** Prefix and metadata, as stored. */
  readonly head: Uint8Array
}

/** The message at `at`, null at the end. Throws `RangeError` where it is damaged or cut off. */
async function readAt(source: ByteSource, at: number, end: number): Promise<StoredMessage | null> {
  const ahead = await source.slice(at, Math.min(end, at + 4096))
  if (ahead.length === 0) return null
  const cutOff = () => new RangeError('it is cut off')
  if (ahead.length < 4) throw cutOff()
  const view = new DataView(ahead.buffer, ahead.byteOffset, ahead.byteLength)
  const continues = view.getUint32(0, true) === CONTINUES
  if (continues && ahead.length < 8) throw cutOff()
  const prefix = continues ? 8 : 4
  const length = view.getInt32(prefix - 4, true)
  if (length === 0) return null
  if (length < 0 || length > MAX_METADATA_BYTES) throw new RangeError(`it declares ${length} bytes of metadata`)
  if (at + prefix + length > end) throw cutOff()
  const head =
    prefix + length <= ahead.length ? ahead.slice(0, prefix + length) : await source.slice(at, at + prefix + length)
  const content = readMessage(wholeBuffer(head.slice(prefix)))
  const body = at + prefix + length
  if (body + content.body > end) throw cutOff()
  return { body, content, head: wholeBuffer(head) }
}

async function openMessages(source: ByteSource, start: number) {
  try {
    const message = await readAt(source, start, source.size)
    if (message?.content.kind !== 'schema') {
      // arrow-js leaves the schema of a file to its footer.
      const footer = start > 0 && message !== null ? await readFooter(source) : null
      if (footer === null) throw new RangeError('it does not begin with a schema')
      const bytes = fileWithoutRows(footer)
      return { message: bytes, schema: schemaOf(bytes), next: start }
    }
    return { message: message.head, schema: schemaOf(message.head), next: message.body + message.content.body }
  } catch (error) {
    throw new UnreadableSource(
      'damaged-arrow',
      `${source.name} is an Arrow ${start === 0 ? 'stream' : 'file'} whose schema cannot be read (${reasonOf(error)}). Copy or write the file again.`,
    )
  }
}

/** A file is a stream between a magic and a footer. */
async function startOf(source: ByteSource): Promise<number> {
  const head = await source.slice(0, 6)
  return new TextDecoder('latin1').decode(head) === FILE_MAGIC ? 8 : 0
}

async function endOf(source: ByteSource, start: number): Promise<number> {
  const footer = start === 0 ? null : await readFooter(source)
  return footer === null ? source.size : source.size - 10 - footer.length
}

/** What ends a file, null where that is cut off. */
async function readFooter(source: ByteSource): Promise<Uint8Array | null> {
  const tail = source.size < 18 ? new Uint8Array(0) : await source.slice(source.size - 10, source.size)
  if (tail.length < 10 || new TextDecoder('latin1').decode(tail.subarray(4)) !== FILE_MAGIC) return null
  const length = new DataView(tail.buffer, tail.byteOffset, 4).getInt32(0, true)
  const start = source.size - 10 - length
  return length > 0 && length <= MAX_METADATA_BYTES && start >= 8 ? source.slice(start, source.size - 10) : null
}

function metadataOf({ metadata }: Schema): JsonObject | null {
  return metadata === null || metadata === undefined ? null : Object.fromEntries(metadata)
}

async function readDictionaries(source: ByteSource, { dictionaries }: StoredBatch): Promise<EncodedDictionary[]> {
  return Promise.all(
    dictionaries.map(async ({ id, delta, layout, byte, size }) => ({
      id,
      delta,
      layout,
      body: wholeBuffer(await source.slice(byte, byte + size)),
    })),
  )
}
