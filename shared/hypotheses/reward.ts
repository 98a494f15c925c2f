import type { DumpView } from '../checks/check.ts'
import { type ComponentMeasures, componentsOf } from '../checks/groups/components.ts'
import { isNarrowed, type RewardScale, wholeRange } from '../checks/groups/reward-scales.ts'
import { type GroupSpread, isNoise, isNoiseInWhole, noiseFloors, spreadsOf } from '../checks/groups/scaling.ts'
import { mean, shown, unbiasedStd } from '../checks/groups/statistics.ts'
import { counted } from '../model/number-text.ts'

/** What H05 measures. */
export interface RewardMeasures {
  readonly completeGroups: number
  /** Groups whose rewards are all the same, or differ by less than noise: neither tells one rollout from another. */
  readonly groupsWithoutContrast: number
  /** The same where noise is told by a share of the rewards' own range alone, whatever their unit. */
  readonly groupsFlatInRange: number
  /** Std below which a spread is noise, least and greatest over the scales of rewards. */
  readonly noiseFloors: readonly [number, number]
  /** What groups are held against; one unless rewards of several environments lie beside each other. */
  readonly scales: readonly RewardScale[]
  /** Of all rewards. */
  readonly range: number
  /** Of every rollout in complete groups; null where they have several. */
  readonly only: number | null
  /** Mean over complete groups of the unbiased std of rewards. */
  readonly within: number
  /** Unbiased std of the groups' mean rewards; null with a single group. */
  readonly between: number | null
  /** `within` as a share of the range of each group's scale; null where all ranges are 0. What lies beyond a scale counts as its end. */
  readonly withinShare: number | null
  /** The same, and the share of groups without contrast, by ranges as they were observed, rare extremes with them. */
  readonly withinShareOfWhole: number | null
  readonly flatShareOfWhole: number
  /** The same share over the std of the groups' means within their scales; null where that is 0 or unknown. */
  readonly contrastRatio: number | null
  /** Null where components are not stored, or do not make up the total. */
  readonly components: readonly ComponentMeasures[] | null
  /** The components are stored, but the total is not made of them. */
  readonly componentsUnexplained: boolean
}

export function measureRewards(dump: DumpView): RewardMeasures {
  const { thresholds } = dump.settings
  const { groups, range, scales } = spreadsOf(dump, null)
  const ofRange = thresholds['noise-std-of-range']
  const isFlatInRange = ({ contrast, std, scale }: GroupSpread) => !contrast || std < ofRange * scale.range
  const isFlatInWhole = (spread: GroupSpread) => !spread.contrast || isNoiseInWhole(spread, thresholds)
  const within = groups.length === 0 ? 0 : mean(groups.map(({ std }) => std))
  const between = groups.length < 2 ? null : unbiasedStd(groups.map(({ rewards }) => mean(rewards)))
  const components = componentsOf(dump)
  return {
    completeGroups: groups.length,
    groupsWithoutContrast: groups.filter((spread) => !spread.contrast || isNoise(spread)).length,
    groupsFlatInRange: groups.filter(isFlatInRange).length,
    noiseFloors: noiseFloors(scales, thresholds),
    scales,
    range,
    only: range === 0 ? (groups[0]?.rewards[0] ?? null) : null,
    within,
    between,
    ...sharesOf(groups, scales),
    withinShareOfWhole: sharesOf(groups, scales, wholeRange).withinShare,
    flatShareOfWhole: groups.length === 0 ? 0 : groups.filter(isFlatInWhole).length / groups.length,
    components: components === 'unexplained' ? null : (components?.components ?? null),
    componentsUnexplained: components === 'unexplained',
  }
}

/** Within and between groups, each group in units of its scale. */
function sharesOf(
  groups: readonly GroupSpread[],
  scales: readonly RewardScale[],
  rangeOf: (scale: RewardScale) => number = ({ range }) => range,
): Pick<RewardMeasures, 'withinShare' | 'contrastRatio'> {
  // Beside others, a scale that is noise as a whole has no spread to speak of; its groups are without contrast already.
  const loud = scales.filter(({ range, floor }) => range >= floor)
  const judged = (loud.length === 0 ? scales : loud).filter(({ range }) => range > 0)
  const all = judged.reduce((sum, scale) => sum + scale.groups, 0)
  const byScale = new Map<RewardScale, GroupSpread[]>(judged.map((scale) => [scale, []]))
  for (const spread of groups) byScale.get(spread.scale)?.push(spread)
  let [withinShare, squares, free] = [0, 0, 0]
  for (const [scale, own] of byScale) {
    const clamped = own.map((spread) => clampedTo(scale, spread))
    withinShare += (clamped.length / all) * (mean(clamped.map(({ std }) => std)) / rangeOf(scale))
    if (clamped.length < 2) continue
    const between = unbiasedStd(clamped.map(({ rewards }) => mean(rewards))) / rangeOf(scale)
    squares += (clamped.length - 1) * between * between
    free += clamped.length - 1
  }
  const between = free === 0 ? 0 : Math.sqrt(squares / free)
  return { withinShare: all === 0 ? null : withinShare, contrastRatio: between === 0 ? null : withinShare / between }
}

function clampedTo({ least, greatest, beyond }: RewardScale, { rewards, std }: GroupSpread) {
  if (beyond === 0) return { rewards, std }
  const clamped = rewards.map((reward) => Math.min(greatest, Math.max(least, reward)))
  return { rewards: clamped, std: unbiasedStd(clamped) }
}

/** One floor as a number; several as the span that they take. */
export function floorText([least, greatest]: RewardMeasures['noiseFloors']): number | string {
  return least === greatest ? least : `${shown(least)} to ${shown(greatest)}, by the range of each kind of reward`
}

/** Scales that a line names one by one. */
const TOLD_SCALES = 4

/** What groups are held against, where that is not the range of all rewards: `−1 to 1 in 40 groups of gsm8k`. */
export function scaleText({ scales }: Pick<RewardMeasures, 'scales'>): string | null {
  if (scales.length < 2 && !scales.some((scale) => scale.beyond > 0 || isNarrowed(scale))) return null
  const told = scales.slice(0, TOLD_SCALES).map((scale) => {
    const { environment, least, greatest, range, groups, beyond } = scale
    const without = beyond === 0 ? '' : `, ${counted(beyond, 'group')} far beyond left out`
    const narrowed = range < greatest - least ? `, taken as ${shown(range)} wide for the few at its ends` : ''
    const of = environment === null ? '' : ` of ${environment}`
    return `${shown(least)} to ${shown(greatest)} in ${counted(groups, 'group')}${of}${without}${narrowed}`
  })
  const more = scales.length - told.length
  return [...told, ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

/** How a measure ends that is taken by ranges as they were observed, where rare extremes are no part of those that groups are held against. */
export const BY_WHOLE_RANGE = ', by the whole range of rewards, the few at its ends with it'
export const RANGE_HELD_AGAINST = 'reward range that groups are held against'
