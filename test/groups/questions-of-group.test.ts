import { describe, expect, it } from 'vitest'
import { createFacts } from '../../shared/checks/create-facts.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import { emptyTrajectory } from '../../shared/model/trajectory.ts'
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
