import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import { UnreadableSource } from '../../shared/containers/container.ts'
import { openContainer } from '../../shared/containers/open.ts'
import { memorySource, readAll } from './memory-source.ts'
import { leveled } from './twin.ts'

const fixture = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../fixtures/containers/${name}`, import.meta.url)))
const names = [
  'arrow-rs-v1.parquet',
  'arrow-rs-v2.parquet',
  'arrow-rs-lz4.parquet',
  'duckdb-gzip.parquet',
  'duckdb-brotli.parquet',
  'arrow-rs-stream.arrow',
  'arrow-js-stream.arrow',
  'arrow-js-file.arrow',
  'polars-lz4.arrow',
  'polars-zstd.arrow',
]

/** What is read of damaged bytes: records and skipped ones, or the sentence that the file cannot be opened. */
async function readDamaged(bytes: Uint8Array) {
  try {
    return await readAll(memorySource(bytes, 1 << 16, 'dump'))
  } catch (error) {
    if (!(error instanceof UnreadableSource)) throw error
    expect(error.message).toMatch(/^dump .*\.$/s)
    return null
  }
}

describe.each(names)('%s', (name) => {
  const whole = fixture(name)

  test('cut at any place it is read up to there, or refused with a sentence', async () => {
    const all = (await readDamaged(whole))?.values.map(leveled) ?? []
    expect(all).toHaveLength(12)
    for (let length = 0; length < whole.length; length += 7) {
      const read = await readDamaged(whole.slice(0, length))
      if (read === null) continue
      // Columns cannot be read in part: every record is whole, or it is listed.
      expect(read.values.map(leveled)).toEqual(all.slice(0, read.values.length))
      if (read.values.length < 12 && read.skipped.length === 0) expect([0, 5, 10]).toContain(read.values.length)
    }
  })

  test('with flipped bytes records are read or skipped, and nothing is thrown or stuck', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 3 }),
        async (flips) => {
          const damaged = whole.slice()
          for (const [at, flip] of flips) damaged[at] = (damaged[at] as number) ^ flip
          const read = await readDamaged(damaged)
          if (read !== null) expect(read.values.length + read.skipped.length).toBeLessThan(1e6)
        },
      ),
      { numRuns: 300, seed: 23 },
    )
  })

  test('with numbers as large as they get in place of others, too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 8), fc.constantFrom(1, 2, 4, 5, 8), async (at, count) => {
        const damaged = whole.slice()
        damaged.fill(0xff, at, at + count)
        damaged[at + count - 1] = 0x7f
        await readDamaged(damaged)
      }),
      { numRuns: 300, seed: 29 },
    )
  })
})

test('one damaged row group costs no other', async () => {
  const whole = fixture('arrow-rs-v1.parquet')
  const damaged = whole.slice()
  damaged.fill(0xee, 40, 90)
  const read = await readDamaged(damaged)
  expect(read?.values.map((value) => (value as { id: number }).id)).toEqual([1005, 1006, 1007, 1008, 1009, 1010, 1011])
  expect(read?.skipped.map(({ record, code }) => [record, code])).toEqual(
    [0, 1, 2, 3, 4].map((i) => [i, 'damaged-parquet']),
  )
  expect(read?.skipped[0]?.message).toMatch(/^row 0: column /)
})

// Of kilobytes such a footer makes hours: each row is one that is skipped, and each group is decoded whole.
test.each([
  ['declares-200m-rows.parquet', /declares 200000000 rows or more in \d+ bytes/],
  ['columns-over-each-other.parquet', /its columns have more bytes than the file/],
  // Each 76 bytes more took as much again for another list of millions.
  ['lists-of-18m-nulls.parquet', /declares \d+ values or more in 239 bytes/],
])('%s is refused in a sentence before anything of it is read', async (name, sentence) => {
  const opened = openContainer(memorySource(fixture(`../refused/${name}`), 1 << 16, name))
  await expect(opened).rejects.toThrow(UnreadableSource)
  await expect(opened).rejects.toThrow(sentence)
})

test('lists of nulls that somebody wrote are read', async () => {
  const schema = [
    { name: 'root', num_children: 1 },
    { name: 'logprobs', repetition_type: 'OPTIONAL' as const, num_children: 1, converted_type: 'LIST' as const },
    { name: 'list', repetition_type: 'REPEATED' as const, num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL' as const, type: 'INT32' as const },
  ]
  const columnData = [{ name: 'logprobs', data: Array.from({ length: 200 }, () => new Array(1000).fill(null)) }]
  const read = await readDamaged(new Uint8Array(parquetWriteBuffer({ schema, columnData })))
  expect(read?.skipped).toEqual([])
  expect((read?.values.at(-1) as { logprobs: ArrayLike<number> } | undefined)?.logprobs).toHaveLength(1000)
})
