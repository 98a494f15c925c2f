import { describe, expect, it } from 'vitest'
import { createFacts } from '../../shared/checks/facts/create-facts.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { checkByCode } from '../../shared/checks/registry.ts'
import { emptyTrajectory } from '../../shared/model/trajectory.ts'
import { findUnproved } from '../helpers/at-once.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'

const rewards = Array.from({ length: 6 }, (_, group) => [0, 1, 2, 3].map((at) => Math.sin(group * 4 + at) ** 2))

/** A05 over six groups of four. */
const a05 = (more: (group: number, member: number) => Partial<TrajectoryFacts>) =>
  runOver('A05', dumpOf(groupFacts(rewards, (_, group, member) => more(group, member))))

/** Which question of two half a group was asked. */
const half = (member: number) => Math.floor(member / 2)

describe('A05 where prompts differ in every group', () => {
  it('names groups of two questions by their answers', () => {
    const { tally, findings } = a05((group, member) => ({
      promptHash: `p${group}.${half(member)}`,
      expectedAnswer: group * 2 + half(member),
    }))
    expect(tally).toMatchObject({ checked: 6, affected: 6 })
    expect(findings[0]).toMatchObject({
      message: '2 of 4 rollouts of group g0 have another prompt than the rest',
      evidence: { rollouts_of_another_prompt: ['2', '3'], prompts_with_another_expected_answer: 2 },
    })
  })

  it.each<[string, (group: number, member: number) => Partial<TrajectoryFacts>]>([
    ['with one answer', (group, member) => ({ promptHash: `p${group}.${half(member)}`, expectedAnswer: group })],
    ['with no answer', (group, member) => ({ promptHash: `p${group}.${half(member)}` })],
    [
      'of which one half has no answer, as a question that is made and one that is answered',
      (group, member) => ({
        promptHash: `p${group}.${half(member)}`,
        ...(member > 1 ? { expectedAnswer: group } : {}),
      }),
    ],
    [
      'from rollout to rollout, and answers with them',
      (group, member) => ({ promptHash: `p${group}.${member}`, expectedAnswer: group * 4 + member }),
    ],
    [
      'with answers that differ behind one prompt as well',
      (group, member) => ({ promptHash: `p${group}.${half(member)}`, expectedAnswer: group * 4 + member }),
    ],
  ])('leaves them alone %s', (_, more) => {
    expect(a05(more).findings).toEqual([])
  })
})

describe('A05 where nothing tells whether the prompts of a group are different questions', () => {
  type More = (group: number, member: number) => Partial<TrajectoryFacts>
  const asked = (question: string) => ({ question, system: null, tools: null, answer: null })
  /** Why a run of these groups proves nothing; null where it does. */
  const untold = (more: More, groupSize?: number, sizes = rewards) => {
    const facts = groupFacts(sizes, (_, group, member) => more(group, member))
    const dump = dumpOf(facts, groupSize === undefined ? {} : { options: { groupSize } })
    const check = checkByCode('A05')!
    const { tally, findings } = runOver('A05', dump)
    expect(findings).toEqual([])
    return findUnproved(check, tally, dump)
  }
  const twoPrompts: More = (group, member) => ({ promptHash: `p${group}.${half(member)}` })

  it('is not checkable, and says what would tell', () => {
    expect(untold(twoPrompts)).toBe(
      '6 of 6 groups hold several prompts of several rollouts each, and neither the size of groups (--group-size) nor expected answers tell whether these are different questions or one in other words',
    )
  })

  it('is not checkable where one key is that of all rollouts', () => {
    const all = [rewards.flat()]
    expect(untold((_, member) => ({ promptHash: `p${half(member)}` }), undefined, all)).toMatch(/^1 of 1 group holds /)
  })

  it.each<[string, More]>([
    [
      'the prompts have one expected answer',
      (group, member) => ({ ...twoPrompts(group, member), expectedAnswer: group }),
    ],
    [
      'each rollout declares how large its group is',
      (group, member) => ({ ...twoPrompts(group, member), groupSize: 4 }),
    ],
    ['variants of a prompt are dealt out among groups', (_, member) => ({ promptHash: `p${half(member)}` })],
    ['each rollout has a prompt of its own', (group, member) => ({ promptHash: `p${group}.${member}` })],
    [
      'agents of several parts have a system text each',
      (group, member) => ({ ...twoPrompts(group, member), systemHash: `part ${half(member)}` }),
    ],
    [
      'prompts are those of another day',
      (group, member) => ({
        ...twoPrompts(group, member),
        systemHash: 's',
        promptDate: `${half(member) + 1} Jul 2024`,
        pairing: asked(`q${group}`),
      }),
    ],
    [
      'the first question is the same',
      (group, member) => ({ ...twoPrompts(group, member), systemHash: 's', pairing: asked(`q${group}`) }),
    ],
    [
      'half of the rows are later calls, which go on behind a reply',
      (group, member) => ({
        promptHash: half(member) === 0 ? `p${group}` : `p${group} and a reply`,
        ...(half(member) === 0 ? {} : { rootHash: `p${group}` }),
      }),
    ],
  ])('is checkable where %s', (_, more) => {
    expect(untold(more)).toBeNull()
  })

  it('is checkable where a person says how large groups are', () => {
    expect(untold(twoPrompts, 4)).toBeNull()
  })
})

describe('the expected answer that is kept', () => {
  const kept = (answer: string | null) =>
    createFacts({ ...emptyTrajectory({ source: 0, record: 0, part: 0 }, '0'.repeat(16)), answer }).expectedAnswer

  it('is a number of 32 bits, the same whatever stands around it', () => {
    expect(kept('Lake Ohrid')).toBe(kept(' lake ohrid\n'))
    expect(kept('Lake Ohrid')).not.toBe(kept('Lake Prespa'))
    expect(kept('Lake Ohrid')).toBeLessThan(2 ** 32)
  })

  it('is absent where there is none', () => {
    expect(kept(null)).toBeUndefined()
    expect(kept(' ')).toBeUndefined()
  })
})
