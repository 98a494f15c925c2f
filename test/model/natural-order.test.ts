import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inNaturalOrder } from '../../shared/model/natural-order.ts'

it('counts the numbers in names, folder by folder', () => {
  const right = ['a.jsonl', 'run/rank_2.jsonl', 'run/step_1/b.jsonl', 'run/step_2/a.jsonl', 'run/step_10/a.jsonl', 'z']
  expect([...right].reverse().sort(inNaturalOrder)).toEqual(right)
  expect(['step_10', 'step_1', 'step_2'].sort(inNaturalOrder)).toEqual(['step_1', 'step_2', 'step_10'])
})

it('is an order: no two names are the same, and nothing depends on where one began', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'B', '0', '1', '9', '_', '/', '.') })
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 12 }), (names) => {
      const sorted = [...names].sort(inNaturalOrder)
      expect([...names].reverse().sort(inNaturalOrder)).toEqual(sorted)
      for (const [i, one] of sorted.entries()) {
        for (const other of sorted.slice(i + 1)) expect(inNaturalOrder(one, other)).toBeLessThan(0)
      }
    }),
  )
})
