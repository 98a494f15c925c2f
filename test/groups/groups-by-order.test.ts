import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { buildGroups } from '../../shared/checks/grouping/group-views.ts'
import { recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { resolveGroupSize } from '../helpers/at-once.ts'
import { factsOf } from '../helpers/facts.ts'

const BY_KEY = { groupSize: null, groupsByOrder: false }
const BY_ORDER = { groupSize: null, groupsByOrder: true }
const shapes = (groups: ReturnType<typeof buildGroups>) =>
  groups.map(({ id, members, complete }) => [id, members.map((member) => member.id).join(' '), complete])

const placeIn = (source: number) => ({ source, record: 0, part: 0 })

describe('groups by order without a size', () => {
  /** Rollouts that answer these questions, in this order; of another file where `source` says so. */
  const asked = (questions: string, more: (at: number) => Parameters<typeof factsOf>[1] = () => ({})) =>
    [...questions].map((question, i) =>
      factsOf(i, {
        reward: i % 2,
        pairing: { question: question === '-' ? null : question, system: null, tools: null, answer: null },
        ...more(i),
      }),
    )
  const groupsOf = (facts: ReturnType<typeof asked>) =>
    shapes(buildGroups(facts, BY_ORDER)).map(([, members]) => members)

  it('are as large as questions are repeated', () => {
    expect(groupsOf(asked('aaabbbccc'))).toEqual(['0 1 2', '3 4 5', '6 7 8'])
    expect(resolveGroupSize(asked('aaabbbccc'), BY_ORDER)).toBe(3)
  })

  it('may lack rollouts where a file or a step ends', () => {
    expect(groupsOf(asked('aaabbbc'))).toEqual(['0 1 2', '3 4 5', '6'])
    const inFiles = asked('aaabbcccddd', (i) => ({ place: { source: i < 5 ? 0 : 1, record: i, part: 0 } }))
    expect(groupsOf(inFiles)).toEqual(['0 1 2', '3 4', '5 6 7', '8 9 10'])
    expect(groupsOf(asked('aaabbbbbbccc', (i) => ({ step: i < 6 ? 1 : 2 })))).toHaveLength(4)
  })

  it('are not made up where questions do not tell', () => {
    for (const questions of ['aaaaaa', 'aabbbcc', 'aaabbbbbbccc', 'abcabc', 'aaabbb---', 'aaab', 'abc'])
      expect(groupsOf(asked(questions)), questions).toEqual([])
    // A rollout of two calls has two rows.
    expect(groupsOf(asked('aaaabbbb', (i) => (i % 2 === 1 ? { rootHash: 'root' } : {})))).toEqual([])
    // Rows that have keys, and formats whose rows come in any order.
    expect(shapes(buildGroups(asked('aaabbb'), BY_KEY))).toEqual([])
  })

  describe('with a question that was drawn twice in a row', () => {
    const REWARDS = [1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0]
    const drawn = (sizes: readonly number[], rewards = REWARDS, more: Partial<TrajectoryFacts> = {}) => {
      const starts = sizes.map((_, i) => sizes.slice(0, i).reduce((a, b) => a + b, 0))
      const made = starts.flatMap((at, i) =>
        recomputeAdvantages('leave-one-out-std', rewards.slice(at, at + (sizes[i] as number)), 1e-6),
      )
      return asked('aaaabbbbccccccccddddeeee', (i) => ({ reward: rewards[i], advantage: made[i], ...more }))
    }

    it('are those of the others where advantages were made of each half by itself', () => {
      const groups = groupsOf(drawn([4, 4, 4, 4, 4, 4]))
      expect(groups).toHaveLength(6)
      expect(groups.slice(2, 4)).toEqual(['8 9 10 11', '12 13 14 15'])
    })

    it('are not told where they were made of all, are alike, are not stored, or no question has half as many', () => {
      expect(groupsOf(drawn([4, 4, 8, 4, 4]))).toEqual([])
      const alike = REWARDS.map((reward, i) => (i >= 12 && i < 16 ? (REWARDS[i - 4] as number) : reward))
      expect(groupsOf(drawn([4, 4, 4, 4, 4, 4], alike))).toEqual([])
      expect(groupsOf(drawn([4, 4, 4, 4, 4, 4], REWARDS, { advantage: null }))).toEqual([])
      const questions = 'aaaabbbbccccccddddeeee'
      const made = recomputeAdvantages('centre', REWARDS.slice(0, 22), 0)
      expect(groupsOf(asked(questions, (i) => ({ reward: REWARDS[i], advantage: made[i] })))).toEqual([])
    })
  })

  describe('beside other files', () => {
    const inFiles = (...files: readonly string[]) =>
      files.flatMap((questions, source) => asked(questions, () => ({ place: placeIn(source) })))
    const sizesOf = (facts: ReturnType<typeof asked>, groupSize: number | null = null) =>
      buildGroups(facts, { groupSize, groupsByOrder: true }).map(({ members }) => members.length)

    it('are counted in those that repeat their questions', () => {
      expect(sizesOf(inFiles('aaabbb', 'cdefg', 'hhh'))).toEqual([3, 3, 3])
      expect(sizesOf(inFiles('cdef', 'aaabbb'), 3)).toEqual([3, 3])
      expect(sizesOf(inFiles('aaabbb', '----'))).toEqual([3, 3])
      // One row may be what was left of a group.
      expect(sizesOf(inFiles('aaabbb', 'c'))).toEqual([3, 3, 1])
    })

    it('are not made up where one of those does not tell', () => {
      for (const files of [
        ['aaabbb', 'ccdef'],
        ['aaabbb', 'ccc-'],
        ['aaa', 'cdef'],
        ['abc', 'def'],
        ['----', 'abc'],
      ])
        expect(sizesOf(inFiles(...files)), files.join()).toEqual([])
      expect(sizesOf(inFiles('abcd', 'efgh'), 2)).toEqual([2, 2, 2, 2])
      const byCall = asked('aaabbbcccc', (i) => ({
        place: placeIn(i < 6 ? 0 : 1),
        ...(i < 6 ? {} : { rootHash: 'root' }),
      }))
      expect(sizesOf(byCall)).toEqual([])
    })
  })

  it('are as large as somebody says first of all', () => {
    expect(buildGroups(asked('aaaabbbb'), { groupSize: 2, groupsByOrder: true })).toHaveLength(4)
    expect(
      buildGroups(
        asked('aaaabbbb', () => ({ groupSize: 2 })),
        BY_ORDER,
      ),
    ).toHaveLength(4)
  })
})
