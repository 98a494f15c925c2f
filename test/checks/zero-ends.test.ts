import { describe, expect, it } from 'vitest'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

interface Row {
  /** The call's end is in the loss; else a string may have stopped the model there. */
  readonly trained?: boolean
  /** What the sampler says of the end of the call, and of the answer's, which is in the loss. Default: 0.0 and a logprob of its own. */
  readonly call?: number
  readonly answer?: number
  readonly environment?: string
}

/** In a format that writes 0.0 on what nobody sampled. */
function rowOf({ trained = false, call = 0, answer = -0.2, environment }: Row, index: number): Trajectory {
  const row = searchRow(qwen2, index, { call: { train: { end: trained } } })
  const trajectory = trajectoryOf(row, { source: 0, record: index, part: 0 })
  const sampler = Float32Array.from(trajectory.mask!, (flag) => (flag === 1 ? -0.2 : 0))
  const [first, last] = row.layout.filter(({ role }) => role === 'assistant')
  sampler[first!.endToken] = call
  sampler[last!.endToken] = answer
  const meta = environment ? { ...trajectory.meta, env_name: environment } : trajectory.meta
  return { ...trajectory, meta, logprobs: { ...trajectory.logprobs, sampler } }
}

const resultOf = (rows: readonly Row[]) =>
  auditTrajectories(rows.map(rowOf), qwen2, { format: { unsampledLogprob: 0 } }).byCode.get('M10')!

const severities = (rows: readonly Row[]) => resultOf(rows).findings.map(({ severity }) => severity)

const many = (count: number, row: Row = {}) => Array.from({ length: count }, () => row)

describe('an end without loss and with a 0.0, in rollouts whose last end is in the loss', () => {
  it('is told where there are few of them', () => {
    const { findings, tally } = resultOf(many(3))
    expect(findings.map(({ severity, turn }) => [severity, turn])).toEqual(Array(3).fill(['warning', 2]))
    expect([tally.affected, tally.checked, tally.placesAffected, tally.placesChecked]).toEqual([3, 3, 3, 6])
    expect(tally.byBoundary['assistant>tool']).toEqual({ checked: 3, affected: 3 })
    expect(tally.byTurn).toEqual({ 1: 3, 2: 0 })
  })

  it('was appended where all such ends have a 0.0, and those in the loss do not', () => {
    expect(severities(many(20))).toEqual([])
    // The same of a row whose last end has a 0.0 as well, and of few that have.
    expect(severities([...many(20), ...many(4, { answer: 0 })])).toEqual([])
  })

  it('may be one that the model was certain of where it is of most others', () => {
    expect(severities([...many(4), ...many(16, { answer: 0 })])).toEqual(Array(4).fill('warning'))
  })

  it('is told beside ends of which the mask drops some that have a logprob', () => {
    const dropped = many(6, { call: -0.3 })
    expect(severities([...many(20), ...dropped]).toSorted()).toEqual([
      ...Array(6).fill('error'),
      ...Array(20).fill('warning'),
    ])
    expect(severities([...many(20), ...many(1, { call: -0.3 })])).toEqual(['error'])
  })

  it('is held against those of its environment', () => {
    const search = many(20, { environment: 'search' })
    expect(severities([...search, ...many(3, { environment: 'math' })])).toEqual(Array(3).fill('warning'))
    expect(severities([...search, ...many(9, { environment: 'math', trained: true, call: -0.1 })])).toEqual([])
  })
})
