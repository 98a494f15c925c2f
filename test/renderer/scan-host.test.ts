import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { scanHost } from '../../renderer/engine/scan-host.ts'
import { INPUT_BYTES } from '../../shared/containers/kernel/kernel.ts'

const BYTES = Uint8Array.from({ length: INPUT_BYTES + 300_000 }, (_, at) => (at * 31) % 251)
const ADDRESS = { name: 'far.jsonl', url: 'http://x/a', size: BYTES.length }
/** As they come from a server: of no size that anybody asked for. */
const PIECE = 70_001

/** A server of `BYTES` that breaks off behind `until` of them. Tells what was asked for, and how often nobody wanted the rest. */
function server(until = Number.POSITIVE_INFINITY) {
  const log = { asked: [] as string[], cancelled: 0 }
  vi.stubGlobal('fetch', async (_: string, { headers }: { headers: { Range: string } }) => {
    log.asked.push(headers.Range)
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= until) return controller.error(new TypeError('network error'))
        controller.enqueue(BYTES.slice(at, at + PIECE))
        at += PIECE
        if (at >= BYTES.length) controller.close()
      },
      cancel: () => void log.cancelled++,
    })
    return new Response(body, { status: 206 })
  })
  return log
}

afterEach(() => vi.unstubAllGlobals())

describe('a file by its address, as a scan worker reads it', () => {
  it('comes in one answer, and what was read is there again as far back as a slot is long', async () => {
    const log = server()
    const file = scanHost.open(ADDRESS)
    const whole = new Uint8Array(BYTES.length)
    for (let at = 0; at < BYTES.length; at += 128 << 10) {
      const into = whole.subarray(at, at + (128 << 10))
      expect(await file.read(at, into)).toBe(into.length)
    }
    expect(Buffer.compare(whole, BYTES)).toBe(0)
    const slot = new Uint8Array(INPUT_BYTES)
    expect(await file.read(BYTES.length - INPUT_BYTES, slot)).toBe(INPUT_BYTES)
    expect(Buffer.compare(slot, BYTES.subarray(-INPUT_BYTES))).toBe(0)
    // Behind the end there is nothing, and of what was let go it says so.
    expect(await file.read(BYTES.length - 1, new Uint8Array(2))).toBe(1)
    expect(await file.read(0, new Uint8Array(2))).toBe(0)
    expect(log.asked).toEqual([`bytes=0-${BYTES.length - 1}`])
  })

  it('is asked for no more once nobody wants it', async () => {
    const log = server()
    const file = scanHost.open(ADDRESS)
    await file.read(0, new Uint8Array(10))
    file.close()
    await expect.poll(() => log.cancelled).toBe(1)
  })

  it('fails where its answer breaks off', async () => {
    server(PIECE)
    const file = scanHost.open(ADDRESS)
    expect(await file.read(0, new Uint8Array(PIECE))).toBe(PIECE)
    await expect(async () => file.read(PIECE, new Uint8Array(1))).rejects.toThrow(
      'what it is served by does not answer',
    )
  })

  it('is hashed with that, which a file that the browser holds is not', async () => {
    const hash = await scanHost.createSha256(ADDRESS)
    hash?.update(BYTES)
    expect(hash?.digest()).toBe(createHash('sha256').update(BYTES).digest('hex'))
    expect(await scanHost.createSha256({ name: 'near.jsonl', blob: new Blob([BYTES]) })).toBeNull()
  })
})

describe('a file that the browser holds, as a scan worker reads it', () => {
  const LONG = Uint8Array.from({ length: (8 << 20) + 300_000 }, (_, at) => (at * 31) % 251)

  /** A file that slices of less than two bytes can be had of while `isAsFound`. Tells how often that was asked. */
  function changing(isAsFound: () => boolean) {
    const blob = new Blob([LONG])
    const log = { asked: 0 }
    const slice = blob.slice.bind(blob)
    blob.slice = (start = 0, end = blob.size) => {
      if (end - start < 2) log.asked++
      if (isAsFound()) return slice(start, end)
      return { arrayBuffer: () => Promise.reject(new DOMException('', 'NotReadableError')) } as unknown as Blob
    }
    return { log, file: scanHost.open({ name: 'near.jsonl', blob }) }
  }

  async function readAll(file: ReturnType<typeof scanHost.open>, till = LONG.length): Promise<Uint8Array> {
    const whole = new Uint8Array(till)
    for (let at = 0; at < till; at += 128 << 10) {
      const into = whole.subarray(at, at + (128 << 10))
      expect(await file.read(at, into)).toBe(into.length)
    }
    return whole
  }

  it.each(['into memory that it is given', 'in pieces of its own'])('comes %s', async (way) => {
    const blob = new Blob([LONG])
    const stream = blob.stream.bind(blob)
    let cancelled = 0
    blob.stream = () => {
      const whole = stream()
      const getReader = whole.getReader.bind(whole)
      whole.getReader = ((options?: { mode: 'byob' }) => {
        if (options !== undefined && way !== 'into memory that it is given') throw new TypeError('no byte stream')
        const reader = options === undefined ? getReader() : getReader(options)
        const cancel = reader.cancel.bind(reader)
        reader.cancel = (reason) => {
          cancelled++
          return cancel(reason)
        }
        return reader
      }) as typeof whole.getReader
      return whole
    }
    const file = scanHost.open({ name: 'near.jsonl', blob })
    expect(Buffer.compare(await readAll(file), LONG)).toBe(0)
    // Again, which begins before what is at hand and ends in it.
    const slot = new Uint8Array(INPUT_BYTES)
    expect(await file.read(LONG.length - INPUT_BYTES, slot)).toBe(INPUT_BYTES)
    expect(Buffer.compare(slot, LONG.subarray(-INPUT_BYTES))).toBe(0)
    expect(await file.read(LONG.length - 1, new Uint8Array(2))).toBe(1)
    file.close()
    expect(cancelled).toBe(1)
  })

  it('is asked now and then whether it is still the one that was given', async () => {
    const { log, file } = changing(() => true)
    await readAll(file)
    expect(log.asked).toBe(2)
  })

  it.each([
    ['before all of it was read', LONG.length - (200 << 10)],
    ['while the last of it is read', LONG.length],
  ])('fails where it changes %s', async (_, at) => {
    let isAsFound = true
    const { file } = changing(() => isAsFound)
    const far = at - (at % (128 << 10))
    await readAll(file, far - (128 << 10))
    isAsFound = false
    await expect(async () => readAll(file)).rejects.toThrow('changed or was moved')
  })
})
