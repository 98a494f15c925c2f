import { describe, expect, it } from 'vitest'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

interface Row {
  /** Its end tokens are masked, and have the 0.0 of what nobody sampled. */
  readonly silent?: boolean
  /** Default: as all others. */
  readonly text?: string
  readonly group?: string
  readonly environment?: string
  readonly finishReason?: string
}

/** In a format that writes 0.0 on what nobody sampled. */
function rowOf({ silent = false, text, group, environment, finishReason }: Row, index: number): Trajectory {
  const end = { train: { end: !silent } }
  const row = searchRow(qwen2, index, { call: end, answer: { ...(text === undefined ? {} : { text }), ...end } })
  const record = {
    ...row.record,
    ...(group ? { group_id: group } : {}),
    ...(finishReason ? { finish_reason: finishReason } : {}),
  }
  const trajectory = trajectoryOf({ ...row, record }, { source: 0, record: index, part: 0 })
  const sampler = Float32Array.from(trajectory.mask!, (flag) => (flag === 1 ? -0.2 : 0))
  const meta = environment ? { ...trajectory.meta, env_name: environment } : trajectory.meta
  return { ...trajectory, meta, logprobs: { ...trajectory.logprobs, sampler } }
}

const resultOf = (rows: readonly Row[]) =>
  auditTrajectories(rows.map(rowOf), qwen2, { format: { unsampledLogprob: 0 } }).byCode.get('M10')!

/** The rows that M10 names. */
const named = (rows: readonly Row[]) => resultOf(rows).findings.map(({ trajectory }) => trajectory)

const others = (count: number, row: Row = {}) => Array.from({ length: count }, () => row)

describe('a row without loss on any of its ends, whose logprobs are 0.0', () => {
  it('is told where the others train theirs', () => {
    const { findings, tally } = resultOf([{ silent: true }, ...others(9)])
    expect(findings.map(({ trajectory, severity }) => [trajectory, severity])).toEqual([['row-0', 'warning']])
    expect(findings[0]!.evidence).toMatchObject({ trained_in: 9, not_trained_in: 1 })
    expect([tally.affected, tally.checked]).toEqual([1, 10])
    expect([tally.placesAffected, tally.placesChecked]).toEqual([2, 20])
  })

  it('is as a string stops it where many rows are so, and where all are', () => {
    expect(named([...others(3, { silent: true }), ...others(7)])).toEqual([])
    expect(named(others(6, { silent: true }))).toEqual([])
  })

  it('may be stopped by a string behind which no other row ends', () => {
    const tag = 'The document says it. <answer>1961</answer>'
    const prose = { text: 'The document says that it is of 1961.' }
    expect(named([{ silent: true, text: tag }, ...others(9, prose)])).toEqual([])
    expect(named([{ silent: true, text: tag }, ...others(5, prose), ...others(4, { text: tag })])).toEqual(['row-0'])
  })

  it('may be of an environment that stops on strings', () => {
    const silent = { silent: true, environment: 'search' }
    expect(named([silent, silent, ...others(18, { environment: 'math' })])).toEqual([])
    expect(named([silent, ...others(9, { environment: 'search' })])).toEqual(['row-0'])
    const ofGroup = { silent: true, group: 'a' }
    expect(named([ofGroup, ofGroup, ...others(2, { group: 'b' }), ...others(16, { group: 'c' })])).toEqual([])
    expect(named([ofGroup, ...others(2, { group: 'a' }), ...others(7, { group: 'c' })])).toEqual(['row-0'])
  })

  it.each(['length', 'stop_string'])('was ended by what its finish reason %s names', (finishReason) => {
    expect(named([{ silent: true, finishReason }, ...others(9)])).toEqual([])
  })
})
