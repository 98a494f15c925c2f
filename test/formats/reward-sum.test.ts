import { describe, expect, it } from 'vitest'
import { plainSum, type ScoredRow } from '../../shared/formats/reward-sum.ts'
import { audited } from '../session/dumps.ts'

/** Two groups of four, in which all three scores differ. */
const SCORES = [
  [
    [1, 0.8, 1],
    [0, 0.2, 1],
    [0, 0.5, 0],
    [1, 1, 0.5],
  ],
  [
    [0, 0, 1],
    [1, 0.9, 0],
    [1, 0.3, 1],
    [0, 0.4, 0.5],
  ],
]

type Weigh = (scores: readonly number[]) => number
const plain: Weigh = (scores) => scores.reduce((sum, score) => sum + (Number.isNaN(score) ? 0 : score), 0)
const weighed: Weigh = (scores) => plain(scores.map((score, at) => score * [1, 1, 0.5][at]!))

/** As TRL makes advantages: less the mean of the group, over its std. */
function rowsOf(groups: readonly (readonly (readonly number[])[])[], weigh: Weigh): ScoredRow[] {
  return groups.flatMap((members, group) => {
    const totals = members.map(weigh)
    const mean = totals.reduce((sum, total) => sum + total, 0) / totals.length
    const std = Math.sqrt(totals.reduce((sum, total) => sum + (total - mean) ** 2, 0) / (totals.length - 1))
    return members.map((scores, at) => ({
      group: `g${group}`,
      scores,
      advantage: ((totals[at] as number) - mean) / (std + 1e-4),
    }))
  })
}

const silent = SCORES.map((members) =>
  members.map((scores, at) => (at === 1 ? [scores[0]!, Number.NaN, scores[2]!] : scores)),
)
const sure = SCORES.map((members) => members.map(([one, two]) => [one!, two!, 1]))
const apart = [SCORES[0]!.map(([one, two]) => [one!, two!, 1]), SCORES[1]!.map(([one, , three]) => [one!, 0, three!])]
const alike = SCORES.map((members) => members.map(([one, , three]) => [one!, one!, three!]))

const lone = SCORES.map((members) => members.map(([one]) => [one!, 1]))
const opposed = SCORES.map((members) => members.map(([one, two]) => [one!, -0.9 * one! - 0.05 * two!]))
const opposite = SCORES.map((members) => members.map(([one]) => [one!, -0.9 * one!]))
const level = SCORES.map((members, group) => members.map(([one, two]) => [one!, two!, group]))

describe('the plain sum of several scores', () => {
  it.each<[string, ScoredRow[], boolean]>([
    ['is the reward where advantages are those of it', rowsOf(SCORES, plain), true],
    ['be they not scaled', rowsOf(SCORES, plain).map((row) => ({ ...row, advantage: plain(row.scores) - 1 })), true],
    ['and a function is silent on some rows', rowsOf(silent, plain), true],
    ['or each pair of scores differs in a group of its own', rowsOf(apart, plain), true],
    [
      'or some groups are dead',
      rowsOf(
        [
          ...SCORES,
          [
            [1, 1, 1],
            [1, 1, 1],
          ],
        ],
        plain,
      ),
      true,
    ],
    ['is not where one counts half', rowsOf(SCORES, weighed), false],
    ['nor in the reverse order', rowsOf(SCORES, (scores) => -plain(scores)), false],
    ['is where a score is the same everywhere, and changes no advantage', rowsOf(sure, plain), true],
    ['and one alone differs', rowsOf(lone, plain), true],
    ['and where scores nearly cancel, so that little is their sum', rowsOf(opposed, plain), true],
    [
      'is not where scores cancel but for what one says of its own',
      rowsOf(opposed, ([one, two]) => one! + 0.99 * two!),
      false,
    ],
    ['nor where they do so altogether, and any part of one is left', rowsOf(opposite, plain), false],
    ['nor where a score is the same in each group, and may have any weight', rowsOf(level, plain), false],
    [
      'nor where all scores are the same',
      rowsOf(
        SCORES.map((members) => members.map(() => [1, 1, 1])),
        plain,
      ),
      false,
    ],
    ['nor where two scores say the same, and may share theirs in any way', rowsOf(alike, plain), false],
    [
      'nor where groups of two show nothing',
      rowsOf(
        SCORES.map((members) => members.slice(0, 2)),
        plain,
      ),
      false,
    ],
    [
      'nor where an advantage is no number',
      rowsOf(SCORES, plain).map((row, at) => (at === 3 ? { ...row, advantage: Number.NaN } : row)),
      false,
    ],
    ['nor of no rows', [], false],
  ])('%s', (_, rows, is) => {
    expect(plainSum(rows) !== null).toBe(is)
  })
})

describe('completions of TRL with several rewards', () => {
  const NAMES = ['em', 'f1', 'format']
  const reportOf = async (weigh: Weigh, map: Readonly<Record<string, string>> = {}) => {
    const records = rowsOf(SCORES, weigh).map(({ group, scores, advantage }, at) => ({
      step: 5,
      prompt: `What is ${group}?`,
      completion: `It is number ${at}.`,
      ...Object.fromEntries(scores.map((score, column) => [NAMES[column], score])),
      advantage,
    }))
    const session = await audited(records.map((record) => JSON.stringify(record)).join('\n'), { map })
    const report = session.report()
    return { missing: report.sources[0]!.missing, notes: report.sources[0]!.notes?.join(' ') ?? '' }
  }

  it('are rewarded with their sum where the advantages show it', async () => {
    const { missing, notes } = await reportOf(plain)
    expect(missing).not.toContain('rewards')
    expect(notes).toContain('Its reward is the sum of em, f1, format')
  })

  it('else have components alone, and a note that tells how to name one', async () => {
    const { missing, notes } = await reportOf(weighed)
    expect(missing).toContain('rewards')
    expect(missing).not.toContain('reward_components')
    expect(notes).toContain('--map reward=NAME')
    const named = await reportOf(weighed, { reward: 'em' })
    expect(named.missing).not.toContain('rewards')
    expect(named.notes).toBe('Its reward is em, as --map says.')
  })

  it('have no reward on rows where a score differs that was always the same', async () => {
    const records = rowsOf([...Array.from({ length: 16 }, () => sure).flat(), ...SCORES], plain).map(
      ({ group, scores, advantage }, at) => ({
        step: 5,
        prompt: `What is ${group}?`,
        completion: `It is number ${at}.`,
        ...Object.fromEntries(scores.map((score, column) => [NAMES[column], score])),
        advantage,
      }),
    )
    const session = await audited(records.map((record) => JSON.stringify(record)).join('\n'))
    const source = session.report().sources[0]!
    expect(source.notes?.join(' ')).toContain('In all of its first rows format is 1, so that its weight does not show')
    // Four of the last eight rows have another score.
    expect(source.drift).toEqual(['no rewards in 4 of 136 records, the first of them record 130 (line 131)'])
  })

  it('have no column of another name', async () => {
    const { missing, notes } = await reportOf(weighed, { reward: 'rouge' })
    expect(missing).toContain('rewards')
    expect(notes).toContain('is not used')
  })
})
