import type { DumpView, GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { advantageSums, isZeroSum, mean } from '../groups/statistics.ts'

type Rows = ReadonlySet<TrajectoryFacts>

const NO_ROWS: Rows = new Set()

/** Groups, or rows, from which a rule is no coincidence. */
const FEWEST = 4

/**
 * Rows that train nothing where the baselines of all groups that can tell were made without such rows: advantages of those that train sum to 0, which they
 * would not over all rewards. Whoever left a row out of the mask alone would have counted it, and given it an advantage of its own.
 */
export function leftOutOfBaselines({ groups, settings: { thresholds } }: DumpView): Rows {
  const leftOut: TrajectoryFacts[] = []
  let told = 0
  for (const { complete, members } of groups) {
    const masked = members.filter(({ trained }) => trained === 0)
    if (!complete || masked.length === 0) continue
    const training = members.filter(({ trained }) => trained !== 0)
    const sums = advantageSums(training)
    const without = masked.filter(({ advantage }) => !advantage)
    if (sums !== null && sums.absolute > thresholds['same-reward']) {
      if (!isZeroSum(sums.sum, sums.absolute, thresholds) || without.length < masked.length) return NO_ROWS
      if (Math.abs(meanReward(members) - meanReward(training)) > thresholds['same-reward']) told++
    }
    for (const member of without) leftOut.push(member)
  }
  return told >= FEWEST ? new Set(leftOut) : NO_ROWS
}

function meanReward(members: GroupView['members']): number {
  return mean(members.map(({ reward }) => reward as number))
}

/** Rows that train nothing where no row that trains has a reward as low as any of theirs: rejection sampling trains what was rewarded. */
export function leftOutByReward({ facts }: DumpView): Rows {
  let greatest = Number.NEGATIVE_INFINITY
  let least = Number.POSITIVE_INFINITY
  const masked: TrajectoryFacts[] = []
  let training = 0
  for (const member of facts) {
    const { reward, trained } = member
    if (reward === null || trained === null) return NO_ROWS
    if (trained > 0) {
      least = Math.min(least, reward)
      training++
    } else {
      greatest = Math.max(greatest, reward)
      masked.push(member)
    }
  }
  return masked.length >= FEWEST && training >= FEWEST && greatest < least ? new Set(masked) : NO_ROWS
}
