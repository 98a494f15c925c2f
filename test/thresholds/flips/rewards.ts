import type { TrajectoryFacts } from '../../../shared/checks/facts/facts.ts'
import { standardised } from '../../fixtures/checks/group-rows.ts'
import { factsOf, groupFacts } from '../../helpers/facts.ts'
import { onFacts, onFixture, severitiesOnFacts, verdict } from '../outcomes.ts'
import { type Flips, flip } from './flip.ts'

const rows = <T>(count: number, of: (i: number) => T) => Array.from({ length: count }, (_, i) => of(i))

/** Groups of four, the first with rewards this close to each other. */
const close = (gap: number) => groupFacts([[0, 0, 0, gap], ...rows(5, () => [0, 1, 0, 1])])

/** The first group lies as close among rewards of too many values for levels. */
const closeAmongMany = groupFacts([[0, 0, 0, 0.1], ...rows(5, (i) => [0, 1, i / 50, 0.9 + i / 50])])

/** Right is worth 0.01. */
const smallLevels = groupFacts(rows(6, () => [0, 0.01, 0, 0.01]))

/** One success of eight, worth 0.25, in four groups beside ten of rewards up to 5. */
const smallPairs = groupFacts([
  ...rows(4, () => [0, 0, 0, 0, 0, 0, 0, 0.25]),
  ...rows(10, () => [0, 1, 2, 3, 4, 5, 1, 2]),
])

/** One reward of nine groups is many times as large as all others. */
const oneFarOut = groupFacts([...rows(8, () => [0, 0.05, 0.1, 0.1]), [0, 0.05, 0.1, 0.98]])

/** Advantages of (r − mean) / (std + eps), each moved by `error` of the group's largest. */
function storedWith(error: number, scale = 1) {
  const groups = rows(6, (k) => [0, k % 3, 1, 2])
  return groupFacts(groups, (_, group, member) => {
    const advantages = standardised(groups[group] as number[])
    const largest = Math.max(...advantages.map(Math.abs))
    return { advantage: scale * (advantages[member]! + (member === 0 ? error * largest : 0)) }
  })
}

/** … of groups whose stds differ, times a constant; those of the last `own` groups follow a formula of their own. */
function multiplied(factor: number, own = 0) {
  const groups = rows(6, (k) => [0, k % 3, 1, 2])
  return groupFacts(groups, (reward, group, member) => ({
    advantage: group < 6 - own ? factor * standardised(groups[group] as number[])[member]! : factor * reward ** 3,
  }))
}

/** Advantages that follow no formula; in two of six groups all pairs but that of the first two rollouts are against their rewards. */
const against = groupFacts(
  rows(6, () => [0, 0.3, 0.7, 1]),
  (_, group, member) => {
    const of = (group < 2 ? [0.7, 1, 0.3, 0] : [0, 0.3, 0.7, 1])[member] as number
    return { advantage: of + Math.sin(member) / 40 + 0.01 * member ** 3 }
  },
)

/** Advantages that follow no formula, where the first of six groups is turned around; in one group the first two rollouts have each other's. */
const turned = (exchanged: number) =>
  groupFacts(
    rows(6, (k) => [0, 0.2, 0.4, 0.6 + 0.02 * k, 0.8, 0.9, 1]),
    (reward, group, member) => {
      const of = group === exchanged && member < 2 ? 0.2 - reward : reward
      return { advantage: (group === 0 ? -1 : 1) * (2 * (of - 0.5)) ** 3 }
    },
  )

/** One of four rows was cut and masked, and counts in the mean of its group. */
const oneMasked = groupFacts([[0.9, 0.4, 0.6, 0.1]], (reward, _, member) => ({
  advantage: reward - 0.5,
  ...(member === 3 ? { trained: 0, isTruncated: true } : {}),
}))

/** Half of the groups have the advantages of a formula. */
const halfFit = groupFacts(
  rows(6, () => [0, 0.3, 0.7, 1]),
  (reward, group, member) => ({
    advantage: group < 4 ? standardised([0, 0.3, 0.7, 1])[member]! : reward ** 3 + 0.05 * member,
  }),
)

/** Advantages are of rewards that held half a hundredth more, four times as much in the last group. */
const unstored = groupFacts(
  rows(6, () => [0, 0, 1, 1]),
  (_, group, member) => ({
    advantage: standardised([0, (group === 5 ? 0.02 : 0.005) * (1 + group / 10), 1, 1])[member] as number,
  }),
)

/** The largest advantage of each group is half a percent above what rewards can give. */
const overTheBound = groupFacts(
  rows(4, () => [0, 0, 0, 1]),
  (_, __, member) => ({ advantage: member === 3 ? Math.sqrt(3) * 1.005 : -0.5 }),
)

/** Means were taken over windows of four that begin two rows late. */
function shiftedGroups() {
  const rewards = rows(6, (group) => [1, 2, 3, 4].map((at) => Math.sin(group * 4 + at) ** 2))
  const flat = rewards.flat()
  const advantages = flat.map((reward, row) => {
    const start = row < 2 ? 0 : row - ((row - 2) % 4)
    const window = flat.slice(start, row < 2 ? 2 : start + 4)
    return reward - window.reduce((sum, value) => sum + value, 0) / window.length
  })
  return groupFacts(rewards, (_, group, member) => ({ advantage: advantages[group * 4 + member] as number }))
}

/** Rollouts of eight groups with reward components; the total is made of them, up to `rest`. */
function withComponents(of: (i: number) => Record<string, number>, rest: (i: number) => number = () => 0) {
  let row = 0
  return groupFacts(
    rows(8, () => rows(8, () => 0)),
    () => {
      const i = row++
      const rewards = of(i)
      const total = Object.values(rewards).reduce((sum, value) => sum + value, 0)
      return { rewards, reward: total + rest(i) }
    },
  )
}
const a = (i: number) => Math.sin(i * 2.1)
const b = (i: number) => Math.cos(i * 5.3)

/** One component is most of the other with its sign turned. */
const cancelling = withComponents((i) => ({ recall: a(i), brevity: -0.6 * a(i) + 0.8 * b(i) }))
/** What is right is worth half a point, and a price on length takes more than that from it. */
const punished = withComponents((i) => ({ em: i % 2 ? 0.5 : 0, brevity: (i % 2 ? -1.1 : 0) + 0.1 * b(i) }))
const unrelated = (i: number) => Math.sin(i * 7.7 + 1)
const madeOfMore = withComponents(
  (i) => ({ recall: a(i), style: 0.5 * b(i) }),
  (i) => 0.3 * unrelated(i),
)
const opposing = withComponents((i) => ({ recall: 2 * a(i), brevity: -a(i) + 0.05 * b(i) }))

/** Five small components go against a large one together, so that none of them cancels it. */
const outvoted = withComponents((i) => ({
  recall: a(i),
  ...Object.fromEntries([3.1, 4.7, 6.1, 8.3, 9.7].map((f, k) => [`style ${k}`, -0.35 * a(i) + 0.1 * Math.sin(i * f)])),
}))

const same = (count: number, of: Partial<TrajectoryFacts>) => rows(count, (i) => factsOf(i, of))

/** One reward in each group is no number, and no advantages are stored. */
const oneBroken = groupFacts(rows(3, () => [Number.NaN, 1, 0, 1]))

/** All fail in ten groups of one environment, and half of the rollouts in ten of the other. */
const failed = groupFacts(
  rows(20, (i) => [0, i % 2, 0, i % 2]),
  (_, group) => ({ environment: group % 2 === 0 ? 'code' : 'math' }),
)

/** … in the second of three steps, while one group in five does so before and after. */
const failedOnce = groupFacts(
  rows(30, (i) => (i % 5 === 0 || (i >= 10 && i < 20) ? [0, 0] : [0, 1])),
  (_, group) => ({ step: Math.floor(group / 10) }),
)

/** Two of eight completions are the same, which the policy gives once in fifty times. */
const twice = groupFacts([rows(8, () => 0)], (_, __, member) => ({
  assistantLengths: [60],
  assistantTurns: 1,
  ...(member < 2 ? { idsHash: 'same' } : {}),
  gap: {
    count: 60,
    sum: 0,
    absolute: 0,
    squares: 0,
    largest: 0,
    trainerSum: Math.log(0.02),
    samplerValues: 60,
    samplerHash: 'c',
  },
}))

/** Five of eight rollouts of a group share their first 256 tokens. */
const alike = groupFacts([rows(8, () => 0)], (_, __, member) => ({
  prefixHashes: member < 5 ? ['a', 'b'] : [`a${member}`, `b${member}`],
}))

/** The answer stands in a reply alone, which is worth more than half of what there is to get. */
const paidByHalf = [
  ...rows(12, (i) => factsOf(i, { answerPlace: 'environment', reward: 0.6 })),
  ...rows(8, (i) => factsOf(20 + i, { answerPlace: 'nowhere', reward: 0 })),
  factsOf(40, { answerPlace: 'model', reward: 1 }),
]

/** Every second answer is right; those of `wrong` are not to the judge. */
const judged = (wrong: readonly number[] = []) =>
  rows(20, (i) => {
    const pairing = { question: `q${i}`, answer: `a${i}`, system: null, tools: null }
    return factsOf(i, { pairing, reward: wrong.includes(i) ? 0 : i % 2 })
  })

/** Rewards, groups and advantages. */
export const REWARD_FLIPS: Flips = {
  'same-reward': flip(onFacts('A01', close(0.01)), 0.05, 'silent', 1),
  'noise-std': flip(onFacts('A02', closeAmongMany, { options: { scaleRewards: 'group' } }), 0.06, 'silent', 1),
  'noise-std-of-range': flip(onFacts('A02', close(0.15), { options: { scaleRewards: 'group' } }), 0.1, 'silent', 1),
  'reward-levels': flip(onFacts('A02', smallLevels, { options: { scaleRewards: 'group' } }), 1, 'silent', 6),
  'range-stds': flip(onFacts('A02', oneFarOut, { options: { scaleRewards: 'group' } }), 100, 'silent', 8),
  'stretch-times': flip(onFacts('A02', smallPairs, { options: { scaleRewards: 'group' } }), 100, 'silent', 4),
  'stretch-groups': flip(onFacts('A02', smallPairs, { options: { scaleRewards: 'group' } }), 0.5, 'silent', 4),
  amplification: flip(onFixture('A02.trips'), 1_000, 1, 'silent'),
  'advantage-tolerance': flip(onFacts('A04', storedWith(0.02)), 0.1, 'not-checkable', 'silent'),
  'advantage-digits': flip(onFixture('A04.trips'), 10, 1, 'silent'),
  'off-beside-most': flip(onFacts('A04', unstored), 2, 'silent', 1),
  'order-share': flip(onFacts('A04', against), 0.3, 'not-checkable', 2),
  'turned-order': flip(onFacts('A04', turned(0)), 0.95, 1, 'not-checkable'),
  'agreeing-order': flip(onFacts('A04', turned(5)), 0.95, 1, 'not-checkable'),
  'fit-share': flip(onFacts('A02', halfFit), 0.8, 'silent', 'not-checkable'),
  'factor-share': flip(onFacts('A04', multiplied(900, 1)), 0.8, 'not-checkable', 6),
  'factor-groups': flip(onFacts('A04', multiplied(900)), 7, 6, 'not-checkable'),
  'least-weight': flip(onFacts('A04', multiplied(0.01)), 0.001, 6, 'silent'),
  'largest-weight': flip(onFacts('A04', multiplied(900)), 1_000, 6, 'silent'),
  'bound-slack': flip(onFacts('A03', overTheBound, { options: { scaleRewards: 'group' } }), 0.001, 'silent', 4),
  'zero-sum-share': flip(onFixture('C04.trips'), 1, 1, 'silent'),
  'masked-rows-share': flip(severitiesOnFacts('C04', oneMasked), 0.3, ['warning'], ['info']),
  'shifted-windows': flip(onFacts('A05', shiftedGroups()), 6, 6, 'silent'),
  'duplicate-tokens': flip(onFixture('A06.trips'), 320, 1, 'silent'),
  'chance-of-copies': flip(onFacts('A06', twice), 0.1, 'silent', 1),
  'shared-prefix-tokens': flip(onFacts('A06', alike), 300, 1, 'silent'),
  'shared-prefix-share': flip(onFacts('A06', alike), 0.7, 1, 'silent'),
  'components-explain': flip(onFacts('A09', madeOfMore), 0.9, 'not-checkable', 'silent'),
  'opposing-share': flip(verdict('H05', opposing), 0.1, 'contradicted', 'supported'),
  'outvoted-share': flip(onFacts('A09', punished), 0.2, 1, 'silent'),
  'outvoted-correlation': flip(onFacts('A09', punished), -1, 1, 'silent'),
  'opposing-evidence': flip(onFacts('A09', outvoted), 100, 1, 'silent'),
  'cancelling-share': flip(onFacts('A09', cancelling), 0.6, 1, 'silent'),
  'cancelling-correlation': flip(onFacts('A09', cancelling), -0.8, 1, 'silent'),
  'cancelling-evidence': flip(onFacts('A09', cancelling), 100, 1, 'silent'),
  'dominant-share': flip(onFixture('A09.nearMiss'), 0.76, 'silent', 1),
  'zeroed-rollouts': flip(onFacts('A10', same(8, { reward: 0 })), 9, 1, 'silent'),
  'broken-reward-groups': flip(
    severitiesOnFacts('A10', oneBroken),
    1,
    rows(3, () => 'warning'),
    rows(3, () => 'info'),
  ),
  'zeroed-groups': flip(onFacts('A10', failed), 11, 10, 'silent'),
  'zeroed-chance': flip(onFacts('A10', failedOnce), 1e-9, 10, 'silent'),
  'high-reward-share': flip(onFacts('A11', paidByHalf), 0.7, 12, 'not-checkable'),
  'scored-otherwise-share': flip(onFacts('A11', judged(), { against: judged([1, 5, 9, 13, 17]) }), 0.3, 5, 'silent'),
  'uneven-share': flip(onFixture('A12.trips'), 0.25, 1, 'not-applicable'),
  'length-ratio': flip(onFixture('A07.trips'), 40, 1, 'silent'),
  'length-rollouts': flip(onFixture('A07.trips'), 20, 1, 'silent'),
  'reply-share': flip(onFixture('A08.trips'), 0.5, 3, 'silent'),
}
