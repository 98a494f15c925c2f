import { expect, test } from 'vitest'
import { rolloutName } from '../../renderer/text/rollout-name.ts'

test('a rollout without an id of its own is called by its record, any other by its id', () => {
  const at = (id: string, record: number, part = 0) => rolloutName({ id, place: { source: 0, record, part } })
  expect(at('12', 12)).toBe('record 12')
  expect(at('12.1', 12, 1)).toBe('record 12.1')
  expect(at('12', 11)).toBe('12')
  expect(at('12', 12, 1)).toBe('12')
  expect(at('gsm8k 12', 12)).toBe('gsm8k 12')
  expect(at('', 0)).toBe('(empty id)')
})
