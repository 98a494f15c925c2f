import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forgetLast } from '../../shared/checks/of-last.ts'
import { firstHigh } from '../../shared/checks/oracles/high-ids.ts'
import { bagOf, bytesBeside, firstAtLeast, firstOfNumber, flagsOf } from '../../shared/containers/kernel/numbers.ts'
import { kernelWith } from '../../shared/containers/kernel/thread-kernel.ts'
import { hashOfNumbers } from '../../shared/model/bulk-hash.ts'
import { firstOf, idSet } from '../../shared/tokens/id-set.ts'
import { inKernel } from './numbers-in-kernel.ts'

const ids = fc
  .array(fc.oneof({ weight: 30, arbitrary: fc.nat({ max: 1000 }) }, fc.integer()), { maxLength: 90, size: 'max' })
  .map((list) => Int32Array.from(list))
const flags = fc
  .array(fc.oneof({ weight: 200, arbitrary: fc.nat({ max: 1 }) }, fc.constantFrom(2, -1, 256, 65536)), {
    maxLength: 90,
    size: 'max',
  })
  .map((list) => Int32Array.from(list))
const place = fc.integer({ min: -3, max: 95 })

describe('what the kernel tells of the numbers that lie in it', () => {
  test('is asked of it', () => {
    expect(kernelWith(inKernel(Int32Array.of(7)))).not.toBeNull()
    expect(kernelWith(Int32Array.of(7))).toBeNull()
  })

  test('the first that is at least a bound is the one that a search finds', () => {
    fc.assert(
      fc.property(ids, fc.constantFrom(1, 900, 1001, 2 ** 31), place, place, (numbers, bound, from, to) => {
        const isFound = (id: number, at: number) => at >= from && at < to && (id < 0 || id >= bound)
        const expected = numbers.findIndex(isFound)
        for (const each of [numbers, inKernel(numbers)]) {
          expect(firstAtLeast(each, bound, from, to)).toBe(expected < 0 ? to : expected)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('the first of a set is the one that a search finds, and none is of it that no vocabulary has', () => {
    const vocabulary = fc.constantFrom(1, 31, 32, 33, 1000, 1001, 150_000)
    const members = fc.array(fc.nat({ max: 1000 }), { maxLength: 40 })
    fc.assert(
      fc.property(ids, vocabulary, members, place, place, (numbers, size, set, a, b) => {
        const from = Math.max(a, 0)
        const to = Math.min(b, numbers.length)
        const known = new Set(set.filter((id) => id < size))
        const expected = numbers.findIndex((id, at) => at >= from && at < to && known.has(id))
        for (const each of [numbers, inKernel(numbers)]) {
          expect(firstOf(idSet(size, set), each, from, to)).toBe(expected < 0 ? to : expected)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('more sets than there is room for are found in by turns, and one that is too large all the same', () => {
    const held = inKernel(Int32Array.from({ length: 64 }, (_, at) => at * 1000))
    const sets = Array.from({ length: 20 }, (_, at) => idSet(150_000, [at * 3000]))
    for (const set of [...sets, ...sets]) {
      expect(firstOf(set, held, 0, 64)).toBe(sets.indexOf(set) * 3)
    }
    expect(firstOf(idSet(2_000_000, [63_000]), held, 0, 64)).toBe(63)
    expect([...held]).toEqual(Array.from({ length: 64 }, (_, at) => at * 1000))
  })

  test('high ids are found where a search finds them, whoever asked before and however many there are', () => {
    const asked = fc.array(fc.record({ bound: fc.constantFrom(1, 5, 900, 1001, 2 ** 31), from: place, to: place }), {
      minLength: 1,
      maxLength: 6,
    })
    const least = fc.constantFrom(1, 5, 900)
    fc.assert(
      fc.property(ids, least, asked, (numbers, lowest, questions) => {
        forgetLast()
        for (const { bound, from, to } of questions) {
          const expected = firstAtLeast(numbers, bound, from, to)
          expect(firstHigh(numbers, lowest, bound, from, to)).toBe(expected)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('a number is found where a search finds it', () => {
    fc.assert(
      fc.property(ids, fc.nat({ max: 90 }), place, place, (numbers, which, from, to) => {
        const value = numbers[which] ?? 7
        const at = numbers.findIndex((each, index) => index >= from && index < to && each === value)
        expect(firstOfNumber(inKernel(numbers), value, from, to)).toBe(at < 0 ? to : at)
        expect(firstOfNumber(numbers, value, from, to)).toBe(at < 0 ? to : at)
      }),
      { numRuns: 1000 },
    )
  })

  test('flags become bytes, and anything else does not', () => {
    fc.assert(
      fc.property(flags, (numbers) => {
        const areFlags = numbers.every((number) => number === 0 || number === 1)
        const expected = areFlags ? Uint8Array.from(numbers) : null
        expect(flagsOf(numbers)).toEqual(expected)
        const held = inKernel(numbers)
        expect(flagsOf(held)).toEqual(expected)
        // They stand beside the numbers, which are as they were.
        expect(held).toEqual(numbers)
      }),
      { numRuns: 1000 },
    )
  })

  test('numbers hash as the script hashes them', () => {
    fc.assert(
      fc.property(ids, fc.nat({ max: 90 }), fc.nat({ max: 90 }), (numbers, a, b) => {
        const held = inKernel(numbers)
        const start = Math.min(a, b, numbers.length)
        const end = Math.min(Math.max(a, b), numbers.length)
        const expected = hashOfNumbers(numbers, start, end, null)
        expect(hashOfNumbers(held, start, end, kernelWith(held))).toEqual(expected)
      }),
    )
  })

  test('numbers in any order have one bag, wherever they lie', () => {
    fc.assert(
      fc.property(ids, fc.nat({ max: 90 }), fc.nat({ max: 90 }), (numbers, a, b) => {
        const start = Math.min(a, b, numbers.length)
        const end = Math.min(Math.max(a, b), numbers.length)
        const bag = bagOf(numbers, start, end)
        expect(bagOf(inKernel(numbers), start, end)).toBe(bag)
        expect(bagOf(numbers.slice(start, end).sort(), 0, end - start)).toBe(bag)
        if (start < end) expect(bagOf(numbers.with(start, (numbers[start] as number) ^ 1), start, end)).not.toBe(bag)
      }),
    )
  })

  test('bytes beside numbers are zeros of their own', () => {
    const held = inKernel(Int32Array.of(5, 6))
    const some = bytesBeside(held, 3).fill(9)
    const others = bytesBeside(some, 5)
    expect(others.buffer).toBe(held.buffer)
    expect([...held, ...some, ...others]).toEqual([5, 6, 9, 9, 9, 0, 0, 0, 0, 0])
    expect([...bytesBeside(inKernel(Int32Array.of(5)), 8)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
    const elsewhere = bytesBeside(Int32Array.of(5), 2)
    expect([elsewhere.length, elsewhere.buffer.byteLength]).toEqual([2, 2])
    // Where there is no room left they lie elsewhere.
    expect(bytesBeside(held, 1 << 24).buffer.byteLength).toBe(1 << 24)
  })
})
