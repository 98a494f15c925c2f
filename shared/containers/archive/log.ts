import type { ByteSource } from '../../model/source.ts'
import { type Container, type JsonObject, UnreadableSource } from '../container.ts'
import type { Failure } from '../decode.ts'
import { parseJson } from '../json.ts'
import { DEFAULT_BATCH_BYTES, SpansBuilder } from '../spans.ts'
import { wholeBuffer } from '../whole-buffer.ts'
import type { ZipEntry } from '../zip/directory.ts'
import { ZipError } from '../zip/error.ts'
import { openZip, type ZipLimits } from '../zip/open.ts'

/**
 * Opens a log of Inspect, which is an archive: every sample of it is a record, in the order of the archive; the metadata is its
 * `header.json`, or of a run that has not ended `_journal/start.json`. Throws `UnreadableSource` and `ZipError`.
 */
export async function openLog(source: ByteSource, limits: ZipLimits): Promise<Container> {
  const archive = await openZip(source, limits)
  const samples = archive.entries.filter(({ name }) => /^samples\/.+\.json$/.test(name))
  const header = archive.entry('header.json') ?? archive.entry('_journal/start.json')
  const metadata = header === undefined ? null : await read(header)
  if (samples.length === 0) {
    throw new UnreadableSource(
      'empty',
      `${source.name} is a log of Inspect without a sample in it. Check that the run had begun.`,
    )
  }

  async function read(entry: ZipEntry): Promise<JsonObject | null> {
    const bytes = await archive.read(entry)
    const value = parseJson(bytes, 0, bytes.length)
    return value !== null && typeof value === 'object' && !Array.isArray(value) && !ArrayBuffer.isView(value)
      ? value
      : null
  }

  return {
    id: 'zip',
    source,
    metadata,
    async *index({ batchBytes = DEFAULT_BATCH_BYTES, firstBatchBytes = batchBytes, signal, onBytes } = {}) {
      // Sizes count when they are decompressed; places are those in the archive.
      const builder = new SpansBuilder({ first: firstBatchBytes, most: batchBytes })
      let sum = 0
      for (const { bytes, header: byte, compressed } of samples) {
        signal?.throwIfAborted()
        const full = builder.add(sum, bytes, 0)
        sum += bytes
        if (full !== null) yield placed(full, samples)
        onBytes?.(Math.min(source.size, byte + compressed))
      }
      const rest = builder.finish()
      if (rest !== null) yield placed(rest, samples)
      onBytes?.(source.size)
    },
    async read(spans) {
      const bytes: Uint8Array[] = []
      const failures: (Failure | null)[] = []
      for (let i = 0; i < spans.offsets.length; i++) {
        const entry = samples[spans.first + i] as ZipEntry
        try {
          bytes.push(wholeBuffer(await archive.read(entry)))
          failures.push(null)
        } catch (error) {
          if (!(error instanceof ZipError)) throw error
          bytes.push(new Uint8Array(0))
          failures.push({ code: error.code, message: error.message })
        }
      }
      return { decoder: 'texts', spans, bytes, failures }
    },
  }
}

function placed<Spans extends { readonly first: number; readonly offsets: Float64Array }>(
  spans: Spans,
  samples: readonly ZipEntry[],
): Spans {
  for (let i = 0; i < spans.offsets.length; i++) spans.offsets[i] = samples[spans.first + i]?.header ?? 0
  return spans
}
