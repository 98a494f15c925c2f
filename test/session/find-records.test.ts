import { expect, it } from 'vitest'
import { findRecords, recordsOf } from '../../shared/session/search/find-records.ts'

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

it('says what stands at each place, and nothing of places that are not there', () => {
  const facts = [at('aa', 0), at('bb', 2)].map((each, index) => ({ ...each, id: `r${index}` }))
  expect(recordsOf(facts, { indices: Int32Array.of(1, 5, 0) }).records).toEqual([
    { recordHash: 'bb', part: 2, id: 'r1' },
    { recordHash: 'aa', part: 0, id: 'r0' },
  ])
})
