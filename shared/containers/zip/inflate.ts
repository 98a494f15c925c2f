import { Decompress } from 'fzstd'
import { readStream } from '../bytes.ts'
import { joinBytes } from '../join-bytes.ts'
import { blockBytes, little, readFrameHeader } from '../zstd/frame.ts'

/** Decompresses one entry; throws whatever its host or library throws for damaged bytes. */
export type Inflate = (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array, void, undefined>

/** By the method's number in the archive: deflate, Zstandard (93, and 20 in archives from before 2020). */
export const METHODS: Readonly<Record<number, Inflate>> = { 8: inflateRaw, 20: inflateZstd, 93: inflateZstd }

/** Names of methods that are not read. */
export const METHOD_NAMES: Readonly<Record<number, string>> = {
  1: 'Shrink',
  6: 'Implode',
  9: 'Deflate64',
  12: 'BZip2',
  14: 'LZMA',
  95: 'XZ',
  98: 'PPMd',
}

async function* inflateRaw(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = chunks[Symbol.asyncIterator]()
  const compressed = new ReadableStream<BufferSource>({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      // A copy: the stream may hold on to what it is given.
      else controller.enqueue(new Uint8Array(value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
  yield* readStream(compressed.pipeThrough(new DecompressionStream('deflate-raw')))
}

/** Block by block, so that no more than one block is decompressed before the caller can stop. */
async function* inflateZstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  const all = joinBytes(parts)
  const out: Uint8Array[] = []
  for (let at = 0; at < all.length; ) {
    const header = readFrameHeader(all, at)
    if (header === null) throw new Error('a Zstandard frame is cut off')
    if (header.skippable) {
      at += header.length
      continue
    }
    const frame = new Decompress((chunk) => out.push(chunk))
    let end = at + header.length
    frame.push(all.subarray(at, end))
    for (let last = false; !last; ) {
      if (end + 3 > all.length) throw new Error('a Zstandard frame is cut off')
      const block = little(all, end, 3)
      const next = end + 3 + blockBytes(block)
      last = (block & 1) === 1
      const stop = Math.min(last && header.checksum ? next + 4 : next, all.length)
      frame.push(all.subarray(end, stop), last)
      yield* out.splice(0)
      end = stop
    }
    at = end
  }
}
