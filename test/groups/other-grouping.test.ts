import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import type { AuditOptions } from '../../shared/model/policy.ts'
import { standardised } from '../fixtures/checks/group-rows.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'

const [GROUPS, SIZE] = [6, 8]
/** Rewards of 0 and 1, a few of each in every group. */
const REWARDS = Array.from({ length: GROUPS }, (_, group) =>
  Array.from({ length: SIZE }, (_, member) => Number((group * 5 + member * 3 + group * member) % 7 < 3)),
)

/** The advantages of all rows, in order, where those for which `key` is the same were taken together. */
function takenOver(key: (row: number) => number, rewards = REWARDS, formula = standardised): number[] {
  const flat = rewards.flat()
  const advantages = flat.map(() => 0)
  for (const each of new Set(flat.map((_, row) => key(row)))) {
    const rows = [...flat.keys()].filter((row) => key(row) === each)
    const made = formula(rows.map((row) => flat[row] as number))
    for (const [at, row] of rows.entries()) advantages[row] = made[at] as number
  }
  return advantages
}

const rowsWith = (advantages: readonly number[], more: (group: number) => Partial<TrajectoryFacts> = () => ({})) =>
  groupFacts(REWARDS, (_, group, member) => ({
    advantage: advantages[group * SIZE + member] as number,
    promptHash: `p${group}`,
    ...more(group),
  }))

const judged = (facts: readonly TrajectoryFacts[], options: AuditOptions = {}) =>
  runOver('A05', dumpOf(facts, { options }))
const DECLARED = { groupSize: SIZE }

describe('advantages that were taken over rows that are no group', () => {
  it.each<[string, (row: number) => number, number, number]>([
    ['along the other axis', (row) => row % SIZE, GROUPS, SIZE],
    ['as columns of an array of the wrong shape', (row) => row % GROUPS, SIZE, GROUPS],
    ['half a group at a time', (row) => row >> 2, SIZE / 2, 1],
  ])('are named: %s', (_, key, size, stride) => {
    const facts = rowsWith(takenOver(key))
    const { tally, findings } = judged(facts, DECLARED)
    expect(tally).toMatchObject({ checked: GROUPS, affected: GROUPS })
    expect(findings[0]?.evidence.advantages_taken_over).toMatchObject({ size, stride, scheme: 'group-std-unbiased' })
    expect(findings[0]?.message).toContain('Advantages are those of “group std” over ')
    // One fact has one name.
    const { findings: mismatches, abstained } = runOver('A04', dumpOf(facts, { options: DECLARED }))
    expect([mismatches, abstained?.reason]).toEqual([[], expect.stringContaining('(A05)')])
  })

  it('are named where groups are interleaved and rows were taken one after the other', () => {
    const facts = Array.from({ length: GROUPS * SIZE }, (_, row) => row)
    const advantages = takenOver((row) => Math.floor(row / SIZE))
    const flat = REWARDS.flat()
    const made = groupFacts(
      facts.map((row) => [flat[row] as number]),
      (_, row) => ({ advantage: advantages[row] as number, group: `g${row % GROUPS}`, promptHash: `p${row % GROUPS}` }),
    )
    expect(judged(made, DECLARED).findings[0]?.evidence.advantages_taken_over).toMatchObject({ size: SIZE, stride: 1 })
  })

  /** Rows of 16 prompts, whose groups are those of `groupOf`, and whose advantages are taken over those with one `partOf`. */
  function ofBatches(groupOf: (row: number) => number, partOf: (row: number) => number) {
    const rewards = Array.from({ length: 16 * SIZE }, (_, row) => Math.abs(Math.sin(row * 12.9898) * 43758.5453) % 1)
    const advantages = takenOver(partOf, [rewards])
    return groupFacts(
      rewards.map((reward) => [reward]),
      (_, row) => ({
        advantage: advantages[row] as number,
        group: `g${groupOf(row)}`,
        promptHash: `p${groupOf(row)}`,
        step: 0,
      }),
    )
  }
  const interleaved = (row: number) => row % 16
  const interleavedByTwo = (row: number) => 2 * (row >> 4) + (row % 2)

  it.each<[string, (row: number) => number, (row: number) => number, number]>([
    ['prompts are interleaved, and every two share a baseline', interleaved, (row) => row % 8, 0],
    ['two prompts each are interleaved, and share a baseline', interleavedByTwo, (row) => row >> 4, 0],
    [
      'two prompts each are interleaved, and a baseline begins amid them',
      interleavedByTwo,
      (row) => (row + 8) >> 4,
      16,
    ],
    ['prompts are interleaved, and rows are taken one after the other', interleaved, (row) => row >> 3, 16],
  ])('are parts of a batch where they tear no prompt: %s', (_, groupOf, partOf, affected) => {
    expect(judged(ofBatches(groupOf, partOf), DECLARED).tally.affected).toBe(affected)
  })

  it.each<[string, TrajectoryFacts[], AuditOptions]>([
    ['groups have the advantages of a known formula', rowsWith(takenOver((row) => Math.floor(row / SIZE))), DECLARED],
    ['a formula of the run’s own has no baseline', rowsWith(REWARDS.flat().map((reward) => 2 * reward - 1)), DECLARED],
    [
      'a formula of the run’s own has the baseline of a group',
      rowsWith(takenOver((row) => Math.floor(row / SIZE)).map((each) => Math.tanh(2 * each) + 0.1)),
      DECLARED,
    ],
    ['a prompt came twice, and nobody told how large groups are', rowsWith(takenOver((row) => row >> 2)), {}],
    [
      'all are asked the same, so that the groups may be told wrong',
      rowsWith(
        takenOver((row) => row % GROUPS),
        () => ({ promptHash: 'same' }),
      ),
      DECLARED,
    ],
    ['whole groups were taken together two by two, as over a batch', rowsWith(takenOver((row) => row >> 4)), DECLARED],
    [
      'a reward was shaped before advantages were made of it',
      rowsWith(
        takenOver(
          (row) => row % GROUPS,
          REWARDS.map((group) => group.map((reward, at) => reward - 0.05 * at)),
        ),
      ),
      DECLARED,
    ],
  ])('are not told where %s', (_, facts, options) => {
    expect(judged(facts, options).tally.affected).toBe(0)
  })

  it('are told in each step by itself', () => {
    const step = (group: number) => ({ step: group < GROUPS / 2 ? 1 : 2 })
    const half = (GROUPS * SIZE) / 2
    const advantages = takenOver((row) => Math.floor(row / half) * GROUPS + (row % (GROUPS / 2)))
    const { findings } = judged(rowsWith(advantages, step), DECLARED)
    expect(findings[0]?.evidence.advantages_taken_over).toMatchObject({ size: SIZE, stride: GROUPS / 2 })
  })
})

describe('advantages that were taken over rows one after the other, across groups', () => {
  const [PROMPTS, EACH] = [12, 4]
  const reward = (row: number) => Math.abs(Math.sin(row * 12.9898) * 43758.5453) % 1
  const all = Array.from({ length: PROMPTS * EACH }, (_, row) => row)
  const CUT = { trained: 0, isTruncated: true, endReason: 'cut-prose' } as const
  const isCut = (row: number) => row % 11 === 5

  /** Advantages over windows of the rows that are kept; others have 0. */
  const overWindowsOf = (kept: readonly number[]) => {
    const made = takenOver((at) => Math.floor(at / EACH), [kept.map(reward)])
    return all.map((row) => made[kept.indexOf(row)] ?? 0)
  }
  const overGroups = takenOver((row) => Math.floor(row / EACH), [all.map(reward)])

  function rowsOf(advantages: readonly number[], more: (row: number) => Partial<TrajectoryFacts> = () => ({})) {
    return groupFacts(
      all.map((row) => [reward(row)]),
      (_, row) => {
        const group = Math.floor(row / EACH)
        return {
          advantage: advantages[row] as number,
          group: `g${group}`,
          groupSize: EACH,
          promptHash: `p${group}`,
          ...more(row),
        }
      },
    )
  }
  const dropped = overWindowsOf(all.filter((row) => !isCut(row)))

  it('are named where cut rows were dropped before, and are no longer in the dump', () => {
    const facts = rowsOf(dropped).filter((_, row) => !isCut(row))
    const { tally, findings } = judged(facts)
    // The first group lost no row, and with the fourth the windows are groups again.
    expect(tally).toMatchObject({ checked: PROMPTS, affected: PROMPTS - 3 })
    expect(findings[0]?.message).toContain(
      '“group std” over every 4 rows in turn, and not over the 3 rollouts of group g1',
    )
    expect(runOver('A04', dumpOf(facts))).toMatchObject({
      findings: [],
      abstained: { reason: expect.stringContaining('(A05)') },
    })
  })

  it('are named where cut rows were dropped before, and are masked in the dump', () => {
    const facts = rowsOf(dropped, (row) => (isCut(row) ? CUT : {}))
    const { findings } = judged(facts)
    expect(findings[0]?.message).toContain('over every 4 rows in turn of those that train')
    expect(findings[0]?.evidence.advantages_taken_over).toMatchObject({ size: EACH, stride: 1, rows_that_train: true })
    // Masked rows are part of no mean.
    expect(runOver('C04', dumpOf(facts)).findings).toEqual([])
  })

  it('are not told where the rows that were dropped are part of no mean of their groups', () => {
    const kept = takenOver((row) => (isCut(row) ? -1 - row : Math.floor(row / EACH)), [all.map(reward)])
    const masked = rowsOf(kept, (row) => (isCut(row) ? CUT : {}))
    expect(judged(masked).tally.affected).toBe(0)
    expect(judged(masked.filter((_, row) => !isCut(row))).tally.affected).toBe(0)
    expect(judged(rowsOf(overGroups).filter((_, row) => !isCut(row))).tally.affected).toBe(0)
  })

  describe('of one step of several', () => {
    const half = all.length / 2
    const step = (row: number) => ({ step: row < half ? 1 : 2 })
    const shifted = takenOver((row) => Math.floor((row + 2) / EACH), [all.map(reward)])
    const facts = rowsOf(
      all.map((row) => (row < half ? overGroups : shifted)[row] as number),
      step,
    )

    it('are named there, and are no second fault of the rewards', () => {
      const { tally, findings } = judged(facts)
      expect(tally).toMatchObject({ checked: PROMPTS, affected: PROMPTS / 2 })
      expect(findings.map(({ group }) => group)).not.toContain('g0')
      expect(runOver('A04', dumpOf(facts)).tally).toMatchObject({ affected: 0 })
    })

    it('are named where the last of them closes with the first rows of the step', () => {
      const inThird = (row: number) => row - 2 * (all.length / 3)
      const third = takenOver(
        (at) => Math.floor(((at + 2) % (all.length / 3)) / EACH),
        [all.slice(-all.length / 3).map(reward)],
      )
      const steps = rowsOf(
        all.map((row) => (inThird(row) < 0 ? overGroups[row] : third[inThird(row)]) as number),
        (row) => ({ step: Math.floor((3 * row) / all.length) }),
      )
      expect(judged(steps).findings.map(({ group }) => group)).toEqual(['g8', 'g9', 'g10', 'g11'])
      expect(runOver('A04', dumpOf(steps)).tally).toMatchObject({ affected: 0 })
    })

    it('are no fault of the grouping where they are of no window', () => {
      const wrong = rowsOf(
        overGroups.map((each, row) => (row < half ? each : -each)),
        step,
      )
      expect(judged(wrong).tally.affected).toBe(0)
      expect(runOver('A04', dumpOf(wrong)).tally).toMatchObject({ affected: PROMPTS / 2 })
    })
  })
})
