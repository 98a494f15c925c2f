import { expect, test } from 'vitest'
import { parseRange } from '../../cli/server/byte-range.ts'

test.each([
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=2-4', { start: 2, end: 5 }],
  ['bytes=4-', { start: 4, end: 10 }],
  ['bytes=-3', { start: 7, end: 10 }],
  ['bytes=-99', { start: 0, end: 10 }],
  ['bytes=8-99', { start: 8, end: 10 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=99999999999999999999-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
])('%s of ten bytes is %o', (header, range) => {
  expect(parseRange(header, 10)).toEqual(range)
})

test.each([
  [null],
  [''],
  ['bytes=-'],
  ['bytes=4-2'],
  ['bytes=0-1,3-4'],
  ['bytes=a-b'],
  ['bytes=-1-2'],
  ['lines=0-1'],
])('%s asks for the whole file', (header) => {
  expect(parseRange(header, 10)).toBeNull()
})

test('an empty file has no byte to give', () => {
  expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable')
  expect(parseRange(null, 0)).toBeNull()
})
