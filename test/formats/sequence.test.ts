import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readIds, SequenceArrays } from '../../shared/formats/sequence.ts'
import type { RecordIssue } from '../../shared/model/trajectory.ts'

const masks = fc.array(
  fc.oneof({ weight: 20, arbitrary: fc.constantFrom(0, 1) }, { weight: 1, arbitrary: fc.constantFrom(-100, -1, 2, 7) }),
  { maxLength: 40 },
)

describe('arrays of whole numbers are read as those of doubles are', () => {
  it('masks, of any length and from any token on', () => {
    fc.assert(
      fc.property(masks, fc.nat({ max: 40 }), fc.nat({ max: 10 }), (mask, length, at) => {
        const read = (values: Int32Array | Float64Array) => {
          const issues: RecordIssue[] = []
          const arrays = new SequenceArrays(length, issues)
          return { stream: arrays.mask('loss_mask', values, Math.min(at, length)), issues, arrays: arrays.arrays }
        }
        expect(read(Int32Array.from(mask))).toEqual(read(Float64Array.from(mask)))
      }),
      { numRuns: 2000 },
    )
  })

  it('masks, as what each value stands for', () => {
    const arrays = new SequenceArrays(6, [])
    expect(arrays.mask('loss_mask', Int32Array.of(0, 1, 1, 2, 0))).toEqual({
      mask: Uint8Array.of(0, 1, 1, 1, 0, 255),
      weights: Float32Array.of(0, 1, 1, 2, 0, Number.NaN),
    })
  })

  it('ids', () => {
    const ids = fc.array(fc.oneof(fc.nat({ max: 200_000 }), fc.constantFrom(0x7fffffff)), { maxLength: 30 })
    fc.assert(
      fc.property(ids, (numbers) => {
        const issues: RecordIssue[] = []
        const whole = readIds('input_ids', Int32Array.from(numbers), issues)
        expect(readIds('input_ids', Float64Array.from(numbers), issues)).toEqual(whole)
        expect(issues).toEqual([])
      }),
    )
    for (const numbers of [Int32Array.of(5, -3, -4), Float64Array.of(5, -3, 2 ** 31)]) {
      const issues: RecordIssue[] = []
      readIds('input_ids', numbers, issues)
      expect(issues).toEqual([
        { code: 'id-out-of-range', field: 'input_ids', message: 'input_ids[1] is -3, which no vocabulary has' },
      ])
    }
  })
})
