import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { BlobElsewhere } from '../../renderer/engine/byte-sources.ts'
import { IN_ONE_PIECE, SLICE_BYTES, sha256OfFile } from '../../renderer/engine/hash-file.ts'

const BYTES = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 31) % 251)
const SHA256 = createHash('sha256').update(BYTES).digest('hex')
const FILE: BlobElsewhere = { name: 'dump.jsonl', blob: new Blob([BYTES]) }

/** A hash of streams that tells what it was given. */
function streaming() {
  const given: number[] = []
  const hash = createHash('sha256')
  const create = async () => ({
    update(bytes: Uint8Array) {
      given.push(bytes.length)
      hash.update(bytes)
    },
    digest: () => hash.digest('hex'),
  })
  return { create, given }
}

afterEach(() => vi.unstubAllGlobals())

describe('SHA-256 of a file that a page was given', () => {
  it('is taken in one piece by the browser itself', async () => {
    const { create, given } = streaming()
    expect(await sha256OfFile(FILE, create)).toBe(SHA256)
    expect(given).toEqual([])
  })

  it.each<[string, unknown]>([
    ['where the page is not served safely and the browser has none', {}],
    ['where there is no memory for one piece', { subtle: { digest: () => Promise.reject(new Error('no memory')) } }],
  ])('is taken of its slices %s', async (_, crypto) => {
    vi.stubGlobal('crypto', crypto)
    const { create, given } = streaming()
    expect(await sha256OfFile(FILE, create)).toBe(SHA256)
    expect(given).toEqual([BYTES.length])
  })

  it('is taken of its slices where it is large, whose bytes are never there at once', async () => {
    const size = IN_ONE_PIECE + 1
    const asked: [number, number][] = []
    const blob = {
      size,
      arrayBuffer: () => Promise.reject(new Error('all of it was asked for')),
      slice: (start: number, end: number) => {
        asked.push([start, end])
        return new Blob([BYTES.subarray(0, 1)])
      },
    } as unknown as Blob
    const { create, given } = streaming()
    await sha256OfFile({ name: 'large.jsonl', blob }, create)
    expect(given).toHaveLength(asked.length)
    expect(asked[0]).toEqual([0, SLICE_BYTES])
    expect(asked.at(-1)).toEqual([IN_ONE_PIECE, size])
    for (const [at, [start]] of asked.entries()) expect(start).toBe(at * SLICE_BYTES)
  })

  it('is none where it cannot be read any more', async () => {
    const gone = () => Promise.reject(new DOMException('as the browser has it', 'NotReadableError'))
    const blob = { size: 10, arrayBuffer: gone, slice: () => ({ arrayBuffer: gone }) } as unknown as Blob
    await expect(sha256OfFile({ name: 'gone.jsonl', blob }, streaming().create)).rejects.toThrow(
      'gone.jsonl changed or was moved while it was being read.',
    )
  })
})
