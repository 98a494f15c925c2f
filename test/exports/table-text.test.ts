import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Cell } from '../../shared/exports/csv.ts'
import { tableText } from '../../shared/exports/table-text.ts'

const ROWS: readonly Cell[][] = [
  ['=1+1', 0.1, null],
  ['a | b <x> `c`', Number.NaN, true],
]
const TABLE = { columns: ['name', 'value', 'flag'], rows: ROWS }

test('a table is the same as CSV, JSON and Markdown', () => {
  expect(tableText(TABLE, 'csv')).toBe("name,value,flag\n'=1+1,0.1,\na | b <x> `c`,NaN,true\n")
  expect(JSON.parse(tableText(TABLE, 'json'))).toEqual([
    { name: '=1+1', value: 0.1, flag: null },
    { name: 'a | b <x> `c`', value: null, flag: true },
  ])
  expect(tableText(TABLE, 'markdown').split('\n')).toEqual([
    '| name | value | flag |',
    '| --- | --- | --- |',
    '| =1+1 | 0.1 |  |',
    '| a \\| b \\<x\\> \\`c\\` | NaN | true |',
    '',
  ])
  expect(tableText({ ...TABLE, rows: [] }, 'json')).toBe('[\n]\n')
})

test('no text of a dump breaks a row of Markdown', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string())), (rows) => {
      const lines = tableText({ columns: ['a', 'b'], rows }, 'markdown')
        .trimEnd()
        .split(/[\n\r\u2028\u2029]/)
      expect(lines).toHaveLength(rows.length + 2)
      for (const line of lines) expect(line.replace(/\\[\\|]/g, '').split('|')).toHaveLength(4)
    }),
  )
})
