import {
  type Batch,
  Column,
  CompressionType,
  columnFromArray,
  int32,
  list,
  runEndEncoded,
  setCompressionCodec,
  utf8,
  utf8View,
} from '@uwdata/flechette'
import { afterAll, expect, test } from 'vitest'
import { lz4Run } from '../containers/lz4-run.ts'
import { arrowStream, madeBatch } from '../containers/made-arrow.ts'
import { memorySource, readAll } from '../containers/memory-source.ts'
import { zstdRuns } from '../containers/zstd-runs.ts'
import { Confined } from '../fuzz/confined.ts'

const confined = new Confined({ deadline: 30_000, patience: 60_000, heap: 512, memory: 1 << 30 })
afterAll(() => confined.end())

/** Two batches: one text whose compressed bytes are `payload` and declare `length`, in several columns; and one that is good. */
function compressed(columns: number, codec: number, payload: Uint8Array, length: number): Uint8Array {
  const written = payload.length + 100
  const encode = (bytes: Uint8Array) => (bytes.length === written ? payload : bytes)
  setCompressionCodec(codec as 0 | 1, { encode, decode: (bytes: Uint8Array) => bytes })
  const bad = () => madeBatch(utf8(), { offsets: Int32Array.of(0, 100), values: new Uint8Array(written) })
  const good = () => columnFromArray(['well'], utf8()).data[0] as Batch<unknown>
  const names = Array.from({ length: columns }, (_, i) => `c${i}`)
  const bytes = arrowStream(
    names.map((name) => [name, new Column([bad(), good()], utf8())] as const),
    codec,
  )
  // What the buffers declare, before each of them.
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at + 8 < bytes.length; at += 8) {
    if (view.getBigInt64(at, true) === BigInt(written)) view.setBigInt64(at, BigInt(length), true)
  }
  return bytes
}

const GIGABYTE = 1 << 30
const TENTH = Math.floor(GIGABYTE / 10)

// Each ended the process, or took more than a gigabyte or minutes.
test.each<[string, () => Uint8Array, RegExp]>([
  [
    'an LZ4 buffer of a gigabyte',
    () => compressed(1, CompressionType.LZ4_FRAME, lz4Run(GIGABYTE), GIGABYTE),
    /^row 0: column c0: 1073741824 bytes or more would come out .*--max-unpacked/,
  ],
  [
    'LZ4 buffers of a gigabyte together, each of them small',
    () => compressed(10, CompressionType.LZ4_FRAME, lz4Run(TENTH), TENTH),
    /^row 0: column c2: \d+ bytes or more would come out .* \d+ are allowed/,
  ],
  [
    'a Zstandard buffer that gives more than it declares',
    () => compressed(1, CompressionType.ZSTD, zstdRuns(100_000, 1 << 17), 400),
    /^row 0: column c0: .*they give more than the 400 bytes that are expected/,
  ],
])('%s', { timeout: 300_000 }, async (_, make, message) => {
  const bytes = make()
  await confined.holds({ id: 'file' }, bytes)
  const { values, skipped } = await readAll(memorySource(bytes))
  expect(values.map((value) => (value as { c0: string }).c0)).toEqual(['well'])
  expect(skipped.map(({ message: why }) => why)).toEqual([expect.stringMatching(message)])
})

function withIds(rows: number, prompts: Column<unknown>): Uint8Array {
  const ids = columnFromArray(
    Array.from({ length: rows }, () => [1, 2, 3]),
    list(int32()),
  )
  return arrowStream([
    ['input_ids', ids],
    ['prompt', prompts],
  ])
}

/** Rows that have one text, as views of it and as a run. */
const SHARED: readonly [string, (rows: number, length: number) => Uint8Array][] = [
  [
    'views',
    (rows, length) => {
      const values = new Uint8Array(rows * 16)
      for (let i = 0; i < rows; i++) new DataView(values.buffer).setInt32(i * 16, length, true)
      const data = [new Uint8Array(length).fill(97)]
      return withIds(rows, new Column([madeBatch(utf8View(), { length: rows, values, data })], utf8View()))
    },
  ],
  [
    'a run',
    (rows, length) => {
      const type = runEndEncoded(int32(), utf8())
      const text = columnFromArray(['a'.repeat(length)], utf8()).data[0]
      const children = [madeBatch(int32(), { values: Int32Array.of(rows) }), text]
      return withIds(rows, new Column([madeBatch(type, { length: rows, children })], type))
    },
  ],
]

test.each(SHARED)('a text of a megabyte that thousands of rows share as %s', { timeout: 300_000 }, async (_, make) => {
  const bytes = make(5000, 1 << 20)
  await confined.holds({ id: 'file' }, bytes)
  const { skipped } = await readAll(memorySource(bytes))
  expect(skipped).toHaveLength(5000)
  expect(skipped[0]?.message).toMatch(/^row 0: column prompt: texts of 5242880000 bytes are given .* Write smaller/)
})

test.each(SHARED)('a prompt that rows share as %s is read', async (_, make) => {
  const { values } = await readAll(memorySource(make(1000, 20_000)))
  expect(values).toHaveLength(1000)
  expect((values[999] as { prompt: string }).prompt).toHaveLength(20_000)
})
