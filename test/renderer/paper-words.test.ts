import { expect, test } from 'vitest'
import { linesOnPaper, rowsOnPaper } from '../../renderer/text/paper-words.ts'

test('paper says how much of a table it has', () => {
  expect(rowsOnPaper(96, 96, 0)).toBe('All 96 rows.')
  expect(rowsOnPaper(2000, 12_000, 0)).toBe(
    'The first 2,000 of 12,000 rows; 10,000 are left out, and an export has all of them.',
  )
  expect(rowsOnPaper(96, 96, 1)).toContain('1 row had not been fetched and is a line with “…”')
})

test('paper says which lines of a rollout it has, unless it has all of them', () => {
  expect(linesOnPaper(1, 40, 40)).toBeNull()
  expect(linesOnPaper(0, 0, 0)).toBeNull()
  expect(linesOnPaper(101, 5100, 9000)).toBe(
    'Lines 101 to 5,100 of 9,000, those around the ones on screen; 4,000 are left out.',
  )
})
