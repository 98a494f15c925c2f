import { afterEach, describe, expect, it, vi } from 'vitest'
import { byteSource } from '../../renderer/engine/byte-sources.ts'

const BYTES = Uint8Array.from({ length: 100 }, (_, k) => k)

afterEach(() => vi.unstubAllGlobals())

async function all(stream: ReadableStream<Uint8Array>): Promise<number[]> {
  const read: number[] = []
  for await (const chunk of stream) read.push(...chunk)
  return read
}

/** A server of `BYTES`; one without ranges answers every request with all of it. */
function server({ ranges = true, status = 0 } = {}) {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (_url: string, init: { headers: { Range: string } }) => {
    asked.push(init.headers.Range)
    if (status !== 0) return new Response('no', { status, statusText: 'Gone' })
    const [, start, end] = /bytes=(\d+)-(\d+)/.exec(init.headers.Range) as RegExpExecArray
    return ranges
      ? new Response(BYTES.slice(Number(start), Number(end) + 1), { status: 206 })
      : new Response(BYTES, { status: 200 })
  })
  return asked
}

describe('bytes of a page', () => {
  it('come from a file, from anywhere in it', async () => {
    const source = byteSource({ kind: 'file', name: 'a', file: new File([BYTES], 'a') })
    expect(source.size).toBe(100)
    expect([...(await source.slice(3, 6))]).toEqual([3, 4, 5])
    expect(await all(source.stream(97))).toEqual([97, 98, 99])
  })

  it('of a file that changed meanwhile are missed in a sentence, also where all of it is read', async () => {
    const file = new File([BYTES], 'a')
    const gone = () =>
      Promise.reject(new DOMException('A requested file or directory could not be found', 'NotFoundError'))
    const blob = { arrayBuffer: gone, stream: () => new ReadableStream({ pull: gone }) } as unknown as Blob
    vi.spyOn(file, 'slice').mockReturnValue(blob)
    const source = byteSource({ kind: 'file', name: 'run.jsonl', file })
    const sentence = 'run.jsonl changed or was moved while it was being read. Open it again.'
    await expect(source.slice(3, 6)).rejects.toThrow(sentence)
    await expect(all(source.stream())).rejects.toThrow(sentence)
  })

  it('come from an address by range, clamped to the size', async () => {
    const asked = server()
    const source = byteSource({ kind: 'url', name: 'a', url: 'http://x/a', size: 100 })
    expect([...(await source.slice(98, 200))]).toEqual([98, 99])
    expect(await source.slice(100, 200)).toHaveLength(0)
    expect((await all(source.stream(95))).at(0)).toBe(95)
    expect(asked).toEqual(['bytes=98-99', 'bytes=95-99'])
  })

  it('are never taken from the wrong place when a server knows no ranges', async () => {
    server({ ranges: false })
    const source = byteSource({ kind: 'url', name: 'far.jsonl', url: 'http://x/a', size: 100 })
    await expect(source.slice(50, 60)).rejects.toThrow(/far\.jsonl: the server/)
    expect(await all(source.stream())).toHaveLength(100)
  })

  it('say what to do when an address has nothing any more', async () => {
    server({ status: 410 })
    const source = byteSource({ kind: 'url', name: 'far.jsonl', url: 'http://x/a', size: 100 })
    await expect(source.slice(0, 10)).rejects.toThrow(/far\.jsonl could not be read \(410 Gone\)/)
  })

  it('say what their host says, where it cannot open the file now', async () => {
    vi.stubGlobal('fetch', async () => new Response('Too many files are open here.\n', { status: 503 }))
    const source = byteSource({ kind: 'url', name: 'far.jsonl', url: 'http://x/a', size: 100 })
    await expect(source.slice(0, 10)).rejects.toThrow('far.jsonl could not be read: Too many files are open here.')
  })

  it('are missed in a sentence where what they are served by is ended in the middle of an answer', async () => {
    vi.stubGlobal('fetch', async () => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(BYTES.slice(0, 10)),
        pull: (controller) => controller.error(new TypeError('network error')),
      })
      return new Response(body, { status: 206 })
    })
    const source = byteSource({ kind: 'url', name: 'far.jsonl', url: 'http://x/a', size: 100 })
    const sentence = 'far.jsonl could not be read: what it is served by does not answer.'
    await expect(source.slice(0, 50)).rejects.toThrow(sentence)
    await expect(all(source.stream())).rejects.toThrow(sentence)
  })

  it('are refused when no file arrived', () => {
    expect(() => byteSource({ kind: 'file', name: 'a', file: {} })).toThrow(/did not arrive as a file/)
  })
})
