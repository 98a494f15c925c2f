import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { isNoise, spreadsOf } from '../../shared/checks/groups/scaling.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'
import { audited, cleanRollout, qwen } from '../session/dumps.ts'
import { filesOf, merge, reportOf, written } from '../session/merge-shards.ts'
import { verdictOf } from './input.ts'

type Groups = readonly (readonly number[])[]
const many = (count: number, of: (i: number) => number[]) => Array.from({ length: count }, (_, i) => of(i))

/** Right or wrong, one to three of four right. */
const solved = (count: number) => many(count, (i) => [0, 1, i % 3 > 0 ? 1 : 0, i % 3 > 1 ? 1 : 0])
/** Scores of a game, 0 to 25. */
const played = (count: number) => many(count, (i) => [0, 9 + (i % 5), 16, i % 2 ? 25 : 20])
/** Graded from 0 to 1. */
const graded = (count: number) => many(count, (i) => [0.1, 0.4, 0.75, i % 2 ? 1 : 0.05])
/** Rewards that differ by this much about a level of their own group, which a judge of 0 to `of` gives. */
const judged = (count: number, by: number, of: number) =>
  many(count, (i) => [-1, 0.3, 0.8, -0.2].map((z, k) => of * (0.2 + 0.06 * (i % 10)) + by * (z + ((i * k) % 3) / 10)))

function dumpWith(groups: Groups, environment: (group: number) => string | undefined = () => undefined) {
  return dumpOf(
    groupFacts(groups, (_, group): Partial<TrajectoryFacts> => {
      const name = environment(group)
      return name === undefined ? {} : { environment: name }
    }),
  )
}
const noiseIn = (dump: ReturnType<typeof dumpWith>) => spreadsOf(dump, null).groups.filter(isNoise).length

describe('one group far beyond a few others', () => {
  const outlier = [0.1, 0.4, 0.75, 100]

  it('makes no noise of theirs, and leaves the verdict to whoever knows what it is', () => {
    const dump = dumpWith([...graded(7), outlier])
    expect(noiseIn(dump)).toBe(0)
    const { verdict, because, would_change } = verdictOf('H05', dump)
    expect(verdict).toBe('inconclusive')
    expect(because.find(({ measure }) => measure === 'reward range that groups are held against')?.value).toBe(
      '0.05 to 1 in 8 groups, 1 group far beyond left out',
    )
    expect(would_change.join()).toContain('by the whole range of rewards')
    // One of many is none of them.
    expect(verdictOf('H05', dumpWith([...graded(9), outlier])).verdict).toBe('contradicted')
    expect(verdictOf('H05', dumpWith(graded(8))).verdict).toBe('contradicted')
  })

  it('is one of them where three are all that there are, or it has contrast and they have none', () => {
    expect(noiseIn(dumpWith([...graded(3), outlier]))).toBe(3)
    const dump = dumpWith([...judged(7, 0.01, 1), [0, 1, 1, 0]])
    expect([noiseIn(dump), verdictOf('H05', dump).verdict]).toEqual([7, 'supported'])
  })
})

describe('rewards of several environments in one dump', () => {
  it('are each held against their own, where the dump names it', () => {
    const named = (group: number) => (group < 30 ? 'gsm8k' : 'game')
    const dump = dumpWith([...graded(30), ...played(10)], named)
    expect(noiseIn(dump)).toBe(0)
    const { verdict, because } = verdictOf('H05', dump)
    expect(verdict).toBe('contradicted')
    expect(because.find(({ measure }) => measure === 'reward range that groups are held against')?.value).toBe(
      '0.05 to 1 in 30 groups of gsm8k; 0 to 25 in 10 groups of game',
    )
    expect(because.find(({ measure }) => measure === 'noise floor of the reward std')?.value).toMatch(
      /^0.0475 to 1.25,/,
    )
  })

  it('a name that few groups have is that of a question, and makes no range', () => {
    // ±0.03 is noise beside 0 to 1, and would be all the range that the questions have for themselves.
    const rewards = [...judged(30, 0.03, 1), ...solved(30)]
    expect(noiseIn(dumpWith(rewards))).toBe(30)
    for (const groups of [1, 3]) {
      expect(noiseIn(dumpWith(rewards, (group) => `question ${Math.floor(group / groups)}`))).toBe(30)
    }
  })

  it('nor are right and wrong taken for noise where it does not', () => {
    for (const [right, scores] of [
      [30, 10],
      [90, 10],
      [10, 40],
    ] as const) {
      const dump = dumpWith([...solved(right), ...played(scores)])
      expect(noiseIn(dump)).toBe(0)
      expect(verdictOf('H05', dump).verdict).toBe('contradicted')
    }
  })

  it('and noise within one of them stays noise', () => {
    const dump = dumpWith([...judged(30, 0.01, 1), ...solved(2), ...played(10)], (group) =>
      group < 32 ? 'judge' : 'game',
    )
    expect(noiseIn(dump)).toBe(30)
    expect(verdictOf('H05', dump).verdict).toBe('supported')
  })

  it('a group whose members are of two is held against those that name none', () => {
    const facts = groupFacts([...graded(30), ...played(10)], (_, __, member) => ({ environment: `e${member % 2}` }))
    expect(spreadsOf(dumpOf(facts), null).scales).toMatchObject([{ environment: null, range: 25 }])
  })
})

describe('an outlier', () => {
  it.each([-100, 1000])('of %d is no part of the range of other rewards', (outlier) => {
    const groups = graded(39)
    const dump = dumpWith([...groups, [0.1, 0.4, outlier, 0.6]])
    expect(noiseIn(dump)).toBe(0)
    expect(spreadsOf(dump, null).scales).toMatchObject([{ least: 0.05, greatest: 1, groups: 40, beyond: 1 }])
    const { verdict, because } = verdictOf('H05', dump)
    expect(verdict).toBe('contradicted')
    expect(because.find(({ measure }) => measure === 'reward range that groups are held against')?.value).toBe(
      '0.05 to 1 in 40 groups, 1 group far beyond left out',
    )
  })

  it('makes no contrast of noise: it is left out, and what remains is judged as it is without it', () => {
    const dump = dumpWith([...judged(39, 0.01, 1), [0.65, 0.66, 1000, 0.64]])
    expect(noiseIn(dump)).toBe(39)
    expect(verdictOf('H05', dump).verdict).toBe('supported')
  })
})

describe('one reward whose differences are mostly small', () => {
  it.each([
    ['0.65 ± 0.01 beside right and wrong', [...judged(30, 0.01, 1), ...solved(10)], 30],
    ['a judge of 0 to 100 that hardly differs within groups', [...judged(30, 0.5, 100), [0, 100, 50, 20]], 30],
    ['one success among replies of almost the same reward', [...judged(39, 0.025, 1), [0, 0, 1, 0]], 39],
    ['a bonus for format beside right and wrong', [...many(30, () => [0, 0.05, 0, 0.05]), ...solved(10)], 30],
  ] as const)('is noise: %s', (_, groups, noise) => {
    const dump = dumpWith(groups as Groups)
    expect(noiseIn(dump)).toBe(noise)
    expect(verdictOf('H05', dump).verdict).toBe('supported')
  })
})

describe('rewards of a small unit', () => {
  const scaledBy = (unit: number, offset = 0) =>
    solved(24).map((group) => group.map((reward) => offset + unit * reward))
  const ruled = (groups: Groups) => {
    const facts = groupFacts(groups, (_, group, member) => ({
      advantage: recomputeAdvantages('group-std-unbiased', groups[group] as number[], 1e-4)[member] as number,
    }))
    const dump = dumpOf(facts)
    return [noiseIn(dump), verdictOf('H01', dump).verdict, verdictOf('H05', dump).verdict]
  }

  it.each([
    ['right and wrong, worth 0.01', scaledBy(0.01)],
    ['wrong is −0.01', scaledBy(0.01, -0.01)],
    ['one on each side of 0', scaledBy(0.01, -0.005)],
    ['five marks', many(24, (i) => [0, 0.005, 0.01, (i % 5) * 0.0025])],
  ])('are no noise where they are levels: %s', (_, groups) => {
    expect(ruled(groups)).toEqual([0, 'contradicted', 'contradicted'])
  })

  it.each([
    ['a judge whose marks are rounded', scaledBy(0.01, 0.65)],
    ['a bonus for format on top of what all are given', scaledBy(0.01, 1)],
    ['a judge of 0 and more', judged(24, 0.003, 0.02)],
  ])('are noise where they are none: %s', (_, groups) => {
    expect(ruled(groups)).toEqual([24, 'supported', 'inconclusive'])
  })

  it('are told from levels by their number, and in few rollouts not at all', () => {
    expect(ruled([[0, 0.01, 0.004, 0.002]])[0]).toBe(1)
    expect(ruled(many(4, () => [0, 0.01, 0.004, 0.002]))[0]).toBe(0)
  })

  it('stay noise beside rewards of the same kind that are larger', () => {
    expect(ruled([...scaledBy(0.01), ...solved(12)])[0]).toBe(24)
  })
})

describe('a dump that names its environments', () => {
  const [right, scores] = [solved(12), played(4)]
  async function rollouts(name: (group: number) => Record<string, unknown>): Promise<string> {
    const tokenizer = await qwen()
    const rollouts = [...right, ...scores].flatMap((rewards, group) =>
      rewards.map((reward, member) => ({
        ...cleanRollout(tokenizer, group * 4 + member, { group: String(group), groupSize: 4, reward }).record,
        ...name(group),
      })),
    )
    return rollouts.map((record) => `${JSON.stringify(record)}\n`).join('')
  }

  it.each(['env_name', 'data_source', 'environment', 'dataset'])('by %s is judged by them', async (field) => {
    const facts = (await audited(await rollouts((group) => ({ [field]: group < 12 ? 'gsm8k' : 'game' })))).facts
    expect([facts[0]?.environment, facts.at(-1)?.environment]).toEqual(['gsm8k', 'game'])
  })

  it('by a task is, where that is a word, and no question or the id of one', async () => {
    const named = async (task: string) =>
      (await audited(await rollouts(() => ({ task })))).facts[0]?.environment ?? null
    expect(await named('multi-hop')).toBe('multi-hop')
    for (const task of ['Who founded it?', 'task_12', 'a-question-of-which-the-words-are-joined', ''])
      expect(await named(task)).toBe(null)
  })

  it('is judged the same in parts that are merged', async () => {
    const files = filesOf('dump', await rollouts((group) => ({ env_name: group < 12 ? 'gsm8k' : 'game' })), 4)
    const parts = await Promise.all([files.slice(0, 2), files.slice(2)].map((shard) => reportOf(shard, {})))
    const whole = await reportOf(files, {})
    expect(written(merge(parts).report)).toBe(whole)
    const { hypotheses } = JSON.parse(whole)
    const H05 = hypotheses.find(({ id }: { id: string }) => id === 'H05')
    expect(H05.because).toContainEqual(expect.objectContaining({ value: expect.stringMatching(/of gsm8k; 0 to 25/) }))
  })
})
