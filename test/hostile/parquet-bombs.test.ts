import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet/src/types.js'
import { afterAll, expect, test } from 'vitest'
import { openContainer } from '../../shared/containers/open.ts'
import {
  LIST_OF_NUMBERS,
  listOfOne,
  type MadeGroup,
  type MadePage,
  madeParquet,
  runsOf,
} from '../containers/made-parquet.ts'
import { memorySource, readAll } from '../containers/memory-source.ts'
import { zstdRuns } from '../containers/zstd-runs.ts'
import { Confined } from '../fuzz/confined.ts'

const confined = new Confined({ deadline: 30_000, patience: 60_000, heap: 512, memory: 1 << 30 })
afterAll(() => confined.end())

const NUMBERS: readonly SchemaElement[] = [{ name: 'root', num_children: 1 }, ...LIST_OF_NUMBERS]
const TEXT: readonly SchemaElement[] = [
  { name: 'root', num_children: 1 },
  { name: 'prompt', repetition_type: 'REQUIRED', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
]
const SEVEN: MadePage = { kind: 'dictionary', values: 1, bytes: Uint8Array.of(7, 0, 0, 0) }
/** The most values that a page may declare. */
const MANY = 1 << 25

type Declared = Omit<MadeGroup, 'columns'>
const numbers = (pages: readonly MadePage[], declared: Declared): MadeGroup => ({
  ...declared,
  columns: [{ path: ['input_ids', 'list', 'element'], type: 'INT32', pages }],
})
const list = (values: number): MadePage => ({ kind: 'data', values, bytes: listOfOne(values) })
const ballast = (bytes: number): MadePage => ({ kind: 'index', values: 0, bytes: new Uint8Array(bytes) })
/** Pages whose codec makes them small, and a group that is too large to be read whole. */
const compressed = (
  pages: readonly { readonly values: number; readonly plain: Uint8Array }[],
  declared: Declared,
): MadeGroup => {
  const packed = pages.map(({ values, plain }) => {
    return { kind: 'data' as const, values, size: plain.length, bytes: new Uint8Array(gzipSync(plain)) }
  })
  const dictionary = { ...SEVEN, size: 4, bytes: new Uint8Array(gzipSync(SEVEN.bytes)) }
  return {
    ...declared,
    columns: [{ path: ['input_ids', 'list', 'element'], type: 'INT32', codec: 'GZIP', pages: [dictionary, ...packed] }],
  }
}
/** One list whose page is stored as it is here, and said to give a hundred bytes. */
const packed = (codec: NonNullable<MadeGroup['columns'][number]['codec']>, bytes: Uint8Array): MadeGroup => ({
  rows: 1,
  values: 10,
  size: 1000,
  columns: [
    {
      path: ['input_ids', 'list', 'element'],
      type: 'INT32',
      codec,
      pages: [{ kind: 'data', values: 10, bytes, size: 100 }],
    },
  ],
})
const texts = (rows: number, length: number): MadeGroup => {
  const entry = new Uint8Array(4 + length).fill(97)
  new DataView(entry.buffer).setUint32(0, length, true)
  const pages: readonly MadePage[] = [
    { kind: 'dictionary', values: 1, bytes: entry },
    { kind: 'data', values: rows, bytes: Uint8Array.of(1, ...runsOf([[0, rows]], { prefixed: false })) },
  ]
  return { rows, columns: [{ path: ['prompt'], type: 'BYTE_ARRAY', pages }] }
}

// Each ended the process, or took a gigabyte or minutes. The lists that a good row group holds beside it are read.
test.each<[string, MadeGroup, RegExp]>([
  [
    'pages that declare more than their column, beside bytes that hold nothing',
    numbers([SEVEN, ballast(1 << 20), list(MANY), list(MANY)], { rows: 2, values: 3, size: 1000 }),
    /column input_ids\.list\.element: its pages have 33554432 values or more, its footer declares 3/,
  ],
  [
    'a page of more values than any has',
    numbers([SEVEN, list(2 * MANY)], { rows: 1, values: 3, size: 1000 }),
    /column input_ids\.list\.element: a page declares 67108864 values/,
  ],
  [
    'rows that are cut out of pages of millions',
    compressed(
      Array.from({ length: 4 }, () => ({ values: MANY, plain: listOfOne(MANY, 9 << 20) })),
      { rows: 4, values: 3, size: 17 << 20 },
    ),
    /column input_ids\.list\.element: its pages have 33554432 values or more, its footer declares 3/,
  ],
  [
    'a page of a gigabyte once decompressed',
    compressed([{ values: 10, plain: listOfOne(10, 1 << 29) }], { rows: 1, size: 1000 }),
    /column input_ids\.list\.element: \d+ bytes or more would come out .* \d+ are allowed\. .*--max-unpacked/,
  ],
  [
    'a frame of blocks that give more than their page declares',
    packed('ZSTD', zstdRuns(100_000, 1 << 17)),
    /column input_ids\.list\.element: .*they give more than the 100 bytes that are expected/,
  ],
  [
    'a hundred bytes of Brotli that give more and more megabytes',
    packed('BROTLI', new Uint8Array(brotliCompressSync(new Uint8Array(64 << 20)))),
    /column input_ids\.list\.element: Brotli gives more than the 100 bytes declared/,
  ],
  [
    'gzip that gives more than its page declares',
    packed('GZIP', new Uint8Array(gzipSync(new Uint8Array(128 << 20)))),
    /column input_ids\.list\.element: gzip gives more than the 100 bytes declared/,
  ],
  [
    'LZ4 that gives more than its page declares',
    packed('LZ4_RAW', Uint8Array.of(0x1f, 97, 1, 0, 255, 255, 0)),
    /column input_ids\.list\.element: an LZ4 block is damaged/,
  ],
  [
    'LZ4 whose lengths lead backwards',
    packed('LZ4', Uint8Array.of(0, 0, 0, 0, 255, 255, 255, 248, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
    /column input_ids\.list\.element: an LZ4 block is damaged/,
  ],
])('%s', { timeout: 300_000 }, async (_, group, message) => {
  const bytes = madeParquet(NUMBERS, [group, numbers([SEVEN, list(3)], { rows: 1 })])
  await confined.holds({ id: 'file' }, bytes)
  const { values, skipped } = await readAll(memorySource(bytes, 1 << 16, 'dump'))
  expect(values).toEqual([{ input_ids: Int32Array.of(7, 7, 7) }])
  expect(skipped).toHaveLength(group.rows)
  for (const { message: why } of skipped) expect(why).toMatch(message)
})

test('a text of a megabyte that a dictionary gives to a hundred thousand rows', { timeout: 300_000 }, async () => {
  const bytes = madeParquet(TEXT, [texts(100_000, 1 << 20), texts(1, 5)])
  await confined.holds({ id: 'file' }, bytes)
  const { values, skipped } = await readAll(memorySource(bytes))
  expect(values).toEqual([{ prompt: 'aaaaa' }])
  expect(skipped).toHaveLength(100_000)
  expect(skipped[0]?.message).toMatch(/^row 0: column prompt: its texts have more than \d+ characters/)
})

test('a footer that declares billions of values is refused before anything is read', async () => {
  const bytes = madeParquet(NUMBERS, [numbers([SEVEN, list(MANY)], { rows: 1, values: 2 ** 40 })])
  await expect(openContainer(memorySource(bytes, 1 << 16, 'dump'))).rejects.toThrow(
    /^dump .*it declares 1099511627776 values or more in \d+ bytes/,
  )
})

test('a list of sixteen millions in three hundred bytes is read within a gigabyte, and one of twice as many is refused', {
  timeout: 300_000,
}, async () => {
  // All the rest is in order: the footer declares what the pages have.
  const honest = (values: number) =>
    madeParquet(NUMBERS, [numbers([SEVEN, list(values)], { rows: 1 }), numbers([SEVEN, list(3)], { rows: 1 })])
  expect(honest(MANY).length).toBeLessThan(400)
  await confined.holds({ id: 'file' }, honest(MANY / 2))
  const { values, skipped } = await readAll(memorySource(honest(MANY / 2)))
  expect(skipped).toEqual([])
  expect(values.map((value) => (value as { input_ids: Int32Array }).input_ids.length)).toEqual([MANY / 2, 3])
  await expect(openContainer(memorySource(honest(MANY), 1 << 16, 'dump'))).rejects.toThrow(
    /^dump .*it declares 33554432 values or more in \d+ bytes/,
  )
})

test('rows that are said to be of terabytes are not read one at a time', { timeout: 300_000 }, async () => {
  const rows = 1 << 17
  const group = numbers([SEVEN, ballast(1 << 16), list(3)], { rows, size: 2 ** 50 })
  const { skipped, batches } = await readAll(memorySource(madeParquet(NUMBERS, [group])))
  expect(skipped).toHaveLength(rows)
  expect(batches).toBeLessThan(500)
})

test('a prompt that a thousand rows share is read', async () => {
  const { values } = await readAll(memorySource(madeParquet(TEXT, [texts(1000, 20_000)])))
  expect(values).toHaveLength(1000)
})

test('millions of empty texts, each as the one before it', { timeout: 300_000 }, async () => {
  const count = 1 << 21
  // A million differences of 0 each: blocks of 2^20 in four parts, the count, the first value; five bytes for a block.
  const lengths = Buffer.concat([Uint8Array.of(0x80, 0x80, 0x40, 4, 0x80, 0x80, 0x80, 1, 0), new Uint8Array(10)])
  const levels = listOfOne(count).subarray(0, -1 - runsOf([[0, count]], { prefixed: false }).length)
  const bytes = new Uint8Array(Buffer.concat([levels, lengths, lengths]))
  const schema: readonly SchemaElement[] = [
    { name: 'root', num_children: 1 },
    ...LIST_OF_NUMBERS.slice(0, 2),
    { name: 'element', repetition_type: 'REQUIRED', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  ]
  const pages: readonly MadePage[] = [{ kind: 'data', values: count, encoding: 'DELTA_BYTE_ARRAY', bytes }]
  const column = { path: ['input_ids', 'list', 'element'], type: 'BYTE_ARRAY', pages } as const
  await confined.holds({ id: 'file' }, madeParquet(schema, [{ rows: 1, columns: [column] }]))
})
