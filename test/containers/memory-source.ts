import { gzipSync } from 'node:zlib'
import { decodeRecords } from '../../shared/containers/decode.ts'
import { openContainer } from '../../shared/containers/open.ts'
import type { ByteSource } from '../../shared/model/source.ts'

/** A source in memory whose stream gives chunks of `chunkBytes`. */
export function memorySource(bytes: Uint8Array | string, chunkBytes = 1 << 16, name = 'rollouts'): ByteSource {
  const all = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
  return {
    name,
    size: all.length,
    slice: async (start, end) => all.slice(start, end),
    stream(start = 0) {
      let at = start
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          if (at >= all.length) return controller.close()
          controller.enqueue(all.slice(at, at + chunkBytes))
          at += chunkBytes
        },
      })
    },
  }
}

/** The same source, and how often a part of it was asked for. */
export function countingSlices(source: ByteSource): { readonly source: ByteSource; readonly slices: () => number } {
  let slices = 0
  const slice: ByteSource['slice'] = (start, end) => {
    slices++
    return source.slice(start, end)
  }
  return { source: { ...source, slice }, slices: () => slices }
}

export function gzipped(bytes: Uint8Array | string): Uint8Array {
  return new Uint8Array(gzipSync(bytes))
}

/** Everything in a source: the values of its good records with their places, and the bad ones. */
export async function readAll(source: ByteSource, batchBytes?: number, numericKeys: ReadonlySet<string> = new Set()) {
  const container = await openContainer(source)
  const records = []
  const skipped = []
  let batches = 0
  for await (const spans of container.index(batchBytes === undefined ? {} : { batchBytes })) {
    batches++
    const parsed = await decodeRecords(await container.read(spans), numericKeys)
    records.push(...parsed.records)
    skipped.push(...parsed.skipped)
  }
  return { id: container.id, records, skipped, batches, values: records.map((record) => record.value) }
}
