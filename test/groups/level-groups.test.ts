import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { type AdvantageScheme, recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'

const SIZE = 8
/** Twelve groups of which 6 to 11 have one reward each: all right, but for 10 and 11. */
const REWARDS = Array.from({ length: 12 }, (_, group) =>
  Array.from({ length: SIZE }, (_, member) => Number(group < 6 ? member <= group : group < 10)),
)

type Other = (group: number, member: number) => number
/** What a term that tells rollouts apart gives: neither in the order of their length nor in that of another component. */
const PATTERN = [0.5, -0.5, -0.5, 0.5, 0.5, -0.5, -0.5, 0.5]
const pattern: Other = (_, member) => PATTERN[member] as number

/** @param others advantages of the groups that they are given for, whatever their rewards are */
function storing(
  others: Readonly<Record<number, Other>>,
  scheme: AdvantageScheme = 'centre',
  { rewards = REWARDS, more = () => ({}) }: { rewards?: number[][]; more?: typeof lengths } = {},
) {
  const made = rewards.map((own) => recomputeAdvantages(scheme, own, 1e-6))
  return dumpOf(
    groupFacts(rewards, (_, group, member) => ({
      advantage: others[group]?.(group, member) ?? (made[group]?.[member] as number),
      ...more(group, member),
    })),
  )
}

const lengths = (_group: number, member: number): Partial<TrajectoryFacts> => ({
  trained: 20 + ((member * 3) % SIZE),
})

const found = (dump: ReturnType<typeof dumpOf>) =>
  runOver('A04', dump).findings.map(({ group, severity }) => `${group} ${severity}`)

describe('A04 of a group whose rewards are all the same', () => {
  it.each<AdvantageScheme>([
    'centre',
    'leave-one-out',
    'group-std-unbiased',
  ])('names advantages that are not 0, where others of the same reward have 0: %s', (scheme) => {
    const { tally, findings } = runOver('A04', storing({ 7: pattern }, scheme))
    expect(tally).toMatchObject({ checked: 7, affected: 1 })
    expect(findings).toMatchObject([{ group: 'g7', severity: 'error' }])
    expect(findings[0]?.message).toContain('all 8 rollouts have reward 1')
  })

  it('names one number for all of them as well', () => {
    expect(found(storing({ 7: () => 0.3 }))).toEqual(['g7 error'])
  })

  it('warns where no group of that reward has 0, and nothing tells its rollouts apart', () => {
    expect(found(storing({ 10: pattern, 11: pattern }))).toEqual(['g10 warning', 'g11 warning'])
  })

  const alike = { 10: pattern, 11: pattern }
  const byLength = (group: number, member: number) => ({
    ...lengths(group, member),
    trained: 40 - 20 * pattern(group, member),
  })
  const byPart = (group: number, member: number) => ({
    rewards: { right: Number(group < 10), brevity: pattern(group, member) },
  })
  it.each<[string, ReturnType<typeof dumpOf>]>([
    ['all groups of that reward have one number', storing({ 10: () => -0.3, 11: () => -0.3 })],
    ['they are in the order of their lengths', storing(alike, 'centre', { more: byLength })],
    ['components of the reward differ', storing({ 7: pattern }, 'centre', { more: byPart })],
    // Whatever small thing the stored rewards lack is all that the std divides there.
    ['what is small and not stored is divided by its own std', storing(alike, 'group-std-unbiased')],
    ['what is left of them is rounding', storing({ 7: () => 0.004 })],
    [
      'another environment has a rule of its own',
      storing({ 6: pattern, 7: pattern }, 'centre', {
        more: (group) => ({ environment: group === 6 || group === 7 ? 'maze' : 'sums', trained: 20 }),
      }),
    ],
    ['the formula gives the reward itself', storing({}, 'none')],
  ])('says nothing where %s', (_, dump) => {
    expect(found(dump)).toEqual([])
  })
})

describe('advantages of thousands in groups of one reward', () => {
  const residue: Other = (_, member) => (member % 2 === 0 ? 7428.2 : -4123.1)
  it('are beyond every rule that a run may have for such groups', () => {
    const dump = storing({ 10: residue, 11: residue })
    expect(found(dump)).toEqual(['g10 error', 'g11 error'])
    expect(runOver('A03', dump).abstained?.status).toBe('not-applicable')
  })

  it('are an explosion and nothing else where the std of a group divides', () => {
    const dump = storing({ 6: residue, 10: residue, 11: pattern }, 'group-std-unbiased')
    const exploded = runOver('A03', dump).findings.map(({ group, message }) => `${group} ${message.split(' in ')[0]}`)
    expect(exploded).toEqual(['g6 An advantage of 7428', 'g10 An advantage of 7428'])
    expect(found(dump)).toEqual([])
    // One below its bound stays what it was: another number than the formula gives.
    expect(found(storing({ 6: residue, 7: pattern }, 'group-std-unbiased'))).toEqual(['g7 error'])
  })
})
