import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SourceNumbers } from '../../shared/exports/source-numbers.ts'

describe('numbers of the source behind 32-bit copies', () => {
  test('come back in full from wherever the record holds them', () => {
    const stored = Float64Array.from([-0.1, -1.23456789012, 0, -0, 3.3333333333333335])
    const numbers = new SourceNumbers({ deep: { lists: [{ logprobs: stored }] } })
    const stream = Float32Array.from([Number.NaN, ...stored])
    expect([...numbers.restore(stream)]).toEqual([Number.NaN, ...stored])
  })

  test('come back from one object per token', () => {
    const record = {
      content: [
        { token: 'a', logprob: -0.1 },
        { token: 'b', logprob: -0.7 },
      ],
    }
    expect([...new SourceNumbers(record).restore(Float32Array.from([-0.1, -0.7]))]).toEqual([-0.1, -0.7])
  })

  test('two doubles that round to the same float are told apart by their neighbours', () => {
    const close = [0.1, 0.1 + 1e-12]
    expect(Math.fround(close[0]!)).toBe(Math.fround(close[1]!))
    const record = { sampler: [5.5, close[0]!, 6.5], trainer: [7.5, close[1]!, 8.5] }
    const numbers = new SourceNumbers(record)
    expect([...numbers.restore(Float32Array.from(record.sampler))]).toEqual(record.sampler)
    expect([...numbers.restore(Float32Array.from(record.trainer))]).toEqual(record.trainer)
  })

  test('a long stream, each number of which stands there rounded as well, is looked up as its neighbours are', () => {
    const exact = Float64Array.from({ length: 20_000 }, (_, i) => -Math.log(1 + (i % 5000) * 0.37))
    let looks = 0
    const watched = new Proxy(exact, {
      get: (array, key) => {
        looks++
        return Reflect.get(array, key)
      },
    })
    const rounded = exact.map(Math.fround)
    const numbers = new SourceNumbers({ rounded, exact: watched })
    expect(numbers.restore(Float32Array.from(exact))).toEqual(rounded)
    expect(looks).toBeLessThan(100 * exact.length)
  })

  test('what the record does not hold stays what it is', () => {
    expect([...new SourceNumbers({ a: [1] }).restore(Float32Array.from([0.25, Number.POSITIVE_INFINITY]))]).toEqual([
      0.25,
      Number.POSITIVE_INFINITY,
    ])
  })

  test('every number of a stream is one that the record holds', () => {
    // Floats below the smallest 32-bit one round to zero, which keeps its own value.
    const number = fc.double({ noNaN: true, min: -50, max: -1e-30 })
    const stream = fc.array(number, { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(stream, stream, (sampler, trainer) => {
        const numbers = new SourceNumbers({ logprobs: { sampler, trainer: Float64Array.from(trainer) } })
        const held = new Set([...sampler, ...trainer])
        const restored = [...numbers.restore(Float32Array.from(sampler))]
        expect(restored.map(Math.fround)).toEqual(sampler.map(Math.fround))
        for (const value of restored) expect(held).toContain(value)
      }),
    )
  })
})
