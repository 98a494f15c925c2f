import {
  type Batch,
  batchType,
  Column,
  columnFromArray,
  type DataType,
  field,
  fixedSizeBinary,
  fixedSizeList,
  int32,
  list,
  listView,
  map,
  nullType,
  runEndEncoded,
  struct,
  Table,
  tableToIPC,
} from '@uwdata/flechette'
import { describe, expect, test } from 'vitest'
import { memorySource, readAll } from './memory-source.ts'

const HUGE = 2 ** 31 - 1

/** A column in the library's own class, whatever it declares. */
function column(type: DataType, parts: object): Batch<unknown> {
  const BatchClass = batchType(type, {})
  return new BatchClass({ length: 1, nullCount: 0, type, validity: new Uint8Array(0), ...parts }) as Batch<unknown>
}

/** A stream of rows that have ids and the column. */
function streamOf(extra: Batch<unknown>): Uint8Array {
  const ids = columnFromArray(
    Array.from({ length: extra.length }, () => [1, 2, 3]),
    list(int32()),
  )
  const type = extra.type as DataType
  const table = new Table(
    {
      version: 4,
      endianness: 0,
      fields: [field('input_ids', ids.type), field('extra', type)],
      metadata: null,
    },
    [ids, new Column([extra], type)],
  )
  return tableToIPC(table, { format: 'stream' }) as Uint8Array
}

const nulls = (length: number) => column(nullType(), { length, nullCount: length })
const numbers = (length: number) => column(int32(), { length, values: new Int32Array(length) })
const lists = (child: Batch<unknown>, offsets: readonly number[]) =>
  column(list(child.type as DataType), {
    length: offsets.length - 1,
    offsets: Int32Array.from(offsets),
    children: [child],
  })
const views = (child: Batch<unknown>, rows: number, size: number) =>
  column(listView(child.type as DataType), {
    length: rows,
    offsets: new Int32Array(rows),
    sizes: new Int32Array(rows).fill(size),
    children: [child],
  })
const runs = (child: Batch<unknown>, rows: number) =>
  column(runEndEncoded(int32(), child.type as DataType), {
    length: rows,
    children: [column(int32(), { values: Int32Array.of(rows) }), child],
  })
const pairs = map(nullType(), nullType())
const entries = (pairs.children[0] as { type: DataType }).type

// Each took the process or minutes of it, of a kilobyte or of one and a half million.
describe('a column that gives more values than its bytes hold costs its rows, and nothing else', () => {
  test.each<[string, Batch<unknown>]>([
    ['a list of nulls', lists(nulls(HUGE), [0, HUGE])],
    ['a list of fixed size of nulls', column(fixedSizeList(nullType(), HUGE), { children: [nulls(HUGE)] })],
    ['a list of structs of nothing', lists(column(struct([]), { length: HUGE, children: [] }), [0, HUGE])],
    [
      'a list of structs of nulls',
      lists(column(struct([field('a', nullType())]), { length: HUGE, children: [nulls(HUGE)] }), [0, HUGE]),
    ],
    [
      'a list of bytes that are none',
      lists(column(fixedSizeBinary(0), { length: HUGE, values: new Uint8Array(0) }), [0, HUGE]),
    ],
    [
      'a map of nulls',
      column(pairs, {
        offsets: Int32Array.of(0, HUGE),
        children: [column(entries, { length: HUGE, children: [nulls(HUGE), nulls(HUGE)] })],
      }),
    ],
    ['a view of nulls', views(nulls(HUGE), 1, HUGE)],
    ['views over each other', views(numbers(100_000), 20_000, 100_000)],
    ['a run of a list', runs(lists(numbers(100_000), [0, 100_000]), 20_000)],
  ])('%s', async (_, extra) => {
    const { values, skipped } = await readAll(memorySource(streamOf(extra)))
    expect(values).toEqual([])
    expect(skipped).toHaveLength(extra.length)
    expect(skipped[0]?.message).toMatch(
      /^row 0: \d+ values are declared that none of the \d+ bytes of its columns hold/,
    )
  })

  test('a view of more than there is', async () => {
    const { skipped } = await readAll(memorySource(streamOf(views(numbers(5), 2, 6))))
    expect(skipped.map(({ message }) => message)).toEqual([
      'row 0: column extra: a column has 5 of the 6 values that it declares',
      'row 1: column extra: a column has 5 of the 6 values that it declares',
    ])
  })
})

describe('what writers write is read', () => {
  const thousand = Array.from({ length: 1001 }, (_, i) => i * 60)

  test('lists of nulls, as of logprobs that no row has', async () => {
    const { values } = await readAll(memorySource(streamOf(lists(nulls(60_000), thousand))))
    expect(values).toHaveLength(1000)
    expect((values[999] as { extra: unknown[] }).extra).toEqual(Array(60).fill(null))
  })

  test('a prompt that eight rows share, as views and as runs', async () => {
    for (const extra of [views(numbers(500), 8, 500), runs(lists(numbers(500), [0, 500]), 8)]) {
      const { values, skipped } = await readAll(memorySource(streamOf(extra)))
      expect(skipped).toEqual([])
      expect(values.map((value) => (value as unknown as { extra: ArrayLike<number> }).extra.length)).toEqual(
        Array(8).fill(500),
      )
    }
  })
})
