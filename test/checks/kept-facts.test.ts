import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import { FactsKeeper, packFacts, plainFacts, renumberedFacts } from '../../shared/checks/kept-facts.ts'
import { Column, cellAt, intoOneBuffer, packColumn } from '../../shared/checks/packed-columns.ts'
import { factsOf } from '../helpers/facts.ts'
import { anyDump } from '../session/any-facts.ts'

const digest = fc.stringMatching(/^[0-9a-f]{16}$/)
const number = fc.oneof(fc.nat(300), fc.integer(), fc.double(), fc.constant(-0), fc.nat(2 ** 40))
const text = fc.oneof(fc.string(), fc.constantFrom('', '__proto__', '0123456789ABCDEF', '0123456789abcdef0'))

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
  const object = { noNullPrototype: true } as const
  it.each<[string, fc.Arbitrary<unknown>]>([
    ['numbers', number],
    ['bytes as numbers', fc.nat(255)],
    ['flags', fc.boolean()],
    ['texts', text],
    ['digests', digest],
    ['digests and other texts', fc.oneof(digest, text)],
    ['lists of numbers', fc.array(number)],
    ['lists of short digests', fc.array(fc.stringMatching(/^[0-9a-f]{8}$/))],
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

const kept = (facts: readonly TrajectoryFacts[]) => new FactsKeeper().unpack(structuredClone(packFacts(facts)))

describe('facts that are kept', () => {
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
    const all = dump.map((rows) => keeper.unpack(packFacts(rows)))
    expect(all.map((rows) => rows.map(plainFacts))).toStrictEqual(dump)
    const zeros = [0, -0].map((reward) => keeper.unpack(packFacts([1, 2, 3, 4].map((at) => factsOf(at, { reward })))))
    expect(zeros.map(([first]) => first?.reward)).toEqual([0, -0])
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
