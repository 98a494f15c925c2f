import { expect, it } from 'vitest'
import { findRecords } from '../../shared/session/find-records.ts'

const at = (recordHash: string, part: number) => ({ recordHash, place: { source: 0, record: 0, part } })

it('finds every place of each record, by content and part', () => {
  const facts = [at('aa', 0), at('bb', 0), at('aa', 1), at('aa', 0)]
  expect(findRecords(facts, { keys: ['aa.1', 'cc.0', 'aa.0'] })).toEqual({
    indices: Int32Array.of(0, 2, 3),
    positions: Int32Array.of(2, 0, 2),
  })
  expect(findRecords(facts, { keys: [] }).indices).toHaveLength(0)
  expect(findRecords(facts, { keys: ['nothing'] }).indices).toHaveLength(0)
})
