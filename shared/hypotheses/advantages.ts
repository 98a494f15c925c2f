import type { DumpView } from '../checks/check.ts'
import { FactColumns } from '../checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { boundOf } from '../checks/groups/bounds.ts'
import { hasInfiniteAdvantage } from '../checks/groups/infinite.ts'
import type { RewardScale } from '../checks/groups/reward-scales.ts'
import { isNoise, isNoiseInWhole, noiseFloors, type Scaling, scalingOf, spreadsOf } from '../checks/groups/scaling.ts'
import { mean } from '../checks/groups/statistics.ts'

/** What H01 measures. Numbers are null where there is nothing to take them from. */
export interface AdvantageMeasures {
  readonly completeGroups: number
  /** Complete groups in which an advantage is infinite. */
  readonly infiniteGroups: number
  readonly scaling: Scaling | null
  /** Mean over complete groups of the unbiased std of their rewards. */
  readonly meanStd: number | null
  /** Std below which a spread is noise, least and greatest over the scales of rewards. */
  readonly noiseFloors: readonly [number, number]
  /** 1 / (std + eps) from which a spread counts as amplified. */
  readonly amplification: number
  /** Share of complete groups whose spread is noise (groups without any spread are not: nothing is blown up there). */
  readonly noiseShare: number
  /** … and amplified under the scaling in use; 0 without a known scaling. */
  readonly amplifiedShare: number
  /** `amplifiedShare`, or `noiseShare` without a known scaling, by the range as it was observed, rare extremes with it. */
  readonly shareOfWhole: number
  /** What groups are held against. */
  readonly scales: readonly RewardScale[]
  /** Over the groups of `noiseShare`. */
  readonly largestAmplification: number | null
  readonly largestNoiseGap: number | null
  /** |advantage| that the scheme in use cannot give to groups of `groupSize` with these rewards; null where none follows, or the scheme is not known. */
  readonly bound: number | null
  readonly groupSize: number | null
  readonly largestAdvantage: number | null
  readonly meanAbsoluteAdvantage: number | null
}

export function measureAdvantages(dump: DumpView): AdvantageMeasures {
  const { amplification } = dump.settings.thresholds
  const scaling = scalingOf(dump)
  const { groups, range, scales } = spreadsOf(dump, scaling)
  const noise = groups.filter(isNoise)
  const amplified = noise.filter((spread) => scaling?.scaled === true && spread.amplification >= amplification)
  const ofWhole = groups.filter(
    (spread) =>
      isNoiseInWhole(spread, dump.settings.thresholds) && (scaling === null || spread.amplification >= amplification),
  )
  const { sizes, largestAdvantage } = sizesOf(dump.facts)
  const largest = (values: readonly number[]) => (values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b)))
  return {
    completeGroups: groups.length,
    infiniteGroups: groups.filter(({ group }) => hasInfiniteAdvantage(group)).length,
    scaling,
    meanStd: groups.length === 0 ? null : mean(groups.map(({ std }) => std)),
    noiseFloors: noiseFloors(scales, dump.settings.thresholds),
    amplification,
    noiseShare: groups.length === 0 ? 0 : noise.length / groups.length,
    amplifiedShare: groups.length === 0 ? 0 : amplified.length / groups.length,
    shareOfWhole: groups.length === 0 ? 0 : ofWhole.length / groups.length,
    scales,
    largestAmplification: scaling?.scaled === true ? largest(noise.map((spread) => spread.amplification)) : null,
    largestNoiseGap: largest(noise.map(({ gap }) => gap)),
    bound:
      scaling === null || dump.groupSize === null
        ? null
        : weighted(boundOf(scaling.scheme, dump.groupSize, range), scaling),
    groupSize: dump.groupSize,
    largestAdvantage,
    meanAbsoluteAdvantage: sizes.length === 0 ? null : mean(sizes),
  }
}

function weighted(bound: number | null, { weight }: Scaling): number | null {
  return bound === null ? null : weight * bound
}

/** |advantage| of each rollout that has one, and the largest, those of single tokens included. */
function sizesOf(facts: readonly TrajectoryFacts[]) {
  const sizes: number[] = []
  let largestAdvantage: number | null = null
  for (const part of new FactColumns(facts).parts()) {
    const [has, hasMost] = [part.present('advantage'), part.present('maxAdvantage')]
    const [advantages, most] = [part.numbers('advantage'), part.numbers('maxAdvantage')]
    for (let i = 0; i < part.length; i++) {
      const size = has[i] === 1 ? Math.abs(advantages[i] as number) : 0
      if (has[i] === 1) sizes.push(size)
      else if (hasMost[i] === 0) continue
      const own = Math.max(size, hasMost[i] === 1 ? (most[i] as number) : 0)
      largestAdvantage = largestAdvantage === null ? own : Math.max(largestAdvantage, own)
    }
  }
  return { sizes, largestAdvantage }
}
