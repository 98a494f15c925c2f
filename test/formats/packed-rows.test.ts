import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sequenceOf, spansOfDocuments, spansOfPositions } from '../../shared/formats/packed-rows.ts'
import { emptyTrajectory } from '../../shared/model/trajectory.ts'

/** Lengths of sequences, two tokens or more, and the padding behind them. */
const packings = fc.record({
  lengths: fc.array(fc.integer({ min: 2, max: 9 }), { minLength: 1, maxLength: 6 }),
  padding: fc.oneof(fc.constant(0), fc.integer({ min: 2, max: 5 })),
})

function expectedOf({ lengths, padding }: { lengths: number[]; padding: number }) {
  let start = 0
  return lengths.map((length, i) => {
    const own = i === lengths.length - 1 ? padding : 0
    const span = { start, end: start + length + own, padding: own }
    start += length
    return span
  })
}

test('sequences are found by the numbers of their documents', () => {
  fc.assert(
    fc.property(packings, (packing) => {
      const documents = packing.lengths.flatMap((length, i) => new Array<number>(length).fill(i + 1))
      const row = [...documents, ...new Array<number>(packing.padding).fill(0)]
      expect(spansOfDocuments(row)).toEqual(expectedOf(packing))
    }),
  )
})

test('and by positions that begin again, zeros at the end being padding', () => {
  fc.assert(
    fc.property(packings, (packing) => {
      const positions = packing.lengths.flatMap((length) => Array.from({ length }, (_, i) => i))
      const row = [...positions, ...new Array<number>(packing.padding).fill(0)]
      expect(spansOfPositions(row)).toEqual(expectedOf(packing))
    }),
  )
})

test('whatever stands in a row, its spans cover it once', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1, max: 3 }), { maxLength: 30 }), (numbers) => {
      for (const spans of [spansOfDocuments(numbers), spansOfPositions(numbers)]) {
        let end = 0
        for (const span of spans) {
          expect(span.start).toBe(end)
          expect(span.padding).toBeLessThanOrEqual(span.end - span.start)
          end = span.end
        }
        expect(end).toBe(numbers.length)
      }
    }),
  )
})

test('a sequence has its part of every stream', () => {
  const row = {
    ...emptyTrajectory({ source: 0, record: 0, part: 0 }, 'hash'),
    ids: Int32Array.of(1, 2, 3, 4, 5),
    mask: Uint8Array.of(0, 1, 0, 1, 0),
    positionIds: Int32Array.of(0, 1, 0, 1, 0),
    advantages: Float32Array.of(1, 2, 3, 4, 5),
  }
  const part = sequenceOf(row, { start: 2, end: 5, padding: 1 })
  expect(part).toMatchObject({
    ids: Int32Array.of(3, 4, 5),
    mask: Uint8Array.of(0, 1, 0),
    positionIds: Int32Array.of(0, 1, 0),
    advantages: Float32Array.of(3, 4, 5),
    weights: null,
    padding: { left: 0, right: 1 },
  })
})
