import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'

describe('A10', () => {
  const all = (reward: number) =>
    runOver('A10', dumpOf(groupFacts([1, 2, 3].map(() => [reward, reward, reward, reward]))))

  it.each([
    [0, '0'],
    [-1, '−1'],
  ])('names rewards that are all %i, below 0 with a minus sign and no hyphen', (reward, written) => {
    const { tally, findings } = all(reward)
    expect(tally).toMatchObject({ checked: 12, affected: 12 })
    expect(findings[0]).toMatchObject({ severity: 'info', message: `All 12 rewards are ${written}` })
  })

  it('leaves a dump alone that holds only what succeeded', () => {
    expect(all(1).tally.affected).toBe(0)
  })

  it('calls it an error where not one reward is a number, and a note where some are', () => {
    const broken = (count: number) =>
      groupFacts([0, 1, 2].map((group) => [0, 1, 2, 3].map((member) => (group * 4 + member < count ? Number.NaN : 1))))
    const severities = (count: number) => runOver('A10', dumpOf(broken(count))).findings.map(({ severity }) => severity)
    expect(severities(12)).toEqual(Array(12).fill('error'))
    expect(severities(11)).toEqual(Array(11).fill('info'))
  })

  describe('where one reward of each of three groups of four is NaN', () => {
    const NONE = { value: 'NaN', token: null, tokens: 0 } as const
    const told = (of: (reward: number, group: number, member: number) => Partial<TrajectoryFacts>, groups = 3) =>
      runOver(
        'A10',
        dumpOf(
          groupFacts(
            [0, 1, 2].map((group) => [group < groups ? Number.NaN : 0, 1, 0, 1]),
            of,
          ),
        ),
      ).findings.map(({ severity, evidence }) => `${severity} ${(evidence as { group?: string }).group}`)

    it('is an error where no advantage of theirs is a number', () => {
      expect(told(() => ({ brokenAdvantage: NONE }))).toEqual(Array(3).fill('error lost'))
      expect(told((_, group) => (group === 0 ? { brokenAdvantage: NONE } : { advantage: 0.5 }))).toEqual([
        'error lost',
        'info spared',
        'info spared',
      ])
    })

    it('is an error where its own advantage alone is none', () => {
      const own = (reward: number) => (Number.isNaN(reward) ? { brokenAdvantage: NONE } : { advantage: 0.5 })
      expect(told(own)).toEqual(Array(3).fill('error alone'))
    })

    it('is an error where arrays of advantages have no number, while those of most others have', () => {
      const blank = (_: number, group: number) =>
        group === 0 ? { noNumbers: ['advantages' as const] } : { advantage: 0.5 }
      expect(told(blank, 1)).toEqual(['error lost'])
    })

    it('is a warning where no advantages are stored, and a note where most groups have none such', () => {
      expect(told(() => ({}))).toEqual(Array(3).fill('warning untold'))
      expect(told(() => ({}), 2)).toEqual(Array(2).fill('warning untold'))
      expect(told(() => ({}), 1)).toEqual(['info untold'])
    })

    it('is a note where the trainer left it out: others have advantages, its group alone has none, or it trains nothing', () => {
      expect(told((reward) => (Number.isNaN(reward) ? {} : { advantage: 0.5 }))).toEqual(Array(3).fill('info spared'))
      expect(told((_, group) => (group === 0 ? {} : { advantage: 0.5 }), 1)).toEqual(['info spared'])
      expect(told((reward) => (Number.isNaN(reward) ? { trained: 0, masked: 200 } : {}))).toEqual(
        Array(3).fill('info undefined'),
      )
      expect(told(() => ({ trained: null, masked: null }))).toEqual(Array(3).fill('info undefined'))
    })

    it('is a note where half of all rewards are: a table without null writes so what was never scored', () => {
      const rows = groupFacts([0, 1, 2].map(() => [Number.NaN, 1, Number.NaN, 0]))
      expect(runOver('A10', dumpOf(rows)).findings.map(({ severity }) => severity)).toEqual(Array(6).fill('info'))
    })
  })

  /** Three groups of four, the first `rewarded` of which have a reward; `first` is that of the first of them. */
  const some = (rewarded: number, first = 0) =>
    groupFacts(
      [0, 1, 2].map((group) => [0, 1, 0, 1].map((reward, at) => (group + at === 0 ? first : reward))),
      (_, group, member) => (group * 4 + member < rewarded ? {} : { reward: null }),
    )

  it('names those that have none where most have one', () => {
    expect(runOver('A10', dumpOf(some(7)))).toMatchObject({ tally: { checked: 12, affected: 5 }, abstained: null })
  })

  it.each([6, 3])('says how many have none where only %i of 12 have one, and passes none of them', (rewarded) => {
    const { tally, findings, abstained } = runOver('A10', dumpOf(some(rewarded)))
    expect(tally.checked).toBe(0)
    expect(findings).toEqual([])
    expect(abstained).toEqual({
      status: 'not-checkable',
      reason: `${12 - rewarded} of 12 rollouts have no reward: with so many nothing tells whether they should have one`,
    })
  })

  it('names one that is no number beside many that are missing, and judges those alone that are there', () => {
    const { tally, findings, abstained } = runOver('A10', dumpOf(some(4, Number.NaN)))
    expect(tally).toMatchObject({ checked: 4, affected: 1 })
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining('The reward is NaN')])
    expect(abstained).toBeNull()
  })

  describe('where environments or steps are told', () => {
    const [GROUPS, STEPS] = [36, 3]
    /** Twelve groups of four in each step, every third of one environment; `isFailed` says which have no other reward than 0. */
    const dump = (isFailed: (environment: string, step: number) => boolean, names = ['code', 'math', 'search']) =>
      dumpOf(
        groupFacts(
          Array.from({ length: GROUPS * STEPS }, (_, group) => {
            const failed = isFailed(names[group % names.length] as string, Math.floor(group / GROUPS))
            return [0, 1, 0, 1].map((reward) => (failed || group % 7 === 0 ? 0 : reward))
          }),
          (_, group) => ({
            environment: names[group % names.length] as string,
            step: Math.floor(group / GROUPS),
          }),
        ),
      )

    it('names one that fails in everything, and says that it may be too hard', () => {
      const { tally, findings } = runOver(
        'A10',
        dump((environment) => environment === 'code'),
      )
      expect(tally).toMatchObject({ checked: 432, affected: 144 })
      expect(findings).toHaveLength(36)
      expect(findings[0]).toMatchObject({ severity: 'info', scope: 'group' })
      expect(findings[0]?.message).toBe(
        'All 4 rewards of group g0 are 0, as are all 144 of environment code, while those of others differ: it is too hard, or its rewards were lost',
      )
    })

    it('names one that does so between steps in which it does not', () => {
      const { tally, findings } = runOver(
        'A10',
        dump((environment, step) => environment === 'code' && step === 1),
      )
      expect(tally.affected).toBe(48)
      expect(findings[0]?.message).toContain('as are all 48 of environment code in step 1, while ')
    })

    it('leaves alone what fails at first, and what fails at last', () => {
      for (const step of [0, 2]) {
        expect(
          runOver(
            'A10',
            dump((_, at) => at === step),
          ).tally.affected,
        ).toBe(0)
      }
    })

    it('takes the names of questions for no environments', () => {
      const names = Array.from({ length: 36 }, (_, at) => `q${at}`)
      expect(
        runOver(
          'A10',
          dump((question) => question === 'q3' || question === 'q5', names),
        ).tally.affected,
      ).toBe(0)
    })

    it('says nothing of one environment beside others that give one reward as well', () => {
      expect(
        runOver(
          'A10',
          dump((environment) => environment !== 'math'),
        ).tally.affected,
      ).toBe(288)
      const succeeded = groupFacts(
        Array.from({ length: 24 }, (_, group) => Array.from({ length: 4 }, () => group % 2)),
        (_, group) => ({ environment: group % 2 === 0 ? 'code' : 'math' }),
      )
      expect(runOver('A10', dumpOf(succeeded)).tally.affected).toBe(0)
    })
  })
})
