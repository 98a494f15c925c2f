import type { ByteSource } from '../model/source.ts'
import { type ContainerBytes, DamagedBytes } from './bytes.ts'

/**
 * What is inside a compressed file, as a source of its own: for containers that must be read at places. It is decompressed once to know
 * its size. Where it is damaged, it ends where the damage begins.
 */
export async function unpackedSource(name: string, bytes: ContainerBytes, signal?: AbortSignal): Promise<ByteSource> {
  let size = 0
  let refused: DamagedBytes | null = null
  try {
    for await (const chunk of bytes.chunks({ signal })) size += chunk.length
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error
    refused = error
  }
  if (refused?.code === 'unpacked-limit') throw refused
  return sourceOfBytes(name, size, bytes)
}

/** Decompressed bytes of known number as a source. Its stream breaks off with `DamagedBytes` where they do. */
export function sourceOfBytes(name: string, size: number, bytes: ContainerBytes): ByteSource {
  return {
    name,
    size,
    ...(bytes.packedIn === undefined ? {} : { packedIn: bytes.packedIn }),
    slice: (start, end) => bytes.slice(Math.min(start, size), Math.min(end, size)),
    stream(start = 0) {
      let chunks: AsyncGenerator<Uint8Array, void, undefined> | null = null
      let skip = start
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          chunks ??= bytes.chunks({})
          for (;;) {
            const next = await chunks.next()
            if (next.done) return controller.close()
            const rest = next.value.subarray(Math.min(skip, next.value.length))
            skip -= next.value.length - rest.length
            if (rest.length > 0) return controller.enqueue(new Uint8Array(rest))
          }
        },
        async cancel() {
          await chunks?.return()
        },
      })
    },
  }
}
