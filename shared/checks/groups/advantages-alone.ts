import { counted } from '../../model/number-text.ts'
import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpFault, DumpReporter, DumpView, GroupView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { BEYOND_ALL } from './beyond-all.ts'
import { advantageBound, advantageText, largestAdvantage, oneSize } from './bounds.ts'
import { hasInfiniteAdvantage, infiniteIn } from './infinite.ts'
import { biasedStd, mean, rangeOf, shown, trainedIn, unbiasedStd } from './statistics.ts'

/** Groups whose advantages tell together that each is divided by its own std: fewer have the std 1 by chance. */
const FEWEST_NORMALISED = 4

/** Of fewer rollouts the others are one or two, and have one advantage under several formulas. */
const FEWEST_ROLLOUTS = 4

/**
 * Where no rewards are stored, an advantage that the others tell to be none of any rewards. One that is infinite; one beside others that are what they
 * are where their rewards are one; and one far beyond the bound where all other groups have the mean 0 and the std 1, so that the std of each divides. What
 * is told otherwise is told of none: rewards may be anything, and an advantage as large as one of them.
 */
export function* lookWithoutRewards(view: DumpView, report: DumpReporter): Steps<void> {
  const { facts, groups, settings } = view
  const { thresholds } = settings
  const infinite = new Set(yield* within(0, 0.1, filtered(groups, hasInfiniteAdvantage)))
  const told = yield* within(
    0.1,
    0.3,
    filtered(groups, (group) => isTold(group) && !infinite.has(group)),
  )
  const exploded = yield* within(0.3, 0.6, explodedAlone(told, thresholds))
  const areNormalised = yield* within(0.6, 0.8, dividedByOwnStd(told, new Set(exploded.keys()), thresholds))
  if (infinite.size === 0 && exploded.size === 0 && !areNormalised) {
    const lacking = [...(areUnrewarded(facts) ? ['rewards'] : []), ...(groups.length === 0 ? ['groups'] : [])]
    report.abstain('not-checkable', `the dump does not carry ${lacking.join(', ')}`)
    return
  }
  const look = (group: GroupView) => {
    const far = exploded.get(group) ?? (areNormalised ? farBeyond(group, told.length - 1) : null)
    const fault = infinite.has(group) ? infiniteIn(group) : far
    // Of the others no bound is known, unless the formula is.
    if (fault === null && !areNormalised) return
    report.unit(fault !== null)
    report.place(fault !== null)
    if (fault !== null) report.fault(fault)
  }
  yield* within(0.8, 1, forEachOf([...infinite, ...told], look))
}

/** No rollout has a reward. */
export function areUnrewarded(facts: readonly TrajectoryFacts[]): boolean {
  return new FactColumns(facts).isEmpty('reward')
}

/** Every rollout has one advantage, and some has one other than 0. */
function isTold({ members }: GroupView): boolean {
  return (
    members.length >= FEWEST_ROLLOUTS &&
    members.every(({ advantage }) => advantage !== null) &&
    members.some(({ advantage }) => advantage !== 0)
  )
}

function advantagesOf({ members }: GroupView): readonly number[] {
  return members.map(({ advantage }) => advantage as number)
}

function isFar(group: GroupView): boolean {
  return largestAdvantage(group.members) > BEYOND_ALL * advantageBound('group-std-biased', group.members.length)
}

/**
 * Groups of which one rollout is far beyond the bound while all others have the same advantage of the other sign, 1/√(n−1) large. That is (r − mean of the
 * others) over their std where their rewards are one and it is another: one that should not be divided at all, since the std of its others is rounding.
 */
function* explodedAlone(told: readonly GroupView[], thresholds: Thresholds): Steps<ReadonlyMap<GroupView, DumpFault>> {
  const found = new Map<GroupView, DumpFault>()
  const tolerance = thresholds['advantage-tolerance']
  yield* forEachOf(told, (group) => {
    const { members } = group
    if (!isFar(group)) return
    const largest = members.reduce((most, member) => (oneSize(member) > oneSize(most) ? member : most))
    const others = members.filter((member) => member !== largest).map(({ advantage }) => advantage as number)
    const [own, other] = [largest.advantage as number, others[0] as number]
    const expected = 1 / Math.sqrt(others.length)
    if (rangeOf(others) > ALIKE * expected || own * other >= 0) return
    if (Math.abs(Math.abs(other) - expected) > tolerance * expected) return
    const why = `the other ${others.length} rollouts have ${shown(other)} each, as where they have one reward, and what is left of their std is rounding`
    found.set(group, faultOf(group, why))
  })
  return found
}

/** Of their size, by which advantages differ in float32 that are the same. */
const ALIKE = 1e-5

/**
 * Whether the advantages of every group have the mean 0 and the std 1, by the same of the two stds in all, those apart that are far beyond any bound and have
 * another mean. Groups must have unlike rewards: those with as many right answers each have one std of rewards, which that of a batch is as well.
 */
function* dividedByOwnStd(
  told: readonly GroupView[],
  exploded: ReadonlySet<GroupView>,
  thresholds: Thresholds,
): Steps<boolean> {
  const tolerance = thresholds['advantage-tolerance']
  const largest: number[] = []
  let [biased, unbiased] = [0, 0]
  yield* forEachOf(told, (group) => {
    const advantages = advantagesOf(group)
    if (exploded.has(group) || Math.abs(mean(advantages)) > tolerance) return
    const isOne = (std: number) => Math.abs(std - 1) <= tolerance
    const [byBiased, byUnbiased] = [isOne(biasedStd(advantages)), isOne(unbiasedStd(advantages))]
    if (byBiased) biased++
    if (byUnbiased) unbiased++
    if (byBiased || byUnbiased) largest.push(largestAdvantage(group.members))
  })
  const most = Math.max(biased, unbiased)
  if (most < FEWEST_NORMALISED || rangeOf(largest) <= tolerance) return false
  const others = told.filter((group) => !exploded.has(group) && !isFar(group))
  return most >= others.length && most * 2 > told.length
}

/** Null where the group is none that is far beyond the bound. */
function farBeyond(group: GroupView, others: number): DumpFault | null {
  if (!isFar(group)) return null
  const bound = advantageBound('group-std-biased', group.members.length)
  return faultOf(
    group,
    `those of ${counted(others, 'other group')} have the mean 0 and the std 1, and rewards of ${counted(group.members.length, 'rollout')} give at most ${bound.toFixed(3)} then`,
  )
}

function faultOf(group: GroupView, why: string): DumpFault {
  const bound = advantageBound('group-std-biased', group.members.length)
  const beyond = group.members.filter((member) => oneSize(member) > bound)
  const largest = beyond.reduce((most, member) => (oneSize(member) > oneSize(most) ? member : most))
  return {
    group,
    ...trainedIn(beyond),
    message: `${advantageText(largest, oneSize(largest))} in group ${group.id}; ${why}`,
    evidence: { advantage: largest.advantage, trajectory: largest.id, bound, advantages: advantagesOf(group) },
  }
}
