import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'

describe('C04', () => {
  const rewards = [[0.9, 0.4, 0.6, 0.1]]
  const group = (advantages: readonly (number | null)[]) =>
    dumpOf(
      groupFacts(rewards, (_, __, member) => ({
        advantage: advantages[member] ?? null,
        ...(member === 3 ? { trained: 0, isTruncated: true } : {}),
      })),
    )

  it('names the row that trains nothing and is counted', () => {
    const { tally, findings } = runOver('C04', group(recomputeAdvantages('centre', rewards[0] as number[], 0)))
    expect(tally).toMatchObject({ checked: 4, affected: 1, placesChecked: 1, placesAffected: 1 })
    expect(findings[0]).toMatchObject({ severity: 'warning', record: 3, scope: 'trajectory', group: 'g0' })
    expect(findings[0]?.evidence).toMatchObject({ rows_that_train: 3, rows: 4, mean_of_all: 0.5 })
  })

  it('sees the same under scaling by the std', () => {
    const advantages = recomputeAdvantages('group-std-unbiased', rewards[0] as number[], 1e-4)
    expect(runOver('C04', group(advantages)).tally.affected).toBe(1)
  })

  it('is silent where the baseline is that of the rows that train, where there is none, and where nothing is stored', () => {
    const mean = (0.9 + 0.4 + 0.6) / 3
    expect(runOver('C04', group([0.9 - mean, 0.4 - mean, 0.6 - mean, null])).tally.affected).toBe(0)
    expect(runOver('C04', group([0.9, 0.4, 0.6, 0.1])).tally.affected).toBe(0)
    expect(runOver('C04', group([null, null, null, null])).tally).toMatchObject({ checked: 4, affected: 0 })
  })

  /** Groups of four, the rows `masked` of each cut and masked; advantages are those of all rows. */
  const cut = (groups: readonly (readonly number[])[], masked: readonly (readonly number[])[], made = centred) =>
    dumpOf(
      groupFacts(groups, (_, group, member) => ({
        advantage: made(groups[group] as number[])[member] as number,
        ...(masked[group]?.includes(member) ? { trained: 0, isTruncated: true } : {}),
      })),
    )
  const centred = (rewards: readonly number[]) => recomputeAdvantages('centre', rewards, 0)

  it('is silent where rewards are the advantages of what trains, and groups train equal ones alone', () => {
    const groups = [
      [1, 0, 1, 0],
      [1, 1, 1, 0],
      [1, 0, 0, 1],
    ]
    const wrong = groups.map((rewards) => [0, 1, 2, 3].filter((member) => rewards[member] === 0))
    const times = (factor: number) => (rewards: readonly number[]) => rewards.map((reward) => factor * reward)
    for (const factor of [1, 0.25])
      expect(runOver('C04', cut(groups, wrong, times(factor))).tally).toMatchObject({ checked: 12, affected: 0 })
    expect(runOver('C04', cut(groups, wrong)).tally.affected).toBe(5)
  })

  it('counts groups of which one row trains, where others show what the baseline is made of', () => {
    const groups = [
      [0.9, 0.4, 0.6, 0.1],
      [0.2, 0.8, 0.5, 0.3],
    ]
    const { tally, findings } = runOver('C04', cut(groups, [[3], [1, 2, 3]]))
    expect(tally).toMatchObject({ affected: 4, placesChecked: 4 })
    expect(findings.map(({ severity }) => severity)).toEqual(Array(4).fill('warning'))
    // By itself it may be anything.
    expect(runOver('C04', cut(groups.slice(1), [[1, 2, 3]])).tally.affected).toBe(0)
    // Its own mean leaves it 0.
    const own = (rewards: readonly number[]) => (rewards[0] === 0.2 ? [0, 0, 0, 0] : centred(rewards))
    expect(runOver('C04', cut(groups, [[3], [1, 2, 3]], own)).tally.affected).toBe(1)
  })

  describe('with a fifth of the rows masked at most', () => {
    const severities = (masked: readonly number[], of: Partial<TrajectoryFacts>) => {
      const ten = Array.from({ length: 10 }, (_, member) => (member % 3) / 2)
      const advantages = recomputeAdvantages('centre', ten, 0)
      const facts = groupFacts([ten], (_, __, member) => ({
        advantage: advantages[member] as number,
        ...(masked.includes(member) ? { trained: 0, ...of } : {}),
      }))
      return runOver('C04', dumpOf(facts)).findings.map(({ severity }) => severity)
    }
    it.each<[string, Partial<TrajectoryFacts>]>([
      ['that end within a turn', { endReason: 'cut-prose' }],
      ['that are flagged', { isTruncated: true }],
      ['that stopped at a length', { finishReason: 'length' }],
      ['that the source leaves out', { excluded: true }],
      ['that end before an answer', { untrainedEnd: 'between-turns' }],
      ['that are as long as a limit', { realLength: 916, idsHash: 'i', limits: { max_seq_len: 916 } }],
    ])('tells those %s as a note, and more of them as a warning', (_, of) => {
      expect(severities([0, 2], of)).toEqual(['info', 'info'])
      expect(severities([0, 2, 3], of)).toEqual(['warning', 'warning', 'warning'])
    })

    it('warns of a row that nothing explains, however few there are', () => {
      expect(severities([2], {})).toEqual(['warning'])
    })
  })

  it('names the cut row alone where rows that failed are left out', () => {
    const members = [0.9, 0.4, 0.6, 0.1, 0.8]
    const made = recomputeAdvantages('centre', members.slice(0, 4), 0)
    const facts = groupFacts([members], (_, __, member) => ({
      advantage: made[member] ?? 0,
      ...(member === 3 ? { trained: 0, isTruncated: true } : {}),
      ...(member === 4 ? { trained: 0, finishReason: 'abort' } : {}),
    }))
    const { tally, findings } = runOver('C04', dumpOf(facts))
    expect(tally).toMatchObject({ affected: 1, placesChecked: 2, placesAffected: 1 })
    expect(findings[0]).toMatchObject({ record: 3, evidence: { mean_of_all: 0.5 } })
  })

  describe('with several groups', () => {
    const several = (counting: number) =>
      dumpOf(
        groupFacts(
          Array.from({ length: 5 }, () => rewards[0] as number[]),
          (reward, group, member) => ({
            // Of all four, or less what a whole step is moved by.
            advantage: reward - (group < counting ? 0.5 : (0.9 + 0.4 + 0.6) / 3 - 0.02),
            ...(member === 3 ? { trained: 0, isTruncated: true } : {}),
          }),
        ),
      )

    it('names those that count a masked row where half of them do', () => {
      expect(runOver('C04', several(3)).tally.affected).toBe(3)
      expect(runOver('C04', several(5)).tally.affected).toBe(5)
    })

    it('takes a baseline that one of many has for chance', () => {
      expect(runOver('C04', several(1)).tally).toMatchObject({ affected: 0, placesChecked: 5 })
    })
  })

  it('is silent of a row in which the model wrote nothing, unless a limit took what it wrote', () => {
    const centred = recomputeAdvantages('centre', rewards[0] as number[], 0)
    const prompts = (of: Partial<TrajectoryFacts>) =>
      dumpOf(
        groupFacts(rewards, (_, __, member) => ({
          advantage: centred[member] as number,
          ...(member === 3 ? { trained: 0, endReason: 'prompt-only', ...of } : {}),
        })),
      )
    expect(runOver('C04', prompts({ finishReason: 'stop' })).tally).toMatchObject({ affected: 0, placesChecked: 0 })
    expect(runOver('C04', prompts({ finishReason: 'length' })).tally.affected).toBe(1)
    expect(runOver('C04', prompts({ finishReason: 'stop', isTruncated: true })).tally.affected).toBe(1)
    expect(runOver('C04', prompts({ finishReason: null })).tally.affected).toBe(1)
  })

  it('is silent where the baseline is that of a batch or of a critic', () => {
    const batch = (0.9 + 0.4 + 0.6 + 0.1 + 4) / 8
    expect(runOver('C04', group([0.9 - batch, 0.4 - batch, 0.6 - batch, null])).tally.affected).toBe(0)
    expect(runOver('C04', group([0.31, -0.02, 0.07, null])).tally.affected).toBe(0)
  })

  it('cannot be checked on incomplete groups', () => {
    const facts = groupFacts(rewards, () => ({ groupSize: 8 }))
    expect(runOver('C04', dumpOf(facts)).abstained?.reason).toBe('incomplete groups')
  })
})
