import { counted, minus } from '../../model/number-text.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpReporter, DumpView, GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { declaredSize } from '../grouping/group-views.ts'

/** The rewards of a complete group, in member order. */
export function rewardsOf(group: GroupView): readonly number[] {
  return group.rewards ?? group.members.map(({ reward }) => reward as number)
}

/** Complete groups, or null after the check has abstained for want of any. */
export function completeGroups(view: DumpView, report: DumpReporter): readonly GroupView[] | null {
  const complete = view.groups.filter((group) => group.complete)
  if (complete.length > 0) return complete
  report.abstain('not-checkable', incompleteReason(view))
  return null
}

/** Why no group is complete: members are missing, or are too many, or rewards that are numbers. */
export function incompleteReason(view: Pick<DumpView, 'groups' | 'groupSize'>): string {
  const { groups, groupSize } = view
  if (groups.length > 0 && groups.every(({ members }) => members.length === 1))
    return 'incomplete groups: each has one rollout, which is compared with none'
  const isNumber = ({ reward }: TrajectoryFacts) => reward !== null && Number.isFinite(reward)
  const whole = groups.filter(({ members }) => members.length === groupSize)
  const unrewarded = whole.filter(({ members }) => !members.every(isNumber))
  if (unrewarded.length === 0) return tooLargeReason(view) ?? severalSizesReason(view) ?? 'incomplete groups'
  const odd = unrewarded.flatMap(({ members }) => members.filter((member) => !isNumber(member)))
  const missing = odd.filter(({ reward }) => reward === null).length
  const what = [
    ...(missing > 0 ? [`${missing} ${missing === 1 ? 'has' : 'have'} no reward`] : []),
    ...(odd.length > missing
      ? [`${odd.length - missing} ${odd.length - missing === 1 ? 'has' : 'have'} a reward that is NaN or infinite`]
      : []),
  ].join(' and ')
  return `incomplete groups: of the rollouts of ${counted(unrewarded.length, 'group')} ${what}`
}

/**
 * What to say of groups that hold more rollouts than are generated for a prompt; null where none does. A whole multiple may be sound (a key that returns
 * with every epoch, in a dump without steps), so that it is no fault of the groups (A05), and lacks nobody.
 */
function tooLargeReason({ groups, groupSize }: Pick<DumpView, 'groups' | 'groupSize'>): string | null {
  const declared = groups.map(({ members }) => declaredSize(members))
  // One that all declare gives way to the one that was given.
  const isOne = new Set(declared).size === 1
  const sizeOf = (at: number) => (isOne ? groupSize : (declared[at] ?? groupSize))
  const large = groups.filter(({ members }, at) => members.length > (sizeOf(at) ?? members.length))
  if (large.length === 0) return null
  const sizes = new Set(groups.map((_, at) => sizeOf(at)))
  const size = sizes.size === 1 ? `the ${[...sizes][0]} that` : 'as many as'
  const hold = `${large.length} of ${counted(groups.length, 'group')} ${large.length === 1 ? 'holds' : 'hold'} more rollouts than ${size} are generated for a prompt`
  const areMultiples = groups.every(({ members }, at) => members.length % (sizeOf(at) ?? Number.NaN) === 0)
  if (large.length < groups.length || !areMultiples) return `no complete groups: ${hold}`
  const why = large.every(holdsCopies)
    ? 'its own ones more than once, as where a step was written or read twice'
    : 'a whole multiple, as epochs leave that share their keys and store no step'
  return `no complete groups: ${hold}, ${why}`
}

/** Sizes that a sentence lists. */
const MOST_SIZES = 4

/** Groups have several sizes, and none of them is known to be that of whole ones; null where a size is known, or all have one. */
function severalSizesReason({ groups, groupSize }: Pick<DumpView, 'groups' | 'groupSize'>): string | null {
  const sizes = [...new Set(groups.map(({ members }) => members.length))].sort((a, b) => a - b)
  if (groupSize !== null || sizes.length < 2) return null
  const all = `${sizes.slice(0, -1).join(', ')} or ${sizes.at(-1)}`
  const have = sizes.length > MOST_SIZES ? `between ${sizes[0]} and ${sizes.at(-1)}` : all
  return `incomplete groups: they have ${have} rollouts, and nothing tells which of them are whole (--group-size, or a group_size in the rows)`
}

/** Every rollout of the group has the ids of another one of it. */
function holdsCopies({ members }: GroupView): boolean {
  const counts = new Map<string, number>()
  for (const { idsHash } of members) if (idsHash !== null) counts.set(idsHash, (counts.get(idsHash) ?? 0) + 1)
  return members.every(({ idsHash }) => idsHash !== null && (counts.get(idsHash) as number) > 1)
}

/** What a verdict over groups lacks where none is complete. */
export function lackOfGroups(view: Pick<DumpView, 'groups' | 'groupSize'>): string {
  const [, why = 'every group lacks members, or rewards that are numbers'] = incompleteReason(view).split(': ')
  return `complete groups (${why})`
}

/** The tokens and the loss weight that a fault of these rollouts touches. */
export function trainedIn(rows: readonly TrajectoryFacts[]): { affectedTokens: number; affectedWeight: number } {
  return {
    affectedTokens: rows.reduce((sum, { trained }) => sum + (trained ?? 0), 0),
    affectedWeight: rows.reduce((sum, { weight }) => sum + (weight ?? 0), 0),
  }
}

/** A reward or advantage as a message shows it: six digits, without the tail that binary fractions leave. */
export function shown(value: number): string {
  return minus(String(Number(value.toPrecision(6))))
}

export function mean(values: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i] as number
  if (Number.isFinite(sum)) return sum / values.length
  // The sum of very large values is out of range where their mean is not.
  return values.reduce((before, value) => before + value / values.length, 0)
}

/** The value in the middle, of an even number the upper of the two; null of none. */
export function median(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? null
}

/** Standard deviation over n − 1, as `torch.std` computes it; 0 for a single value. */
export function unbiasedStd(values: readonly number[]): number {
  return values.length < 2 ? 0 : deviationOver(values, values.length - 1)
}

/** Standard deviation over n, as `numpy.std` computes it. */
export function biasedStd(values: readonly number[]): number {
  return deviationOver(values, values.length)
}

/** Greatest minus least. */
export function rangeOf(values: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY
  let greatest = Number.NEGATIVE_INFINITY
  for (const value of values) {
    if (value < least) least = value
    if (value > greatest) greatest = value
  }
  return greatest >= least ? Math.min(greatest - least, Number.MAX_VALUE) : 0
}

/** Range of the rewards of all `groups`. */
export function rewardRange(groups: readonly GroupView[]): number {
  return rangeOf(rewardsOfAll(groups))
}

function* rewardsOfAll(groups: readonly GroupView[]): Generator<number> {
  for (const group of groups) yield* rewardsOf(group)
}

/** The sum of the advantages of rows, and that of their amounts; null where one of them has none. */
export function advantageSums(
  rows: readonly TrajectoryFacts[],
): { readonly sum: number; readonly absolute: number } | null {
  let sum = 0
  let absolute = 0
  for (const { advantage } of rows) {
    if (advantage === null) return null
    sum += advantage
    absolute += Math.abs(advantage)
  }
  return { sum, absolute }
}

/** Whether advantages sum to 0, as those over exactly the rows that made their baseline do: `absolute` is the sum of their amounts. */
export function isZeroSum(sum: number, absolute: number, thresholds: Thresholds): boolean {
  return Math.abs(sum) <= Math.max(thresholds['same-reward'], thresholds['zero-sum-share'] * absolute)
}

/** The std below which a group's spread counts as noise: the larger of a fixed amount and a share of the observed range. */
export function noiseFloor(range: number, fixed: number, thresholds: Thresholds): number {
  return Math.max(fixed, thresholds['noise-std-of-range'] * range)
}

/** Pearson's; null below 3 pairs or where either side is constant. */
export function correlation(xs: readonly number[], ys: readonly number[]): number | null {
  if (xs.length < 3) return null
  const spread = unbiasedStd(xs) * unbiasedStd(ys)
  if (spread === 0) return null
  const meanX = mean(xs)
  const meanY = mean(ys)
  // The product of two large deviations is out of range where their correlation is not.
  if (!Number.isFinite(spread)) {
    const [scaleX, scaleY] = [unbiasedStd(xs), unbiasedStd(ys)]
    const products = xs.map((x, i) => ((x - meanX) / scaleX) * (((ys[i] as number) - meanY) / scaleY))
    return products.reduce((before, product) => before + product, 0) / (xs.length - 1)
  }
  let sum = 0
  for (let i = 0; i < xs.length; i++) sum += ((xs[i] as number) - meanX) * ((ys[i] as number) - meanY)
  return sum / (xs.length - 1) / spread
}

/** Deviations beyond this have squares that are out of range together. */
const LARGEST_SQUARED = 1e150

/** Root of the squared deviations over `divisor`. */
function deviationOver(values: readonly number[], divisor: number): number {
  const centre = mean(values)
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += ((values[i] as number) - centre) ** 2
  if (sum < LARGEST_SQUARED ** 2) return Math.sqrt(sum / divisor)
  const unit = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const scaled = values.reduce((before, value) => before + (value / unit - centre / unit) ** 2, 0)
  return Math.min(unit * Math.sqrt(scaled / divisor), Number.MAX_VALUE)
}
