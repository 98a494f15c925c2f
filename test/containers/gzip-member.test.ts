import { afterEach, expect, test, vi } from 'vitest'
import { gzipPacking } from '../../shared/containers/gzip.ts'
import { GzipMember } from '../../shared/containers/gzip-member.ts'
import { gzipped, memorySource, readAll } from './memory-source.ts'

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

/** A host that takes pieces at once, as streams of Node do up to 16 KiB, and hears of what is wrong with them only later. */
function failLater(milliseconds: number): void {
  const Native = DecompressionStream
  class Later {
    readonly readable: ReadableStream<Uint8Array>
    readonly writable: WritableStream<BufferSource>
    constructor(format: CompressionFormat) {
      const native = new Native(format)
      const writer = native.writable.getWriter()
      let last: Promise<void> = Promise.resolve()
      const later = async (bytes: BufferSource) => {
        await new Promise((resolve) => setTimeout(resolve, milliseconds))
        await writer.write(bytes)
      }
      this.readable = native.readable
      this.writable = new WritableStream<BufferSource>({
        write(bytes, controller) {
          last = last.then(() => later(bytes))
          last.catch((reason: unknown) => controller.error(reason))
        },
        async close() {
          await last
          await writer.close()
        },
        abort: (reason) => writer.abort(reason),
      })
    }
  }
  vi.stubGlobal('DecompressionStream', Later)
}

test.each([1, 3, 8])('bytes behind a member are told of where the host fails later, in %i pieces', async (pieces) => {
  failLater(15)
  const garbage = Uint8Array.from('\x01garbage, and more of it', (each) => each.charCodeAt(0))
  const bytes = new Uint8Array(Buffer.concat([gzipped('{"a":1}\n'.repeat(50)), garbage]))
  const behind = Math.ceil(garbage.length / pieces)
  const read = await readAll(memorySource(bytes, behind))
  expect(read.values).toHaveLength(50)
  expect(read.skipped.map(({ code }) => code)).toEqual(['trailing-garbage'])
})

test('a member that was cut is told as that where the host takes pieces at once', async () => {
  failLater(15)
  const whole = gzipped('{"a":1}\n'.repeat(50))
  const read = await readAll(memorySource(whole.slice(0, -6), 16))
  expect(read.skipped.map(({ code }) => code)).toEqual(['damaged-gzip'])
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
