import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countOf, firstDifference, runEnd, runsOf } from '../../shared/checks/oracles/spans.ts'
import { copyBeside } from '../../shared/containers/kernel/numbers.ts'
import { kernelInput, kernelWith } from '../../shared/containers/kernel/thread-kernel.ts'
import { firstOf, idSet } from '../../shared/tokens/id-set.ts'

/** Runs of few values, short and long. */
const runs = fc
  .array(fc.tuple(fc.constantFrom(0, 1, 2, 255), fc.oneof(fc.nat(3), fc.nat(150))), { maxLength: 8 })
  .map((list) => list.flatMap(([value, length]) => Array<number>(length).fill(value)))
const place = fc.nat(400)

/** The same bytes in an array of its own, and in the memory of the kernel, `before` bytes behind its beginning; other bytes are around them. */
function everywhere(values: readonly number[], before: number): Uint8Array[] {
  const around = [...Array<number>(before).fill(7), ...values, ...Array<number>(20).fill(7)]
  const held = kernelInput(around.length)
  if (held === null) throw new Error('this machine runs no WebAssembly with vectors')
  held.set(around)
  return [Uint8Array.from(around), held].map((bytes) => bytes.subarray(before, before + values.length))
}

const between = (from: number, to: number, values: readonly number[]) => {
  const end = Math.min(to, values.length)
  return { start: Math.min(from, end), end }
}

test('one of the arrays that is asked for lies in the kernel', () => {
  expect(everywhere([1, 2], 1).map((array) => kernelWith(array) !== null)).toEqual([false, true])
})

test('the first difference of two arrays is found wherever they begin in their buffers', () => {
  fc.assert(
    fc.property(
      runs,
      fc.nat(5),
      fc.nat(5),
      fc.array(place, { maxLength: 2 }),
      place,
      place,
      (values, a, b, changed, from, to) => {
        const { start, end } = between(from, to, values)
        const others = values.map((value, at) => (changed.includes(at) ? 3 : value))
        let expected = start
        while (expected < end && values[expected] === others[expected]) expected++
        // Both in one memory: the second behind the first.
        const both = everywhere([...values, ...Array<number>(b).fill(9), ...others], a)
        for (const array of both) {
          const second = array.subarray(values.length + b)
          expect(firstDifference(array.subarray(0, values.length), second, start, end)).toBe(expected)
          expect(firstDifference(array, Uint8Array.from(others), start, end)).toBe(expected)
        }
      },
    ),
    { numRuns: 2000 },
  )
})

test('a run ends at the first other value, however long it is and wherever its array lies', () => {
  fc.assert(
    fc.property(runs, fc.nat(5), place, place, (values, before, from, to) => {
      fc.pre(values.length > 0)
      const start = Math.min(from, values.length - 1)
      const end = Math.max(start + 1, Math.min(to, values.length))
      let expected = start
      while (expected < end && values[expected] === values[start]) expected++
      for (const array of everywhere(values, before)) expect(runEnd(array, start, end)).toBe(expected)
    }),
    { numRuns: 2000 },
  )
})

test('an end beyond the arrays is theirs', () => {
  const same = Array<number>(100).fill(1)
  for (const array of everywhere(same, 1)) {
    for (const end of [101, 104, 400]) {
      expect(runEnd(array, 3, end)).toBe(100)
      expect(runsOf(array, 1, 3, end)).toEqual([{ start: 3, end: 100 }])
      expect(countOf(array, 1, 3, end)).toBe(97)
      expect(firstDifference(array, Uint8Array.from(same), 3, end)).toBe(100)
      expect(firstDifference(array, Uint8Array.from([...same, 1, 1]), 3, end)).toBe(100)
    }
  }
})

test('runs of a value and their tokens are those that a look at each finds', () => {
  fc.assert(
    fc.property(runs, fc.nat(5), place, place, (values, before, from, to) => {
      const { start, end } = between(from, to, values)
      const expected: { start: number; end: number }[] = []
      for (let at = start; at < end; at++) {
        if (values[at] !== 1) continue
        const last = expected.at(-1)
        if (last?.end === at) last.end = at + 1
        else expected.push({ start: at, end: at + 1 })
      }
      for (const array of everywhere(values, before)) {
        expect(runsOf(array, 1, start, end)).toEqual(expected)
        for (const value of [0, 1, 255]) {
          const count = values.filter((each, at) => at >= start && at < end && each === value).length
          expect(countOf(array, value, start, end)).toBe(count)
        }
      }
    }),
    { numRuns: 2000 },
  )
})

test('a copy beside bytes is one of its own', () => {
  for (const array of everywhere([1, 0, 255, 1, 1], 3)) {
    const copy = copyBeside(array)
    array[0] = 9
    expect([...copy]).toEqual([1, 0, 255, 1, 1])
  }
})

test('a set of ids has those that it was made of, and none that the vocabulary does not have', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.array(fc.nat(200)), (size, members) => {
      const set = idSet(size, members)
      for (const id of [...Array(size + 70).keys(), -1, -32, -(2 ** 31), 2 ** 31 - 1]) {
        expect(firstOf(set, Int32Array.of(id), 0, 1) === 0).toBe(id >= 0 && id < size && members.includes(id))
      }
    }),
  )
})
