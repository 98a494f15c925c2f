import fc from 'fast-check'
import { expect, test } from 'vitest'
import { baseAfter, type DrawnRows, slotOf } from '../../renderer/lists/row-slots.ts'

const SLOTS = 50
const windows = fc.array(fc.record({ first: fc.nat({ max: 400 }), rows: fc.integer({ min: 1, max: SLOTS }) }), {
  minLength: 1,
  maxLength: 30,
})

function slotsOf({ first, end, base }: DrawnRows): Map<number, number> {
  return new Map(Array.from({ length: end - first }, (_, at) => [first + at, slotOf(first + at, base, SLOTS)]))
}

test('rows that stay keep their elements, and those after a leap take them in the order in which they stand', () => {
  fc.assert(
    fc.property(windows, (given) => {
      let before: DrawnRows = { first: 0, end: 0, base: 0 }
      for (const { first, rows } of given) {
        const end = first + rows
        const now = { first, end, base: baseAfter(before, first, end) }
        const [had, has] = [slotsOf(before), slotsOf(now)]
        expect(new Set(has.values()).size).toBe(rows)
        for (const slot of has.values()) expect(slot >= 0 && slot < SLOTS).toBe(true)
        const stayed = [...has].filter(([row]) => had.has(row))
        for (const [row, slot] of stayed) expect(slot).toBe(had.get(row))
        if (stayed.length === 0) {
          const shared = Math.min(rows, had.size)
          expect([...has.values()].slice(0, shared)).toEqual([...had.values()].slice(0, shared))
        }
        before = now
      }
    }),
  )
})
