import type { SchemaElement } from 'hyparquet'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { ParquetWriter } from 'hyparquet-writer/src/parquet-writer.js'
import type { ExportSink } from './export-kind.ts'

/** A Parquet file that goes to a sink row group by row group, so that no more than one is held. */
export class ParquetFile {
  private constructor(
    readonly parquet: ParquetWriter,
    private readonly bytes: ByteWriter,
    private readonly sink: Awaited<ReturnType<ExportSink['open']>>,
  ) {}

  static async open(
    sink: ExportSink,
    name: string,
    schema: readonly SchemaElement[],
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<ParquetFile> {
    const bytes = new ByteWriter()
    const parquet = new ParquetWriter({
      writer: bytes,
      schema: [...schema],
      statistics: false,
      createdBy: 'rollout-inspector',
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    })
    return new ParquetFile(parquet, bytes, await sink.open(name))
  }

  /** Hands on what was written; offsets go on counting. */
  async flush(): Promise<void> {
    await this.sink.write(this.bytes.getBytes().slice())
    this.bytes.index = 0
  }

  async close(): Promise<void> {
    await this.parquet.finish()
    await this.flush()
    await this.sink.close()
  }
}
