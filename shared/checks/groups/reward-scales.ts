import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { GroupView } from '../check.ts'
import { biasedStd, mean, noiseFloor, rewardsOf } from './statistics.ts'

/** The span that rewards of one kind take, by which it is told whether those of a group differ by more than noise. */
export interface RewardScale {
  /** As the dump names it; null where it does not. */
  readonly environment: string | null
  readonly least: number
  readonly greatest: number
  /** greatest − least, in units of reward, or `range-stds` times the std of these rewards where that is less: rare extremes are no part of it. */
  readonly range: number
  /** Std below which a spread on this scale is noise. */
  readonly floor: number
  /** The part of it that no range has: `noise-std`, and 0 where these rewards are levels, each of them given on purpose. */
  readonly fixedFloor: number
  /** Complete groups that are held against it. */
  readonly groups: number
  /** Groups among them that alone reach beyond it, and far: their rewards are no part of the range. */
  readonly beyond: number
  /** The range as it was observed, the few at its ends with it; groups beyond it apart, unless one of few groups is. */
  readonly whole: number
}

export function wholeRange({ whole }: RewardScale): number {
  return whole
}

/** Whether rare extremes are left out of the range. */
export function isNarrowed({ range, whole }: RewardScale): boolean {
  return range < whole
}

/** Where the rewards of one group lie; the std is over n. */
interface Extent {
  readonly group: GroupView
  readonly least: number
  readonly greatest: number
  readonly centre: number
  readonly std: number
}

/** Complete groups by which a name is that of an environment: one of fewer may be the name of a question, asked again in each epoch. */
const GROUPS_OF_AN_ENVIRONMENT = 4

/** Groups that must lie near each other before one beside them is an outlier, where it is more than `stretch-groups` of them. */
const BESIDE_AN_OUTLIER = 4

/** Rollouts for each value, from which few values are told from a dump of few rollouts. */
const ROLLOUTS_OF_A_LEVEL = 4

/**
 * The scale of each of these complete groups. A group is held against those of its own environment where the dump names one, and against
 * all others that name none, or one of very few groups, where it does not. Of such a lot, two parts have a scale of their own where the whole reaches
 * `stretch-times` as far as they do: groups that all take one and the same pair of rewards, as right and wrong are; and all but a few
 * (`stretch-groups`), which may hold an outlier, or all but one.
 */
export function scalesOf(groups: readonly GroupView[], thresholds: Thresholds): Map<GroupView, RewardScale> {
  const scales = new Map<GroupView, RewardScale>()
  for (const [environment, extents] of byEnvironment(groups)) {
    for (const lot of withOwnPairs(extents, thresholds)) {
      const scale = scaleOf(environment, lot, thresholds)
      for (const { group } of lot) scales.set(group, scale)
    }
  }
  return scales
}

function byEnvironment(groups: readonly GroupView[]): Map<string | null, Extent[]> {
  const lots = new Map<string | null, Extent[]>()
  for (const group of groups) {
    const rewards = rewardsOf(group)
    let [least, greatest] = [rewards[0] as number, rewards[0] as number]
    for (const reward of rewards) {
      if (reward < least) least = reward
      if (reward > greatest) greatest = reward
    }
    const extent = { group, least, greatest, centre: mean(rewards), std: biasedStd(rewards) }
    const environment = environmentOf(group)
    const lot = lots.get(environment)
    if (lot === undefined) lots.set(environment, [extent])
    else lot.push(extent)
  }
  return withoutRareNames(lots)
}

function withoutRareNames(lots: ReadonlyMap<string | null, Extent[]>): Map<string | null, Extent[]> {
  const kept = new Map<string | null, Extent[]>()
  const unnamed: Extent[] = []
  for (const [environment, lot] of lots) {
    if (environment !== null && lot.length >= GROUPS_OF_AN_ENVIRONMENT) kept.set(environment, lot)
    else for (const extent of lot) unnamed.push(extent)
  }
  if (unnamed.length > 0) kept.set(null, unnamed)
  return kept
}

/** Null where a member names none, or another one. */
export function environmentOf({ members }: GroupView): string | null {
  const name = members[0]?.environment
  return name !== undefined && members.every(({ environment }) => environment === name) ? name : null
}

/** The lot without the groups of a pair of rewards that is far from spanning it, and these, pair by pair. */
function withOwnPairs(lot: readonly Extent[], thresholds: Thresholds): readonly (readonly Extent[])[] {
  const whole = rangeWithin(lot)
  const least = Math.max(2, thresholds['stretch-groups'] * lot.length)
  const pairs = new Map<string, Extent[]>()
  for (const extent of lot) {
    if (!isStretched(extent, whole, thresholds) || !isPair(extent)) continue
    const key = `${extent.least} ${extent.greatest}`
    const same = pairs.get(key)
    if (same === undefined) pairs.set(key, [extent])
    else same.push(extent)
  }
  const own = [...pairs.values()].filter((same) => same.length >= least)
  if (own.length === 0) return [lot]
  const taken = new Set(own.flat())
  const rest = lot.filter((extent) => !taken.has(extent))
  return rest.length === 0 ? own : [rest, ...own]
}

function isPair({ group, least, greatest }: Extent): boolean {
  return rewardsOf(group).every((reward) => reward === least || reward === greatest)
}

/** Whether a part is more than noise by itself, and the whole reaches many times as far. */
function isStretched(part: Pick<Extent, 'least' | 'greatest'>, whole: number, thresholds: Thresholds): boolean {
  const own = part.greatest - part.least
  const times = thresholds['stretch-times']
  return own >= times * thresholds['noise-std'] && own > 0 && whole > own && whole >= times * own
}

function scaleOf(environment: string | null, lot: readonly Extent[], thresholds: Thresholds): RewardScale {
  const near = withoutFew(lot, thresholds)
  const { least, greatest } = spanOf(near)
  // The more rewards there are of one law, the further apart the two ends of a tail: their std stays what it is.
  const range = Math.min(greatest - least, thresholds['range-stds'] * stdOf(near), Number.MAX_VALUE)
  const fixedFloor = areLevels(lot, thresholds) ? 0 : thresholds['noise-std']
  const floor = noiseFloor(range, fixedFloor, thresholds)
  const beyond = lot.length - near.length
  // One of few groups is no outlier for certain: whether it is decides too much for a verdict.
  const isOneOfFew = beyond > thresholds['stretch-groups'] * lot.length
  return {
    environment,
    least,
    greatest,
    range,
    floor,
    fixedFloor,
    groups: lot.length,
    beyond,
    whole: Math.min(isOneOfFew ? rangeWithin(lot) : greatest - least, Number.MAX_VALUE),
  }
}

/**
 * Whether the rewards are levels, such as right and wrong, whatever a right answer is worth: few values, which many rollouts share, from 0 on or about it.
 * A few values far from 0 may be all that rounding leaves of a judge's noise, or a small bonus on top of what every rollout is given.
 */
function areLevels(lot: readonly Extent[], thresholds: Thresholds): boolean {
  const { least, greatest } = spanOf(lot)
  if (least > 0 || greatest < 0) return false
  const most = thresholds['reward-levels']
  const levels = new Set<number>()
  let rollouts = 0
  for (const { group } of lot) {
    const rewards = rewardsOf(group)
    rollouts += rewards.length
    for (const reward of rewards) levels.add(reward)
    if (levels.size > most) return false
  }
  return rollouts >= ROLLOUTS_OF_A_LEVEL * levels.size
}

/** The lot without the few groups that make its range many times as wide as all others do; the lot where there are none. */
function withoutFew(lot: readonly Extent[], thresholds: Thresholds): readonly Extent[] {
  const share = thresholds['stretch-groups'] * lot.length
  const few = share > 0 && lot.length > BESIDE_AN_OUTLIER ? Math.max(1, Math.floor(share)) : Math.floor(share)
  if (few === 0) return lot
  const most = {
    least: lot.map(({ least }) => least).sort((a, b) => a - b)[few] as number,
    greatest: lot.map(({ greatest }) => greatest).sort((a, b) => b - a)[few] as number,
  }
  if (!isStretched(most, rangeWithin(lot), thresholds)) return lot
  // Those a little outside are no outliers: what is kept is at most `stretch-times` as wide.
  const room = ((thresholds['stretch-times'] - 1) / 2) * (most.greatest - most.least)
  return lot.filter(({ least, greatest }) => least >= most.least - room && greatest <= most.greatest + room)
}

/** Over n, of the rewards of all groups of a lot. */
function stdOf(lot: readonly Extent[]): number {
  let [count, sum] = [0, 0]
  for (const { group, centre } of lot) {
    count += group.members.length
    sum += group.members.length * centre
  }
  let squares = 0
  for (const { group, centre, std } of lot) squares += group.members.length * (std ** 2 + (centre - sum / count) ** 2)
  return Math.sqrt(squares / count)
}

function spanOf(lot: readonly Extent[]): Pick<Extent, 'least' | 'greatest'> {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const each of lot) {
    if (each.least < least) least = each.least
    if (each.greatest > greatest) greatest = each.greatest
  }
  return { least, greatest }
}

function rangeWithin(lot: readonly Extent[]): number {
  const { least, greatest } = spanOf(lot)
  return greatest - least
}
