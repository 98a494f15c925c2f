import { describe, expect, it } from 'vitest'
import type { PolicyId } from '../../shared/model/policy.ts'
import { assistant, conversation, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited as auditedSession } from '../session/dumps.ts'
import { auditTrajectories } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

/** A rollout of two turns with a reply between: its reward, and what the tokens of its first turn and of its last get. */
interface Credited {
  readonly reward?: number
  readonly first: number
  /** Of the last turn; the tokens before its end get this much less each, where returns are discounted. */
  readonly last: number
  readonly discount?: number
  readonly group?: string
  readonly step?: number
}

function audited(rollouts: readonly Credited[], policy: PolicyId = 'rl') {
  const rows = rollouts.map(({ reward, first, last, discount = 0, group, step = 1 }, i) => {
    const turns = [user(`Was it ${i}?`), assistant('I look it up.'), tool('It was.'), assistant('It was so.')]
    const row = conversation(qwen2, turns, { id: `r${i}`, ...(reward === undefined ? {} : { reward }) })
    const mask = row.record.loss_mask as number[]
    const end = mask.lastIndexOf(1)
    const between = mask.lastIndexOf(0, end)
    const advantages = mask.map((trained, at) =>
      trained === 0 ? 0 : at < between ? first : last - discount * (end - at),
    )
    const record = { ...row.record, advantages, step, ...(group === undefined ? {} : { group_id: group }) }
    return trajectoryOf({ ...row, record }, { source: 0, record: i, part: 0 })
  })
  const { tally, findings } = auditTrajectories(rows, qwen2, { policy }).byCode.get('M18')!
  return { checked: tally.checked, affected: tally.affected, records: findings.map(({ record }) => record), findings }
}

const rewarded: Credited = { reward: 1, first: -0.7, last: 1.4 }
const half: Credited = { reward: 0.5, first: -0.7, last: 0.35 }
const unrewarded: Credited = { reward: 0, first: -0.7, last: -0.7 }

it('returns that start anew are told where a whitened 0 is all that the first turns get', () => {
  const { findings, ...told } = audited([rewarded, half, unrewarded, rewarded])
  expect(told).toEqual({ checked: 3, affected: 3, records: [0, 1, 3] })
  expect(findings[0]?.message).toMatch(
    /^The advantage is −0\.7 on every trained token of the turn before the last, as in 2 /,
  )
})

it('one reward alone needs a rollout of none that has the number, and a discount changes nothing', () => {
  expect(audited([rewarded, rewarded, unrewarded])).toMatchObject({ checked: 2, affected: 2 })
  expect(audited([rewarded, rewarded])).toMatchObject({ affected: 0 })
  const discounted = { ...rewarded, discount: 0.01 }
  expect(audited([discounted, { ...half, discount: 0.01 }])).toMatchObject({ affected: 2 })
})

it('each step is whitened by itself', () => {
  const later = [rewarded, half].map((each) => ({ ...each, first: -0.6, last: each.last + 0.1, step: 2 }))
  expect(audited([rewarded, half, ...later])).toMatchObject({ affected: 4 })
  expect(audited([rewarded, { ...half, step: 2 }])).toMatchObject({ affected: 0 })
})

it('what the group makes nothing of is no reward of its own', () => {
  const even = ['a', 'a'].map((group) => ({ ...unrewarded, reward: 1, group }))
  expect(audited([{ ...rewarded, group: 'b' }, { ...half, group: 'b' }, ...even])).toMatchObject({ affected: 2 })
})

it('what a baseline leaves of the reward goes behind the last reply, too', () => {
  const group = (name: string, rewards: readonly number[]) => {
    const mean = rewards.reduce((sum, each) => sum + each, 0) / rewards.length
    return rewards.map((reward) => ({ reward, first: 0.1, last: 0.1 + 2 * (reward - mean), group: name }))
  }
  expect(audited([...group('a', [1, 0, 0]), ...group('b', [1, 1, 0])])).toMatchObject({ affected: 6 })
})

it.each([
  [
    'each turn but the last earns as much, and the last what it is worth',
    [1, 0, 0, 1].map((worth) => ({ reward: worth + 0.1, first: -0.4, last: -0.4 + 2 * (worth - 0.1) })),
  ],
  [
    'the same, and rewards are those of the last turns alone',
    [1, 0, 0, 1].map((reward) => ({ reward, first: -0.4, last: -0.4 + 2 * (reward - 0.1) })),
  ],
  [
    'a rewarded rollout has the number all over, and last turns pay a penalty',
    [
      { ...rewarded, last: -0.9 },
      { ...half, last: -0.8 },
      { ...unrewarded, reward: 1 },
    ],
  ],
  ['first turns get what their rollouts earned', [rewarded, { ...half, first: 0.1 }, unrewarded]],
  ['one rollout alone shows it', [rewarded, unrewarded]],
] as [string, Credited[]][])('returns reach the first turn: %s', (_name, rollouts) => {
  expect(audited(rollouts)).toMatchObject({ affected: 0 })
})

it('under a policy that trains the last turn alone nothing has to reach the others', () => {
  expect(audited([rewarded, half, unrewarded], 'last-turn').records).toEqual([])
})

describe('of a dump without rewards', () => {
  const zeroed: Credited = { first: 0, last: 1.4 }
  const even: Credited = { first: -0.7, last: -0.7 }

  it('advantages alone tell that returns start anew, and beside whom', () => {
    const { findings, ...told } = audited([zeroed, zeroed, even])
    expect(told).toEqual({ checked: 3, affected: 2, records: [0, 1] })
    expect(findings[0]?.message).toMatch(/^The advantage is exactly 0 on every trained token of the turn before/)
  })

  it('no more is told of it, and nothing is right for that', () => {
    expect(audited([even, { first: -0.7, last: 1.4 }, { first: -0.7, last: 0.35 }])).toMatchObject({ affected: 0 })
    expect(audited([{ first: 0.2, last: 1.4 }, even])).toMatchObject({ affected: 0 })
  })

  it.each<[string, number, string]>([
    ['is not checkable where its returns reach the first turn', 0.2, 'not-checkable'],
    ['fails where they do not', 0, 'fail'],
  ])('%s', async (_, first, status) => {
    const rows = [0.5, 1.5].map((last, i) => {
      const turns = [user(`Was it ${i}?`), assistant('I look it up.'), tool('It was.'), assistant('It was so.')]
      const { record } = conversation(qwen2, turns)
      const between = record.loss_mask!.lastIndexOf(0, record.loss_mask!.lastIndexOf(1))
      const advantages = record.loss_mask!.map((trained, at) => (trained === 0 ? 0 : at < between ? first : last))
      return JSON.stringify({ ...record, id: `r${i}`, advantages })
    })
    const report = (await auditedSession(rows.join('\n'), { tokenizer: 'qwen2.5' })).report()
    const check = report.checks.find(({ code }) => code === 'M18')
    expect(check).toMatchObject({
      status,
      reason: status === 'fail' ? null : 'the dump does not carry rewards',
    })
  })
})
