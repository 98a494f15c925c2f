import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DamagedBytes } from '../../shared/containers/bytes.ts'
import { openContainer } from '../../shared/containers/open.ts'
import { packedBytes } from '../../shared/containers/packed-bytes.ts'
import { zstdPacking } from '../../shared/containers/zstd/packing.ts'
import { seekTable } from '../../shared/containers/zstd/seek-table.ts'
import { gzipped, memorySource, readAll } from './memory-source.ts'
import { NUMERIC } from './twin.ts'

const fixture = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../fixtures/containers/${name}`, import.meta.url)))
const plain = fixture('rows.jsonl')
const written = ['rows.jsonl.zst', 'rows.stream.zst', 'rows.frames.zst', 'rows.seekable.zst']

/** What comes out before the end or the damage, and why it ended. */
async function unpacked(bytes: Uint8Array, chunkBytes = 1000, most?: number) {
  const parts: Uint8Array[] = []
  let damage: DamagedBytes | null = null
  const packed = packedBytes(memorySource(bytes, chunkBytes), zstdPacking, most === undefined ? {} : { most })
  try {
    for await (const chunk of packed.chunks({})) parts.push(chunk)
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error
    damage = error
  }
  return { bytes: new Uint8Array(Buffer.concat(parts)), damage }
}

describe('Zstandard', () => {
  test.each(written)('%s comes out as what went in, in chunks of any size', async (name) => {
    for (const chunkBytes of [1, 7, 100, 1 << 16]) {
      const { bytes, damage } = await unpacked(fixture(name), chunkBytes)
      expect(damage).toBe(null)
      expect(Buffer.compare(bytes, plain)).toBe(0)
    }
  })

  test.each(written)('%s is JSON Lines inside', async (name) => {
    const read = await readAll(memorySource(fixture(name), 64), 700, NUMERIC)
    expect(read.id).toBe('jsonl+zstd')
    expect(read.skipped).toEqual([])
    expect(read.values).toEqual((await readAll(memorySource(plain), undefined, NUMERIC)).values)
  })

  test.each(written)('%s is read again at any place, from a frame before it', async (name) => {
    const bytes = packedBytes(memorySource(fixture(name), 50), zstdPacking, { cacheBytes: 1 })
    await fc.assert(
      fc.asyncProperty(fc.nat(plain.length), fc.nat(2000), async (start, length) => {
        expect(Buffer.compare(await bytes.slice(start, start + length), plain.slice(start, start + length))).toBe(0)
      }),
      { numRuns: 60, seed: 11 },
    )
  })

  test('a seekable file says where its frames begin, and is read from there', async () => {
    const bytes = fixture('rows.seekable.zst')
    const frames = await seekTable(memorySource(bytes))
    expect(frames).toHaveLength(4)
    expect(frames[0]).toEqual({ packed: 0, plain: 0 })
    expect(await seekTable(memorySource(fixture('rows.frames.zst')))).toEqual([])
    let from = -1
    const source = memorySource(bytes)
    const watched = {
      ...source,
      stream(start = 0) {
        from = start
        return source.stream(start)
      },
    }
    const last = frames[3]!
    const packed = packedBytes(watched, zstdPacking)
    const slice = await packed.slice(last.plain + 5, last.plain + 50)
    expect(Buffer.compare(slice, plain.slice(last.plain + 5, last.plain + 50))).toBe(0)
    expect(from).toBe(last.packed)
  })

  test('a window that is too large is refused before it is made', async () => {
    const { bytes, damage } = await unpacked(fixture('wide-window.zst'))
    expect(bytes).toHaveLength(0)
    expect(damage).toMatchObject({ code: 'zstd-window' })
    expect(damage?.message).toContain('512 MiB')
    await expect(openContainer(memorySource(fixture('wide-window.zst')))).rejects.toMatchObject({ code: 'zstd-window' })
  })

  test('cut at any byte, it gives a beginning of what went in, and says so', async () => {
    for (const name of ['rows.frames.zst', 'rows.stream.zst']) {
      const whole = fixture(name)
      for (let length = 0; length < whole.length; length++) {
        const { bytes, damage } = await unpacked(whole.slice(0, length), 1 << 16)
        expect(Buffer.compare(bytes, plain.slice(0, bytes.length))).toBe(0)
        if (bytes.length < plain.length && length > 0)
          expect(damage === null || damage.code === 'damaged-zstd').toBe(true)
        if (damage === null && length > 0) expect(bytes.length === 0 || plain[bytes.length - 1] === 10).toBe(true)
      }
    }
  })

  test('with a flipped byte it comes out or breaks off, and is never stuck', async () => {
    const whole = fixture('rows.frames.zst')
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const damaged = whole.slice()
        damaged[at] = (damaged[at] as number) ^ flip
        const { bytes } = await unpacked(damaged, 300, 1 << 20)
        expect(bytes.length).toBeLessThanOrEqual(1 << 20)
      }),
      { numRuns: 400, seed: 7 },
    )
  })
})

describe('what a compressed file may grow to', () => {
  const large = `${JSON.stringify({ a: 'a'.repeat(50_000_000) })}\n`

  test.each([
    ['gzip', () => gzipped(`{"first": 1}\n${large}`)],
    ['Zstandard', () => fixture('50-megabytes.zst')],
  ])('50 MB from 50 KB of %s are not decompressed', async (title, bytes) => {
    const source = memorySource(bytes(), 1 << 16, 'dump')
    expect(source.size).toBeLessThan(60_000)
    const { skipped, values } = await readAll(source)
    expect(values).toEqual(title === 'gzip' ? [{ first: 1 }] : [])
    expect(skipped).toHaveLength(1)
    expect(skipped[0]).toMatchObject({ code: 'unpacked-limit' })
    expect(skipped[0]?.message).toContain('--max-unpacked')
  })

  test('unless a person allows it', async () => {
    const container = await openContainer(memorySource(fixture('50-megabytes.zst')), { maxUnpacked: 51_000_000 })
    let length = 0
    for await (const spans of container.index()) for (const bytes of spans.lengths) length += bytes
    expect(length).toBe(50_000_009)
  })

  test('a limit that a person sets holds below the rule, too', async () => {
    const container = await openContainer(memorySource(gzipped(plain)), { maxUnpacked: 1000 })
    const codes = []
    for await (const { damaged } of container.index()) codes.push(damaged?.code)
    expect(codes).toEqual(['unpacked-limit'])
  })

  test('what was compressed twice grows no further than what was compressed once', async () => {
    const rows = Array.from({ length: 1500 }, (_, n) => JSON.stringify({ n, noise: Math.sin(n) })).join('\n')
    const inner = Buffer.concat(Array.from({ length: 800 }, () => gzipped(`${rows}\n`)))
    const outer = gzipped(new Uint8Array(inner))
    expect(rows.length * 800).toBeGreaterThan(40 << 20)
    // By its own size the inner file might grow to far more.
    expect(inner.length * 200).toBeGreaterThan(1 << 30)
    const container = await openContainer(memorySource(outer, 1 << 16, 'dump'))
    let damage: unknown = null
    let length = 0
    for await (const spans of container.index()) {
      damage = spans.damaged?.code ?? damage
      length += spans.lengths.reduce((sum, each) => sum + each, 0)
    }
    expect(outer.length * 200).toBeLessThan(32 << 20)
    expect(damage).toBe('unpacked-limit')
    expect(length).toBeLessThanOrEqual(32 << 20)
  })

  test('what must be read at places is refused as a whole', async () => {
    const bytes = gzipped(new Uint8Array(Buffer.concat([fixture('duckdb-gzip.parquet'), Buffer.alloc(40 << 20)])))
    await expect(openContainer(memorySource(bytes))).rejects.toMatchObject({ code: 'unpacked-limit' })
  })
})
