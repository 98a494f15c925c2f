import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SEVERITY_RANKS } from '../../shared/query/values.ts'
import { CodesOfRows } from '../../shared/session/concluding/codes-of-rows.ts'

const anyRow = fc.record({
  codes: fc.subarray(['C04', 'M01', 'M10', 'T02']),
  worst: fc.constantFrom('error' as const, 'warning' as const, 'info' as const, null),
})

test('each row has the codes and the gravest severity that were added for it', () => {
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 3000, size: 'max' }), (rows) => {
      const kept = new CodesOfRows()
      for (const { codes, worst } of rows) kept.add(codes, worst)
      expect(kept.rows).toBe(rows.length)
      expect(kept.all()).toEqual(rows.map(({ codes }) => codes))
      expect(rows.map((_, row) => kept.worstAt(row))).toEqual(rows.map(({ worst }) => worst))
      expect([...kept.worstRanks()]).toEqual(rows.map(({ worst }) => SEVERITY_RANKS.indexOf(worst ?? 'none')))
      const { lists, at } = kept.lists()
      expect([...at].map((list) => lists[list])).toEqual(rows.map(({ codes }) => codes))
      expect(new Set(lists.map((list) => list.join())).size).toBe(lists.length)
    }),
    { numRuns: 20 },
  )
})

test('a row that there is not has no codes and no severity', () => {
  const kept = new CodesOfRows()
  kept.add(['M01'], 'error')
  for (const row of [1, 1023]) {
    expect(kept.at(row)).toEqual([])
    expect(kept.worstAt(row)).toBeNull()
  }
})

test('ranks are the caller’s own', () => {
  const kept = new CodesOfRows()
  kept.add(['M01'], 'warning')
  kept.worstRanks()[0] = SEVERITY_RANKS.indexOf('error')
  expect(kept.worstAt(0)).toBe('warning')
})
