import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countOf, indicesOf, withBoth, withEither } from '../../shared/query/verdict-loops.ts'
import { Verdict } from '../../shared/query/verdicts.ts'

const verdict = fc.constantFrom(Verdict.no, Verdict.open, Verdict.yes)
const pairs = fc.array(fc.tuple(verdict, verdict), { maxLength: 40 })

describe('verdicts, several at a time', () => {
  const checked = (check: (one: Uint8Array, other: Uint8Array, skip: number) => void) =>
    fc.assert(
      // Wherever they begin in their memory.
      fc.property(pairs, fc.nat(5), (rows, skip) => {
        const one = Uint8Array.from(rows, ([verdict]) => verdict)
        const other = Uint8Array.from(rows, ([, verdict]) => verdict)
        check(one.subarray(Math.min(skip, one.length)), other.subarray(Math.min(skip, one.length)), skip)
      }),
    )

  test('are counted and found as each is', () => {
    checked((verdicts) => {
      for (const wanted of Object.values(Verdict)) {
        const plainly = [...verdicts].flatMap((each, i) => (each === wanted ? [i] : []))
        expect(countOf(verdicts, wanted)).toBe(plainly.length)
        expect([...indicesOf(verdicts, wanted)]).toEqual(plainly)
      }
    })
  })

  test('are joined as each is', () => {
    checked((one, other) => {
      const joined = (join: (a: number, b: number) => number) =>
        [...one].map((each, i) => join(each, other[i] as number))
      const [least, most] = [joined(Math.min), joined(Math.max)]
      const both = one.slice()
      withBoth(both, other)
      expect([...both]).toEqual(least)
      const either = one.slice()
      withEither(either, other)
      expect([...either]).toEqual(most)
      // Where the two lie otherwise in their memory.
      const shifted = new Uint8Array(one.length + 1).subarray(1)
      shifted.set(one)
      withBoth(shifted, other)
      expect([...shifted]).toEqual(least)
    })
  })
})
