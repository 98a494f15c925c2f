import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { joinColumns } from '../../shared/checks/facts/join-columns.ts'
import {
  addFacts,
  FactsKeeper,
  factRuns,
  packFacts,
  plainFacts,
  renumberedFacts,
} from '../../shared/checks/facts/kept-facts.ts'
import { Column, cellAt, intoOneBuffer, KIND, packColumn } from '../../shared/checks/facts/packed-columns.ts'
import { factsOf } from '../helpers/facts.ts'
import { anyDump } from '../session/any-facts.ts'

const digest = fc.stringMatching(/^[0-9a-f]{16}$/)
const shortDigest = fc.stringMatching(/^[0-9a-f]{8}$/)
const number = fc.oneof(fc.nat(300), fc.integer(), fc.double(), fc.constant(-0), fc.nat(2 ** 40))
const text = fc.oneof(fc.string(), fc.constantFrom('', '__proto__', '0123456789ABCDEF', '0123456789abcdef0'))

const object = { noNullPrototype: true } as const
const listOfObjects = fc.array(
  fc.record({ count: fc.nat(300), edge: shortDigest, open: fc.constantFrom('left', 'right') }, object),
)

/** Columns of one kind of value, repeated often or seldom, with and without holes. */
function columns<Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<unknown[]> {
  const holed = fc.oneof({ weight: 5, arbitrary: values }, fc.constant(null), fc.constant(undefined))
  return fc
    .oneof(fc.array(values, { minLength: 1 }), fc.array(holed, { minLength: 1 }))
    .chain((few) => fc.oneof(fc.constant(few), fc.array(fc.constantFrom(...few), { minLength: 1, maxLength: 40 })))
}

function comeBack(columnOf: fc.Arbitrary<unknown[]>): void {
  fc.assert(
    fc.property(fc.array(columnOf, { minLength: 1, maxLength: 3 }), (table) => {
      const packed = table.map(packColumn)
      const buffer = intoOneBuffer(packed)
      const posted = structuredClone(packed, { transfer: [buffer] })
      expect(posted.map((column, i) => table[i]?.map((_, row) => cellAt(new Column(column), row)))).toStrictEqual(table)
    }),
  )
}

describe('a packed column gives back its values', () => {
  it.each<[string, fc.Arbitrary<unknown>]>([
    ['numbers', number],
    ['bytes as numbers', fc.nat(255)],
    ['flags', fc.boolean()],
    ['texts', text],
    ['digests', digest],
    ['digests and other texts', fc.oneof(digest, text)],
    ['lists of numbers', fc.array(number)],
    ['lists of short digests', fc.array(shortDigest)],
    ['short digests', shortDigest],
    ['lists of objects', listOfObjects],
    ['lists of objects of different names', fc.array(fc.dictionary(text, number, object))],
    ['lists of objects with holes', fc.array(fc.option(fc.record({ count: number }, object)))],
    ['lists with holes', fc.array(fc.option(number))],
    ['pairs', fc.tuple(number, number)],
    ['drawings', fc.uint8Array()],
    [
      'objects',
      fc.record({ count: number, hash: digest, deeper: fc.option(fc.record({ a: number }, object)) }, object),
    ],
    ['objects of different names', fc.dictionary(text, number, object)],
    ['values of every kind', fc.oneof(number, text, fc.boolean(), fc.array(text), fc.record({ text }, object))],
  ])('%s', (_, values) => comeBack(columns(values)))
})

describe('columns that are joined', () => {
  const anyColumn = fc.oneof(
    columns(number),
    columns(fc.nat(300)),
    columns(fc.boolean()),
    columns(text),
    columns(digest),
    columns(fc.oneof(digest, text)),
    columns(fc.nat(2000).map((record) => `rollout-${record}`)),
    columns(fc.array(number)),
    columns(shortDigest),
    columns(fc.oneof(digest, shortDigest)),
    columns(fc.array(shortDigest)),
    columns(listOfObjects),
    columns(fc.array(fc.record({ count: number }, object))),
    columns(fc.uint8Array()),
    columns(fc.record({ count: number, hash: digest, deeper: fc.option(fc.record({ a: number }, object)) }, object)),
    columns(fc.record({ count: number }, object)),
    columns(fc.constant(null)),
    columns(fc.constant(undefined)),
  )
  const read = (column: Column, rows: number) => Array.from({ length: rows }, (_, row) => cellAt(column, row))
  const joined = (tables: readonly (readonly unknown[])[]) =>
    joinColumns(tables.map((values) => ({ column: packColumn(values), rows: values.length })))

  it.each<[string, fc.Arbitrary<unknown[][]>]>([
    [
      'of one kind',
      anyColumn.chain((own) => fc.array(fc.array(fc.constantFrom(...own), { minLength: 1 }), { minLength: 1 })),
    ],
    ['of any', fc.array(anyColumn, { minLength: 1, maxLength: 6 })],
  ])('have the values of all of them, %s', (_, tables) => {
    fc.assert(
      fc.property(tables, (all) => {
        const values = all.flat()
        const column = joined(all)
        expect(read(column, values.length)).toStrictEqual(values)
        const half = all.length >> 1
        const again = [all.slice(0, half), all.slice(half)].filter(({ length }) => length > 0)
        const twice = joinColumns(again.map((own) => ({ column: joined(own), rows: own.flat().length })))
        intoOneBuffer([twice])
        expect(read(twice, values.length)).toStrictEqual(values)
      }),
    )
  })

  it('stay of their kind, where that holds all of them', () => {
    const kindOf = (...tables: (readonly unknown[])[]) => joined(tables).kind
    const [ids, others] = [0, 100].map((from) => Array.from({ length: 8 }, (_, at) => `rollout-${from + at}`))
    expect(kindOf(ids as string[], others as string[], [null])).toBe(KIND.templated)
    expect(kindOf([1, 2], [3, null], [null], [0.5, 0.25], [7, 7])).toBe(KIND.floats)
    expect(kindOf([1, 2], [3, null], [300])).toBe(KIND.integers)
    expect(kindOf(['a', 'a', 'b', 'b'], ['c', 'c', 'a', 'a'], ['d'])).toBe(KIND.chosen)
    expect(kindOf([null, null], [undefined])).toBe(KIND.chosen)
    expect(kindOf([[1], [2, 3]], [[], []], [null])).toBe(KIND.lists)
    expect(kindOf([{ a: 1 }, { a: 2 }], [null])).toBe(KIND.objects)
    expect(kindOf([[{ a: 1 }], []], [null], [[{ a: 2 }, { a: 3 }], [{ a: 1 }]])).toBe(KIND.objectLists)
    expect(kindOf(['a0000001', 'b0000002', 'c0000003'], [null], ['d0000004', 'a0000005'])).toBe(KIND.shortDigests)
    expect(kindOf([4, 4], [4])).toBe(KIND.same)
    expect(kindOf([{ a: 1 }, { a: 2 }], [{ b: 1 }, { b: 2 }])).toBe(KIND.pieces)
  })
})

const kept = (facts: readonly TrajectoryFacts[]) => new FactsKeeper().keep(structuredClone(packFacts(facts)))()

describe('facts that are kept', () => {
  it('take no object for a long reply', () => {
    const hash = (of: number) => ((0x9e3779b1 * of) >>> 0).toString(16).padStart(8, '0')
    const longReply = (at: number) => ({
      start: 100 + at,
      end: 700 + at,
      tokens: 600,
      characters: 3000 + at,
      open: 'right' as const,
      text: hash(2 * at),
      edge: hash(2 * at + 1),
      tool: at % 3 === 0 ? 'search' : 'open_page',
      turn: 1 + (at % 4),
    })
    const facts = Array.from({ length: 1000 }, (_, record) =>
      factsOf(record, { longReplies: [longReply(record), longReply(record + 1)] }),
    )
    const { columns, buffer } = packFacts(facts)
    expect(columns.filter(({ kind }) => kind === KIND.listed)).toEqual([])
    expect(buffer.byteLength / facts.length).toBeLessThan(100)
  })

  it('are those that were found', () => {
    fc.assert(
      fc.property(anyDump, (dump) => {
        for (const rows of dump) expect(kept(rows).map(plainFacts)).toStrictEqual(rows)
      }),
    )
  })

  it('of the dump before take no place of those that come', () => {
    const keeper = new FactsKeeper()
    const dump = [0, 1, 2, 3].map((reward) => [0, 1, 2, 3, 4].map((record) => factsOf(record, { reward: reward - 0 })))
    const all = dump.map((rows) => keeper.keep(packFacts(rows))())
    expect(all.map((rows) => rows.map(plainFacts))).toStrictEqual(dump)
    const zeros = [0, -0].map((reward) => keeper.keep(packFacts([1, 2, 3, 4].map((at) => factsOf(at, { reward }))))())
    expect(zeros.map(([first]) => first?.reward)).toEqual([0, -0])
  })

  it('stay what they are while batches are joined', () => {
    fc.assert(
      fc.property(fc.array(anyDump, { maxLength: 4 }), (dumps) => {
        const keeper = new FactsKeeper({ mostOfALevel: 2, rowsOfATable: 15 })
        const batches = dumps.flat()
        // Some are made as they come, the others when all batches are there that those before them may be joined with.
        const making = batches.map((rows, at) => {
          const make = keeper.keep(structuredClone(packFacts(rows)))
          const made = at % 2 === 0 ? make() : null
          return () => made ?? make()
        })
        const all = making.flatMap((make) => make())
        expect(all.map(plainFacts)).toStrictEqual(batches.flat())
        const moved = renumberedFacts(all, 3)
        expect(moved.map(({ place }) => place)).toStrictEqual(
          batches.flat().map(({ place }) => ({ ...place, source: 3 })),
        )
      }),
    )
  })

  it('of many batches lie beside each other in few columns', () => {
    const keeper = new FactsKeeper({ mostOfALevel: 4, rowsOfATable: 100 })
    const all: TrajectoryFacts[] = []
    for (let batch = 0; batch < 60; batch++) {
      addFacts(all, keeper.keep(packFacts([0, 1, 2, 3, 4].map((at) => factsOf(5 * batch + at, { reward: at }))))())
    }
    expect(factRuns(all, 0).map(({ start, length }) => [start, length])).toEqual([
      [0, 100],
      [100, 100],
      [200, 100],
    ])
    expect(all.map(({ place }) => place.record)).toEqual(all.map((_, record) => record))
  })

  it('may be given the number of another source', () => {
    const rows = [0, 1, 2, 3, 4, 5].map((record) => factsOf(record, { place: { source: 0, record, part: 1 } }))
    const moved = renumberedFacts(kept(rows), 7)
    expect(moved.map(plainFacts)).toStrictEqual(rows.map((each) => ({ ...each, place: { ...each.place, source: 7 } })))
  })

  it('are handed out without the drawings of their neighbours', () => {
    const rows = [0, 1, 2, 3, 4].map((record) => factsOf(record, { strip: Uint8Array.of(1, record, 2, 9) }))
    const [, second] = kept(rows).map(plainFacts)
    expect(second?.strip.buffer.byteLength).toBe(4)
  })
})
