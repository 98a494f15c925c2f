import { expect, it } from 'vitest'
import { assistant, conversation, tool, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

/** What the tokens of the first turn and of the last get: one number, or two, of which the first token gets the first. */
type Credits = readonly [number | readonly [number, number], number]

function affected(groups: Readonly<Record<string, readonly Credits[]>>): readonly (string | null)[] {
  const rows = Object.entries(groups).flatMap(([group, rollouts]) =>
    rollouts.map(([first, last], i) => {
      const turns = [user(`Was it ${group}?`), assistant('I look it up.'), tool('It was.'), assistant(`It was ${i}.`)]
      const { record, ...row } = conversation(qwen2, turns, { id: `${group}${i}`, reward: i % 2 })
      const mask = record.loss_mask as number[]
      const begin = mask.indexOf(1)
      const between = mask.lastIndexOf(0, mask.lastIndexOf(1))
      const advantages = mask.map((trained, at) => {
        if (trained === 0) return 0
        if (at > between) return last
        return typeof first === 'number' ? first : first[at === begin ? 0 : 1]
      })
      return { ...row, record: { ...record, advantages, group_id: group } }
    }),
  )
  const trajectories = rows.map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
  return auditTrajectories(trajectories, qwen2)
    .byCode.get('M18')!
    .findings.map(({ trajectory }) => trajectory)
}

const times = (count: number, credits: Credits) => Array.from({ length: count }, () => credits)
/** Every turn has a reward of its own, less the mean of its group. */
const byTurn: readonly Credits[] = [
  [0.7, 1.2],
  [-0.7, 1.2],
  [-0.7, -0.7],
]

it('turns of which a whole group has one reward get nothing in it, where other groups credit turn by turn', () => {
  expect(affected({ a: times(3, [0, 0.5]), b: byTurn })).toEqual([])
  expect(affected({ a: [...times(2, [0, 0.5]), [0, 0]], b: byTurn })).toEqual([])
})

it('nor does a turn whose reward is the mean of its group', () => {
  expect(affected({ a: [...byTurn, [0, 0.5]] })).toEqual([])
})

it('returns that fade are nothing over a whole group where others fade to more', () => {
  const fading = times(3, [[0.1, 0.2], 0.4])
  expect(affected({ a: times(3, [0, 0.5]), b: fading })).toEqual([])
})

it('beside others of its own group whose returns fade, a rollout whose returns end at a reply is told', () => {
  const fading = times(3, [[0.1, 0.2], 0.4])
  expect(affected({ a: [...fading, [0, 0.5]], b: fading })).toEqual(['a3'])
})

it('beside rollouts of one advantage, and where nearly all get nothing before the last turn, it is told', () => {
  expect(affected({ a: [[0, 0.5], ...times(3, [0.5, 0.5])] })).toEqual(['a0'])
  expect(affected({ a: times(3, [0, 0.5]), b: [[0.1, 0.3], ...times(2, [0, 0.5])] })).toHaveLength(5)
})

it('a group of nothing before the last turn is told beside groups of one advantage', () => {
  expect(affected({ a: times(3, [0, 0.5]), b: times(3, [0.5, 0.5]) })).toEqual(['a0', 'a1', 'a2'])
})
