import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstDifference, runEnd } from '../../shared/checks/spans.ts'

const bytes = fc.array(fc.constantFrom(0, 0, 0, 0, 1), { maxLength: 40 })

test('the first difference of two arrays is found wherever they begin in their buffers', () => {
  fc.assert(
    fc.property(
      bytes,
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 0, max: 5 }),
      fc.array(fc.nat(39), { maxLength: 2 }),
      fc.nat(40),
      fc.nat(40),
      (values, a, b, changed, from, to) => {
        const first = new Uint8Array([...Array(a).fill(7), ...values]).subarray(a)
        const second = new Uint8Array([...Array(b).fill(9), ...values]).subarray(b)
        for (const at of changed) if (at < values.length) second[at] = 3
        const end = Math.min(to, values.length)
        const start = Math.min(from, end)
        let expected = start
        while (expected < end && first[expected] === second[expected]) expected++
        expect(firstDifference(first, second, start, end)).toBe(expected)
      },
    ),
    { numRuns: 2000 },
  )
})

test('a run ends at the first other value, however long it is and wherever its array begins in the buffer', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(3), fc.nat(150)), { minLength: 1, maxLength: 6 }),
      fc.nat(5),
      fc.nat(300),
      fc.nat(600),
      (runs, before, from, to) => {
        const values = runs.flatMap(([value, length]) => Array<number>(length + 1).fill(value))
        const array = new Uint8Array([...Array(before).fill(7), ...values]).subarray(before)
        const start = Math.min(from, array.length - 1)
        const end = Math.max(start + 1, Math.min(to, array.length))
        let expected = start
        while (expected < end && array[expected] === array[start]) expected++
        expect(runEnd(array, start, end)).toBe(expected)
      },
    ),
    { numRuns: 2000 },
  )
})
