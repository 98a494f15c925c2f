import { expect, it } from 'vitest'
import { isGridAt } from '../../shared/checks/truncation/grid.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'

const tokenizer = await testTokenizer('qwen2.5')

/** Whether four rows of so many letters are a grid at this end; `short` takes a letter off the last. */
function isGrid(side: 'left' | 'right', width: number, short = 0): boolean {
  const rows = ['x.o-', '-x.o', 'o-x.', '.o-x'].map((row) => row.repeat(width >> 2))
  const text = rows.join('\n').slice(0, 4 * (width + 1) - 1 - short)
  const ids = Int32Array.from(tokenizer.encode(text))
  return isGridAt(side, tokenizer.table, ids, { start: 0, end: ids.length }, text.length)
}

it.each([
  'left',
  'right',
] as const)('rows of one width are a grid at the %s, as wide as boards and tables are', (side) => {
  expect(isGrid(side, 8)).toBe(true)
  expect(isGrid(side, 400)).toBe(true)
  expect(isGrid(side, 404)).toBe(false)
})

it('a limit leaves the last row narrower', () => {
  expect(isGrid('right', 40, 3)).toBe(false)
})
