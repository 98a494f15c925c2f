import { afterEach, expect, test, vi } from 'vitest'
import { gzipPacking } from '../../shared/containers/gzip.ts'
import { GzipMember } from '../../shared/containers/gzip-member.ts'
import { gzipped, memorySource } from './memory-source.ts'

const START = { packed: 0, plain: 0 }

afterEach(() => vi.unstubAllGlobals())

/** A host that takes what is written at once and decompresses in another thread. Returns how many streams were asked of it. */
function decompressLater(milliseconds: number): { asked: number } {
  const Native = DecompressionStream
  const host = { asked: 0 }
  class Later {
    readonly readable: ReadableStream<Uint8Array>
    readonly writable: WritableStream<BufferSource>
    constructor(format: CompressionFormat) {
      host.asked++
      const native = new Native(format)
      this.writable = native.writable
      this.readable = native.readable.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          async transform(chunk, controller) {
            await new Promise((resolve) => setTimeout(resolve, milliseconds))
            controller.enqueue(chunk)
          },
        }),
      )
    }
  }
  vi.stubGlobal('DecompressionStream', Later)
  return host
}

test('joined gzip files are told apart where a host decompresses later than it takes what is written', async () => {
  const host = decompressLater(20)
  const parts = [1, 2, 3].map((n) => gzipped(`${n}`))
  const read: Uint8Array[] = []
  const source = memorySource(new Uint8Array(Buffer.concat(parts)))
  for await (const bytes of gzipPacking.decompress(source, START, {}, () => undefined)) read.push(bytes)
  expect(Buffer.concat(read).toString()).toBe('123')
  // Hosts differ in whether one stream reads what stands behind a member.
  expect(host.asked).toBe(3)
})

test('a member has the length that came out of it, and is not waited for where that is passed or can no more be reached', async () => {
  const text = 'a'.repeat(1000)
  const member = new GzipMember()
  await member.write(gzipped(text))
  expect(await member.hasLength(1000)).toBe(true)
  const before = performance.now()
  expect(await member.hasLength(999)).toBe(false)
  expect(await member.hasLength(2 ** 31)).toBe(false)
  expect(performance.now() - before).toBeLessThan(1000)
  await member.close()
})
