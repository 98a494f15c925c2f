import type { DumpView } from '../checks/check.ts'
import { type ComponentMeasures, componentsOf } from '../checks/groups/components.ts'
import { isNoise, spreadsOf } from '../checks/groups/scaling.ts'
import { mean, unbiasedStd } from '../checks/groups/statistics.ts'

/** What H05 measures. */
export interface RewardMeasures {
  readonly completeGroups: number
  /** Groups whose rewards are all the same, or differ by less than noise: neither tells one rollout from another. */
  readonly groupsWithoutContrast: number
  /** The same where noise is told by a share of the rewards' own range alone, whatever their unit. */
  readonly groupsFlatInRange: number
  /** Std below which a spread is noise. */
  readonly noiseFloor: number
  readonly range: number
  /** Of every rollout in complete groups; null where they have several. */
  readonly only: number | null
  /** Mean over complete groups of the unbiased std of rewards. */
  readonly within: number
  /** Unbiased std of the groups' mean rewards; null with a single group. */
  readonly between: number | null
  /** within / between; null where `between` is 0 or unknown. */
  readonly contrastRatio: number | null
  /** Null where components are not stored, or do not make up the total. */
  readonly components: readonly ComponentMeasures[] | null
  /** The components are stored, but the total is not made of them. */
  readonly componentsUnexplained: boolean
}

export function measureRewards(dump: DumpView): RewardMeasures {
  const { groups, range, floor } = spreadsOf(dump, null)
  const ownFloor = dump.settings.thresholds['noise-std-of-range'] * range
  const below = (least: number) => groups.filter((spread) => !spread.contrast || isNoise(spread, least)).length
  const within = groups.length === 0 ? 0 : mean(groups.map(({ std }) => std))
  const between = groups.length < 2 ? null : unbiasedStd(groups.map(({ rewards }) => mean(rewards)))
  const components = componentsOf(dump)
  return {
    completeGroups: groups.length,
    groupsWithoutContrast: below(floor),
    groupsFlatInRange: below(ownFloor),
    noiseFloor: floor,
    range,
    only: range === 0 ? (groups[0]?.rewards[0] ?? null) : null,
    within,
    between,
    contrastRatio: between === null || between === 0 ? null : within / between,
    components: components === 'unexplained' ? null : (components?.components ?? null),
    componentsUnexplained: components === 'unexplained',
  }
}
