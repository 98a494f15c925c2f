import { describe, expect, test } from 'vitest'
import { csvLine } from '../../shared/exports/csv.ts'

describe('cells of a table', () => {
  test.each([
    [['=HYPERLINK("https://example.org")'], `"'=HYPERLINK(""https://example.org"")"\n`],
    [['@SUM(A1)', '+1', '-x', '\tx'], `'@SUM(A1),'+1,'-x,'\tx\n`],
    [['a,b', 'say "so"', 'two\nlines'], `"a,b","say ""so""","two\nlines"\n`],
    [[' spaced '], `" spaced "\n`],
  ])('%j is text', (cells, line) => {
    expect(csvLine(cells)).toBe(line)
  })

  test('numbers are not text: a negative one is not guarded, and none is rounded', () => {
    expect(csvLine([-0.123456789012345, 1e-7, true, null])).toBe('-0.123456789012345,1e-7,true,\n')
  })
})
