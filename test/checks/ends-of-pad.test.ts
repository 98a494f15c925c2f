import { describe, expect, it } from 'vitest'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')
const END = 151645
const PAD = 151643
const PADDING = 5

interface Row {
  /** None of its end tokens is in the loss. */
  readonly masked?: boolean
  /** What it is padded with; null for nothing. Default: the token that ends turns. */
  readonly pad?: number | null
  readonly group?: string
  readonly environment?: string
}

function rowOf({ masked = false, pad = END, group, environment }: Row, index: number): Trajectory {
  const end = { train: { end: !masked } }
  const row = searchRow(qwen2, index, { call: end, answer: end }, pad === null ? {} : { padRight: PADDING })
  const ids = row.record.input_ids
  const padded = pad === null ? ids : ids.map((id, at) => (at < ids.length - PADDING ? id : pad))
  const record = { ...row.record, input_ids: padded, ...(group ? { group_id: group } : {}) }
  const trajectory = trajectoryOf({ ...row, record }, { source: 0, record: index, part: 0 })
  return environment ? { ...trajectory, meta: { ...trajectory.meta, env_name: environment } } : trajectory
}

const resultOf = (code: string, rows: readonly Row[]) => auditTrajectories(rows.map(rowOf), qwen2).byCode.get(code)!

/** The rows that M13 names. */
const named = (rows: readonly Row[]) => resultOf('M13', rows).findings.map(({ trajectory }) => trajectory)

const others = (count: number, row: Row = {}) => Array.from({ length: count }, () => row)

const MASKED = { masked: true } as const

describe('a row without loss on any of its ends, whose id is that of its padding', () => {
  it('has a mask that compares ids where all rows are so', () => {
    const { findings, tally } = resultOf('M13', others(4, MASKED))
    expect(findings).toHaveLength(4)
    expect(findings[0]!.evidence).toMatchObject({ pad_id: END, padding: PADDING })
    expect([tally.affected, tally.checked, tally.placesAffected, tally.placesChecked]).toEqual([4, 4, 4, 4])
  })

  it('has none where others that are padded alike train theirs', () => {
    const rows = [MASKED, ...others(7)]
    expect(named(rows)).toEqual([])
    expect(resultOf('M10', rows).findings.map(({ trajectory }) => trajectory)).toEqual(['row-0', 'row-0'])
  })

  it('has none where half of its group train theirs', () => {
    const group = 'a'
    expect(named([...others(4, { ...MASKED, group }), ...others(4, { group })])).toEqual([])
  })

  it.each([null, PAD])('is alone in being padded with that id where the others have pad %j', (pad) => {
    expect(named([MASKED, ...others(7, { pad })])).toEqual(['row-0'])
  })

  it('has one where its environment does so, and its group', () => {
    expect(named([{ ...MASKED, environment: 'search' }, ...others(7, { environment: 'math' })])).toEqual(['row-0'])
    const own = { ...MASKED, group: 'a' }
    expect(named([...others(3, own), ...others(6, { group: 'b' })])).toEqual(['row-0', 'row-1', 'row-2'])
    expect(named([own, ...others(6, { group: 'b' })])).toEqual([])
  })
})
