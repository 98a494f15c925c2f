import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { fitOf } from '../../shared/checks/groups/scaling.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'
import { verdictOf } from '../hypotheses/input.ts'
import { stepScaleOf } from './step-scale.ts'

/** Four of each of three steps, with different means and stds. */
const GRADED = [
  [0.62, 0.18, 0.71, 0.65],
  [1, 0, 0, 1],
  [0.2, 0.9, 0.4, 0.3],
  [0, 0, 0, 1],
  [0.5, 0.1, 0.9, 0.8],
  [1, 1, 0, 1],
  [0.1, 0.7, 0.3, 0.3],
  [0, 1, 0.2, 0],
  [0.9, 0.8, 0.1, 0.4],
  [0, 0, 1, 1],
  [0.4, 0.6, 0, 0.9],
  [1, 0.3, 0.3, 0.2],
]

const stepOf = (group: number) => Math.floor(group / 4)

type Advantages = (rewards: readonly number[], group: number) => readonly number[]

function storing(advantages: Advantages, rewards: readonly (readonly number[])[] = GRADED, kept = rewards.length) {
  const made = rewards.map(advantages)
  return dumpOf(
    groupFacts(rewards.slice(0, kept), (_, group, member) => ({
      advantage: made[group]?.[member] as number,
      step: stepOf(group),
    })),
  )
}

const scaled: Advantages = (rewards) => recomputeAdvantages('group-std-unbiased', rewards, 1e-4)
const errorsOf = (dump: ReturnType<typeof dumpOf>) => ['A03', 'A04'].map((code) => runOver(code, dump).tally.affected)

/** Numbers from −1 to 1 without order. */
const wave = (at: number, of: number) => (Math.sin(at * 12.9898 + of * 78.233) * 43758.5453) % 1

describe('advantages that a run makes of those of a formula', () => {
  const clippedAt = (most: number, least = -most): Advantages => {
    return (rewards) => scaled(rewards, 0).map((each) => Math.min(most, Math.max(least, each)))
  }

  it.each([
    [1.45, -1.45],
    [1.4, -10],
    [10, -1.2],
  ])('are no fault where they are clipped at %d and %d', (most, least) => {
    const dump = storing(clippedAt(most, least))
    expect(fitOf(dump)).toMatchObject({ accepted: true })
    expect(fitOf(dump)?.share).toBeLessThan(1)
    expect(errorsOf(dump)).toEqual([0, 0])
  })

  it('are one where a row has less than the formula gives, and is not at the end of all', () => {
    const short: Advantages = (rewards, group) =>
      clippedAt(1.45)(rewards, group).map((each) => (group === 3 && each === 1.45 ? 0.9 : each))
    expect(errorsOf(storing(short))).toEqual([0, 1])
  })

  it('are no fault where they are whitened once more over each step', () => {
    const factors = [1.004, 0.93, 1.11]
    const whitened: Advantages = (rewards, group) =>
      scaled(rewards, group).map((each) => (factors[stepOf(group)] as number) * each)
    expect(errorsOf(storing(whitened))).toEqual([0, 0])
    const one: Advantages = (rewards, group) => scaled(rewards, group).map((each) => (group === 5 ? 1.11 : 1) * each)
    expect(errorsOf(storing(one))).toEqual([1, 0])
    const turned: Advantages = (rewards, group) =>
      scaled(rewards, group).map((each) => (stepOf(group) === 2 ? -each : each))
    expect(errorsOf(storing(turned))).toEqual([0, 4])
  })

  it.each([
    'batch-std',
    'batch-mean-std',
    'centre-batch-std',
  ] as const)('are no fault under %s where rollouts of a step are not in the dump', (scheme) => {
    const scales = [0, 1, 2].map((step) => stepScaleOf(GRADED.filter((_, group) => stepOf(group) === step)))
    const ofStep: Advantages = (rewards, group) => recomputeAdvantages(scheme, rewards, 1e-4, scales[stepOf(group)])
    expect(errorsOf(storing(ofStep))[1]).toBe(0)
    expect(errorsOf(storing(ofStep, GRADED, 10))[1]).toBe(0)
    const off: Advantages = (rewards, group) => ofStep(rewards, group).map((each) => (group === 9 ? 0.7 : 1) * each)
    expect(errorsOf(storing(off, GRADED, 10))[1]).toBeGreaterThan(0)
  })

  it('are no fault where rewards are less a baseline that the dump does not hold', () => {
    const lessGreedy: Advantages = (rewards, group) => rewards.map((reward) => reward - (group % 2))
    expect(errorsOf(storing(lessGreedy))[1]).toBe(0)
    const off: Advantages = (rewards, group) => lessGreedy(rewards, group).map((each) => each * (group === 3 ? 0.5 : 1))
    expect(errorsOf(storing(off))[1]).toBe(1)
  })
})

describe('advantages by a rule of each environment', () => {
  const RULES = {
    std: (rewards: readonly number[]) => recomputeAdvantages('group-std-unbiased', rewards, 1e-4),
    centred: (rewards: readonly number[]) => recomputeAdvantages('centre', rewards, 0),
    halved: (rewards: readonly number[]) => RULES.std(rewards).map((each) => each / 2),
    squared: (rewards: readonly number[]) => RULES.centred(rewards).map((each) => Math.sign(each) * each * each),
  }

  /** Two groups of three are of math, which the std divides; one is of search. */
  const ofSearch = (rule: keyof typeof RULES, environment = 'search', wrong = -1) =>
    dumpOf(
      groupFacts(GRADED, (_, group, member) => {
        const isSearch = group % 3 === 2
        const made = RULES[isSearch ? rule : 'std'](GRADED[group] as number[])
        return {
          environment: isSearch ? environment : 'math',
          advantage: (made[member] as number) + (group === wrong && member === 0 ? 0.4 : 0),
        }
      }),
    )

  it.each(['centred', 'halved'] as const)('are no fault where those of one are %s', (rule) => {
    expect(fitOf(ofSearch(rule))).toMatchObject({ scheme: 'group-std-unbiased', accepted: true })
    expect(errorsOf(ofSearch(rule))).toEqual([0, 0])
  })

  it('are one where no formula gives those of one, where no name tells the two apart, and in a group that its rule does not give', () => {
    expect(errorsOf(ofSearch('squared'))[1]).toBe(4)
    expect(errorsOf(ofSearch('centred', 'math'))[1]).toBe(4)
    expect(errorsOf(ofSearch('std', 'search', 5))[1]).toBe(1)
  })
})

describe('advantages that the right rollouts of a group share by their length', () => {
  const RIGHT = Array.from({ length: 12 }, (_, group) =>
    Array.from({ length: 6 }, (_, member) => Number(member < (group < 7 ? 1 : 3))),
  )
  const lengthOf = (group: number, member: number) => 100 + Math.round(80 * wave(group, member))

  /** (r − mean) times what `share` makes of the length of a right rollout and of the mean length of those of its group. */
  const sharing = (share: (own: number, mean: number, member: number) => number, isRightAlone = true) =>
    dumpOf(
      groupFacts(RIGHT, (reward, group, member) => {
        const made = recomputeAdvantages('centre', RIGHT[group] as number[], 0)[member] as number
        const own = lengthOf(group, member)
        const right = [...(RIGHT[group] as number[]).keys()].filter((at) => RIGHT[group]?.[at] === 1)
        const mean = right.reduce((sum, at) => sum + lengthOf(group, at), 0) / right.length
        const isShared = reward === 1 ? group >= 7 : !isRightAlone && group >= 7
        return { trained: own, advantage: isShared ? made * share(own, mean, member) : made }
      }),
    )

  it.each<[string, (own: number, mean: number) => number]>([
    ['shorter', (own, mean) => mean / own],
    ['longer', (own, mean) => own / mean],
  ])('are no fault where the %s ones have more of it', (_, share) => {
    expect(fitOf(sharing(share))).toMatchObject({ scheme: 'centre', accepted: true })
    expect(fitOf(sharing(share))?.share).toBeLessThan(1)
    expect(errorsOf(sharing(share))).toEqual([0, 0])
  })

  it('are one where they have no order by length, where wrong ones are off as well, and where one rollout alone is', () => {
    const unordered = (_own: number, _mean: number, member: number) => [0.6, 1.5, 0.8][member] as number
    expect(errorsOf(sharing(unordered))[1]).toBe(5)
    expect(errorsOf(sharing((own, mean) => mean / own, false))[1]).toBe(5)
    expect(errorsOf(sharing((own, mean, member) => (member === 0 ? 0.5 + own / mean : 1)))[1]).toBe(5)
  })
})

describe('rewards that are stored with fewer digits than advantages were made of', () => {
  const within = (spread: number) =>
    Array.from({ length: 12 }, (_, group) =>
      Array.from({ length: 6 }, (_, member) => -8 + spread * wave(group * 6 + member, 1)),
    )
  const toTwoDecimals = (reward: number) => Math.round(reward * 100) / 100
  const toBfloat16 = (reward: number) => {
    const half = new Uint32Array(new Float32Array([reward]).buffer)
    half[0] = (half[0]! + 0x8000) & 0xffff0000
    return new Float32Array(half.buffer)[0] as number
  }

  it.each([
    ['two decimals', toTwoDecimals, within(0.6)],
    ['bfloat16', toBfloat16, within(3)],
  ] as const)('make no fault of advantages: %s', (_, rounded, whole) => {
    const made = (off: number) =>
      dumpOf(
        groupFacts(whole, (reward, group, member) => {
          const advantage = recomputeAdvantages('centre', whole[group] as number[], 0)[member] as number
          return { reward: rounded(reward), advantage: advantage + (group === 4 && member === 0 ? off : 0) }
        }),
      )
    expect(fitOf(made(0))?.share).toBeLessThan(1)
    expect(fitOf(made(0))).toMatchObject({ accepted: true })
    expect(errorsOf(made(0))[1]).toBe(0)
    expect(errorsOf(made(0.2))[1]).toBe(1)
  })

  it('are none where there are but a few of them', () => {
    const graded = GRADED.map((group) => group.map((reward) => Math.round(10 * reward) / 10))
    const off: Advantages = (rewards, group) =>
      recomputeAdvantages('centre', rewards, 0).map((each) => each + (group === 2 ? 0.03 : 0))
    expect(errorsOf(storing(off, graded))[1]).toBe(1)
  })
})

describe('advantages that the std of the others divides', () => {
  const byOthers: Advantages = (rewards) => recomputeAdvantages('leave-one-out-std', rewards, 1e-6)
  const farOut = [0.5, 0.52, 0.49, 0.51, 0.5, 0.48, 0.5, 0.9]

  it('have no bound by how many they are', () => {
    const rewards = [...GRADED.map((group) => [...group, ...group.map((each) => each * 0.9)]), farOut]
    const dump = storing(byOthers, rewards)
    expect(Math.max(...byOthers(farOut, 0))).toBeGreaterThan(20)
    expect(errorsOf(dump)).toEqual([0, 0])
    expect(verdictOf('H01', dump).verdict).not.toBe('supported')
  })

  it('explode where all others have one reward, and what is left of their std is rounding', () => {
    const rewards = [...GRADED.map((group) => [...group, ...group.map((each) => each * 0.9)]), [0, 0, 0, 0, 0, 0, 0, 1]]
    const residue: Advantages = (of, group) =>
      byOthers(of, group).map((each, at) => (group === 12 && at === 7 ? -1e4 : each))
    const { findings } = runOver('A03', storing(residue, rewards))
    expect(findings.map(({ message }) => message)).toEqual([
      'An advantage of −10000 in group g12; the other 7 rollouts have one reward, and what is left of their std is rounding',
    ])
  })
})

describe('advantages of several rewards, each normalised by itself', () => {
  /** Twelve groups of six with three components in unequal units; their total is the weighted sum. */
  function decoupled(more: (advantage: number, group: number, member: number) => number = (advantage) => advantage) {
    const parts = Array.from({ length: 12 }, (_, group) =>
      [10, 1, 0.1].map((unit, of) => Array.from({ length: 6 }, (_, member) => unit * wave(group * 6 + member, of))),
    )
    const totals = parts.map((own) => own[0]!.map((_, member) => own.reduce((sum, part) => sum + part[member]!, 0)))
    const factors = [1.07, 0.94, 1]
    const facts = groupFacts(totals, (_, group, member): Partial<TrajectoryFacts> => {
      const own = parts[group] as number[][]
      const sum = own.reduce(
        (sum, part) => sum + (recomputeAdvantages('group-std-unbiased', part, 1e-4)[member] as number),
        0,
      )
      const advantage = more((factors[stepOf(group)] as number) * sum, group, member)
      const rewards = Object.fromEntries(['answer', 'search', 'format'].map((name, at) => [name, own[at]![member]!]))
      return { rewards, advantage, step: stepOf(group) }
    })
    return dumpOf(facts)
  }

  it('are no fault, though they rank rollouts otherwise than the total and are larger than one reward gives', () => {
    expect(errorsOf(decoupled())).toEqual([0, 0])
    expect(verdictOf('H01', decoupled()).verdict).not.toBe('supported')
  })

  it('are one where they are turned around', () => {
    expect(errorsOf(decoupled((advantage) => -advantage))[1]).toBeGreaterThan(6)
  })
})

describe('rollouts to whose turns something was added', () => {
  it('have another bound than the others', () => {
    const dump = (one: number | null) =>
      dumpOf(
        groupFacts(GRADED, (_, group, member) => {
          const advantage = scaled(GRADED[group] as number[], group)[member] as number
          return group === 3 && member === 3
            ? { advantage: one, maxAdvantage: 2.5 }
            : { advantage, maxAdvantage: Math.abs(advantage) }
        }),
      )
    expect(errorsOf(dump(null))[0]).toBe(0)
    expect(errorsOf(dump(2.5))[0]).toBe(1)
  })
})

describe('groups that each say how many rollouts were generated', () => {
  const sized = (declared: (size: number) => number | null) =>
    dumpOf(
      groupFacts(
        [
          [1, 0],
          [1, 0],
          [0, 1],
          [1, 0, 0, 1, 1],
        ],
        (_, group) => ({ groupSize: declared(group === 3 ? 5 : 2) }),
      ),
    )

  it('are not too large for having more than others', () => {
    expect(
      runOver(
        'A05',
        sized((size) => size),
      ).tally.affected,
    ).toBe(0)
    expect(
      runOver(
        'A05',
        sized(() => 2),
      ).tally.affected,
    ).toBe(1)
  })
})
