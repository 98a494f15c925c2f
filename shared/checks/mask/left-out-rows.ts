import { count } from '../../model/number-text.ts'
import type { DumpView, GroupView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { advantageSums, isZeroSum, mean, shown } from '../groups/statistics.ts'

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

/** Rows that train nothing, and why a trainer may have rejected them, as the end of a sentence. */
export interface RejectedRows {
  readonly rows: Rows
  readonly says: string
}

const NO_REJECTED: RejectedRows = { rows: NO_ROWS, says: '' }

/**
 * Rows without a cause of their own that train nothing, where the log ratios of trainer to sampler of every one of them sum, or come on average, to less or
 * to more than those of any row that trains: rejection sampling by sequence (verl's `rollout_rs`) keeps those within two bounds.
 */
export function leftOutByRatio({ facts }: DumpView): RejectedRows {
  const columns = new FactColumns(facts)
  if (columns.isEmpty('leftOutRatios') || columns.isEmpty('gap')) return NO_REJECTED
  const isUnexplained = columns.present('untrainedEnd')
  const rows = facts.filter((_, at) => isUnexplained[at] === 1)
  if (rows.length < FEWEST) return NO_REJECTED
  const training = columns.having('gap').filter(({ trained }) => (trained ?? 0) > 0)
  if (training.length < FEWEST) return NO_REJECTED
  for (const name of ['sum', 'mean'] as const) {
    const [least, greatest] = rangeOf(training, name)
    const isBeyond = rows.every(({ leftOutRatios }) => {
      if (leftOutRatios === undefined) return false
      const { sum, tokens } = leftOutRatios
      const own = name === 'sum' ? sum : sum / tokens
      return own < least || own > greatest
    })
    if (!isBeyond) continue
    const says = `one of ${count(rows.length)} whose log ratios of trainer to sampler have a ${name} beyond ${digits(least)} to ${digits(greatest)}, between which lie all rows that train: rejection sampling by sequence leaves them out on purpose`
    return { rows: new Set(rows), says }
  }
  return NO_REJECTED
}

/** Of the log ratios of each row: a gap is that of the sampler above the trainer. */
function rangeOf(rows: readonly TrajectoryFacts[], name: 'sum' | 'mean'): readonly [number, number] {
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  for (const { gap } of rows) {
    const { sum = 0, count: tokens = 1 } = gap ?? {}
    const own = name === 'sum' ? -sum : -sum / tokens
    least = Math.min(least, own)
    greatest = Math.max(greatest, own)
  }
  return [least, greatest]
}

function digits(value: number): string {
  return shown(Number(value.toPrecision(3)))
}
