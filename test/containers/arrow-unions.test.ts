import {
  type Batch,
  Column,
  columnFromArray,
  type DataType,
  int32,
  list,
  UnionMode,
  union,
  utf8,
} from '@uwdata/flechette'
import { describe, expect, test } from 'vitest'
import { arrowStream, madeBatch } from './made-arrow.ts'
import { memorySource, readAll } from './memory-source.ts'

const KINDS = { text: 3, number: 5 }
const DENSE = union(UnionMode.Dense, [utf8(), int32()], [KINDS.text, KINDS.number])
const SPARSE = union(UnionMode.Sparse, [utf8(), int32()], [KINDS.text, KINDS.number])
const TEXTS = ['Paris', 'Rome', null]
const NUMBERS = [7, 8, 9]

interface Parts {
  readonly typeIds: Int8Array
  /** Where each value stands among those of its kind; of a dense union. */
  readonly offsets?: Int32Array
  readonly children?: readonly Batch<unknown>[]
}

const batch = (values: unknown[], type: DataType) => columnFromArray(values, type).data[0] as Batch<unknown>
const CHILDREN = [batch(TEXTS, utf8()), batch(NUMBERS, int32())]

/** Two batches whose answers are a union: one of three rows with these parts, and one row that is well. */
async function answersOf(type: DataType, parts: Parts) {
  const made = (length: number, each: Parts) => madeBatch(type, { length, children: CHILDREN, ...each })
  const well = made(1, { typeIds: Int8Array.of(KINDS.number), offsets: Int32Array.of(0) })
  const idsOf = (rows: number) => batch(Array(rows).fill([1, 2, 3]), list(int32()))
  const columns = [
    ['input_ids', new Column([idsOf(3), idsOf(1)], list(int32()))],
    ['answer', new Column([made(3, parts), well], type)],
  ] as const
  const { values, skipped } = await readAll(memorySource(arrowStream(columns)))
  return {
    answers: values.map((value) => (value as { answer: unknown }).answer),
    problems: skipped.map(({ message }) => message),
  }
}

const { text, number } = KINDS

describe('a column that is a union of texts and numbers', () => {
  test.each<[string, DataType, Parts, unknown[]]>([
    [
      'dense',
      DENSE,
      { typeIds: Int8Array.of(text, number, text), offsets: Int32Array.of(0, 2, 2) },
      ['Paris', 9, null],
    ],
    ['sparse', SPARSE, { typeIds: Int8Array.of(text, number, text) }, ['Paris', 8, null]],
  ])('is read: %s', async (_, type, parts, answers) => {
    expect(await answersOf(type, parts)).toEqual({ answers: [...answers, 7], problems: [] })
  })

  // Each gave null, or bytes of what stands behind, for a value that the dump has.
  test.each<[string, DataType, Parts, string]>([
    [
      'a kind that it has not',
      DENSE,
      { typeIds: Int8Array.of(text, 9, text), offsets: Int32Array.of(0, 0, 1) },
      'a value of kind 9, which its union does not know',
    ],
    [
      'a kind below zero',
      SPARSE,
      { typeIds: Int8Array.of(text, -1, text) },
      'a value of kind -1, which its union does not know',
    ],
    [
      'a place beyond its values',
      DENSE,
      { typeIds: Int8Array.of(text, number, text), offsets: Int32Array.of(0, 999, 1) },
      'a column has 3 of the 1000 values that it declares',
    ],
    [
      'a place below zero',
      DENSE,
      { typeIds: Int8Array.of(text, number, text), offsets: Int32Array.of(0, -1, 1) },
      'a value stands at -1 of its kind',
    ],
    [
      'too few places',
      DENSE,
      { typeIds: Int8Array.of(text, number, text), offsets: Int32Array.of(0) },
      'a column has 1 of the 3 values that it declares',
    ],
    [
      'too few kinds',
      DENSE,
      { typeIds: Int8Array.of(text), offsets: Int32Array.of(0, 1, 2) },
      'a column has 1 of the 3 values that it declares',
    ],
    [
      'fewer values of a kind than rows',
      SPARSE,
      { typeIds: Int8Array.of(text, number, text), children: [batch(['a'], utf8()), batch([7], int32())] },
      'a column has 1 of the 2 values that it declares',
    ],
  ])('with %s is refused by name, and its neighbours are read', async (_, type, parts, why) => {
    const { answers, problems } = await answersOf(type, parts)
    expect(answers).toEqual([7])
    expect(problems).toEqual([0, 1, 2].map((row) => `row ${row}: column answer: ${why}`))
  })
})
