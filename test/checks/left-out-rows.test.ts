import { describe, expect, it } from 'vitest'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

interface Row {
  readonly group: number
  readonly reward: number
  readonly trains: boolean
  readonly advantage?: number
}

/** What M04 says of each row that trains nothing. */
function saidOf(rows: readonly Row[]): unknown[] {
  const trajectories = rows.map(({ group, reward, trains, advantage }, at) => {
    const row = searchRow(qwen2, at, trains ? {} : { call: { train: false }, answer: { train: false } })
    const told = { group_id: `g${group}`, group_size: 4, reward, ...(advantage === undefined ? {} : { advantage }) }
    return trajectoryOf({ ...row, record: { ...row.record, ...told } }, { source: 0, record: at, part: 0 })
  })
  const { findings } = auditTrajectories(trajectories, qwen2).byCode.get('M04')!
  return findings.map(({ severity, evidence }) => [severity, evidence.cause])
}

const groups = (count: number, rowsOf: (group: number) => readonly Omit<Row, 'group'>[]) =>
  Array.from({ length: count }, (_, group) => rowsOf(group).map((row) => ({ group, ...row }))).flat()
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

describe('rows that train nothing and that the baselines of their groups leave out', () => {
  /** Three rows that train, of rewards 1, 0, 0, and a fourth of reward 0 that does not. */
  const run = (count: number, advantageOf: (reward: number) => number, own: number) =>
    groups(count, () => [
      ...[1, 0, 0].map((reward) => ({ reward, trains: true, advantage: advantageOf(reward) })),
      { reward: 0, trains: false, advantage: own },
    ])
  const overThree = (reward: number) => reward - 1 / 3
  const overFour = (reward: number) => reward - 1 / 4

  it('are left out by rule', () => {
    const cause = ['info', 'left out of the baseline of its group as well']
    expect(saidOf(run(4, overThree, 0))).toEqual(times(4, cause))
  })

  it('are a fault where they are counted, have an advantage, or are in few groups', () => {
    expect(saidOf(run(4, overFour, 0))).toEqual(times(4, ['error', null]))
    expect(saidOf(run(4, overThree, -0.25))).toEqual(times(4, ['error', null]))
    expect(saidOf(run(3, overThree, 0))).toEqual(times(3, ['error', null]))
  })
})

describe('rows that train nothing and are rewarded less than all that train', () => {
  const run = (count: number, trained: number, masked: number) =>
    groups(count, () => [
      { reward: 1, trains: true },
      { reward: trained, trains: true },
      { reward: masked, trains: false },
      { reward: 0, trains: false },
    ])

  it('are left out by rule', () => {
    expect(saidOf(run(2, 0.5, 0))).toEqual(times(4, ['info', 'rewarded less than every row that trains']))
  })

  it('are a fault where one that trains has no more, or where they are few', () => {
    expect(saidOf(run(2, 0.5, 0.5))).toEqual(times(4, ['error', null]))
    expect(saidOf(run(1, 0.5, 0))).toEqual(times(2, ['error', null]))
  })
})

describe('rows that train nothing and whose ratios of trainer to sampler are beyond those of all that train', () => {
  /** What M04 says of rows of which each token has such a log ratio; those of `masked` train nothing. */
  function saidOfRatios(trained: readonly number[], masked: readonly number[]): unknown[] {
    const rows = [...trained, ...masked].map((ratio, at) => {
      const { record, ...row } = searchRow(qwen2, at, {})
      const mask = record.loss_mask as number[]
      const sampler = mask.map((flag) => (flag === 1 ? -1 : null))
      const trainer = mask.map((flag) => (flag === 1 ? -1 + ratio : null))
      const own = at < trained.length ? mask : mask.map(() => 0)
      const told = { ...record, loss_mask: own, logprobs: { sampler, trainer } }
      return trajectoryOf({ ...row, record: told }, { source: 0, record: at, part: 0 })
    })
    const { findings } = auditTrajectories(rows, qwen2).byCode.get('M04')!
    return findings.map(({ severity, message }) => [severity, message.includes('rejection sampling by sequence')])
  }
  const trained = [-0.02, -0.01, 0.01, 0.02, 0.03]

  it('were rejected, on whichever side', () => {
    expect(saidOfRatios(trained, [-0.05, -0.06, 0.07, -0.05])).toEqual(times(4, ['info', true]))
  })

  it('are a fault where one of them is no different, or they are few', () => {
    expect(saidOfRatios(trained, [-0.05, -0.06, 0.07, 0])).toEqual(times(4, ['error', false]))
    expect(saidOfRatios(trained, [-0.05, -0.06, 0.07])).toEqual(times(3, ['error', false]))
    expect(saidOfRatios(trained.slice(0, 3), [-0.05, -0.06, 0.07, -0.05])).toEqual(times(4, ['error', false]))
  })
})
