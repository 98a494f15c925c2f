import { type Table, tableToIPC } from '@uwdata/flechette'
import { Builder } from '@uwdata/flechette/src/encode/builder.js'
import { writeFooter } from '@uwdata/flechette/src/encode/footer.js'
import { type Message, readMessage } from '../containers/arrow/message.ts'
import type { Schema } from '../containers/arrow/types.ts'
import type { ExportWriter } from './export-kind.ts'

/** Bytes before a message's metadata: a mark, and their length. */
const PREFIX = 8
const END_OF_STREAM = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0)
/** `ARROW1`, filled up to eight bytes. */
const FILE_START = Uint8Array.of(0x41, 0x52, 0x52, 0x4f, 0x57, 0x31, 0, 0)

/** Where a record batch lies in the file. */
interface Block {
  readonly offset: number
  readonly metadataLength: number
  readonly bodyLength: number
}

/**
 * A stream or a file of Arrow IPC that goes to a writer batch by batch, so that no more than one is held. Its tables have no dictionaries:
 * a file holds one of each before all batches, which is not whole before the last row.
 */
export class ArrowFile {
  private readonly blocks: Block[] = []
  private bytes = 0

  constructor(
    private readonly writer: ExportWriter,
    private readonly schema: Schema,
    private readonly format: 'stream' | 'file',
  ) {}

  /** Writes the rows of a table of the schema. */
  async add(table: Table): Promise<void> {
    if (this.bytes === 0 && this.format === 'file') await this.put(FILE_START)
    const isFirst = this.blocks.length === 0
    for (const { kind, bytes, metadataLength } of messagesOf(table)) {
      if (kind === 'records') {
        this.blocks.push({ offset: this.bytes, metadataLength, bodyLength: bytes.length - metadataLength })
      } else if (!isFirst) {
        continue
      }
      await this.put(bytes)
    }
  }

  /** Ends the file; without this it cannot be read. */
  async close(): Promise<void> {
    await this.put(END_OF_STREAM)
    if (this.format === 'file') {
      const parts: Uint8Array[] = []
      const builder = new Builder({
        write: (part) => void parts.push(part.slice()),
        pad: (count) => void parts.push(new Uint8Array(count)),
        finish: () => null,
      })
      writeFooter(builder, this.schema, [], this.blocks, null)
      for (const part of parts) await this.put(part)
    }
    await this.writer.close()
  }

  private async put(bytes: Uint8Array): Promise<void> {
    await this.writer.write(bytes)
    this.bytes += bytes.length
  }
}

/** The messages of a table as a stream has them, each with its body, without the mark of the end. */
function* messagesOf(table: Table): Generator<{ kind: Message['kind']; bytes: Uint8Array; metadataLength: number }> {
  const stream = tableToIPC(table, { format: 'stream' })
  if (stream === null) throw new Error('The rows could not be written.')
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength)
  for (let at = 0; at + PREFIX < stream.length; ) {
    const metadataLength = PREFIX + view.getInt32(at + 4, true)
    const { kind, body } = readMessage(stream.subarray(at + PREFIX, at + metadataLength))
    yield { kind, bytes: stream.subarray(at, at + metadataLength + body), metadataLength }
    at += metadataLength + body
  }
}
