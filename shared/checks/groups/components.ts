import { atOnce, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { DumpView, GroupView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import { dot, leastSquares } from './least-squares.ts'
import { correlation, mean, rewardsOf } from './statistics.ts'

/** The components of a dump's reward, as they vary within complete groups. */
export interface Components {
  readonly components: readonly ComponentMeasures[]
  /** Pairs whose correlation within groups is known; each pair once. */
  readonly pairs: readonly { readonly names: readonly [string, string]; readonly correlation: number }[]
  /** Rollouts less one for each group whose mean was taken out: what the correlations rest on. */
  readonly degreesOfFreedom: number
}

/** How one reward component moves with the total inside groups. */
export interface ComponentMeasures {
  readonly name: string
  /** What the component is multiplied by in the total, by least squares. */
  readonly weight: number
  /** Share of the weighted components' variance within groups. */
  readonly varianceShare: number
  /** The most that it moves the total by: its weight times the range of its values. */
  readonly reach: number
  /** False where the components vary together so that other weights make up the same total: then nothing is said of its sign. */
  readonly determined: boolean
  /** Correlation within groups of the weighted component with the total; null where either is constant or the weight not determined. */
  readonly correlation: number | null
  /** It is high where the total is low, by more than chance gives. */
  readonly opposes: boolean
  /** It is 0 or one other number, which adds to the total: what is reached or not, and no penalty. */
  readonly isReached: boolean
  /** Complete groups in which the weighted component goes down where the total goes up, of those where both vary. */
  readonly opposedGroups: number
  readonly groups: number
}

/**
 * Weights are found from deviations within groups, since totals are weighted sums and dumps rarely tell the weights; metrics that are
 * stored among the rewards and not counted get weight 0. Where the sum does not explain the total, no share is anybody's.
 */
export function componentsOf(view: DumpView): Components | 'unexplained' | null {
  return atOnce(findingComponents(view))
}

/** The same in steps, once for a dump. */
export const findingComponents = onceForDump(findComponents)

function* findComponents({ facts, groups: all, settings }: DumpView): Steps<Components | 'unexplained' | null> {
  if (new FactColumns(facts).isEmpty('rewards')) return null
  const groups = all.filter((group) => group.complete)
  const { thresholds } = settings
  const names = yield* within(0, 0.3, namesIn(groups, facts))
  const totals: number[] = []
  const ends: number[] = []
  const columns = new Map(names.map((name) => [name, [] as number[]]))
  const stored = new FactColumns(facts)
  const parts = names.map((name) => stored.numbers('rewards', name))
  const rowOf = new Map(groups.map(({ members }) => [members[0], -1]))
  const addRow = (row: TrajectoryFacts, at: number) => void (rowOf.has(row) && rowOf.set(row, at))
  yield* within(0.3, 0.4, forEachOf(facts, addRow))
  const addDeviations = (group: GroupView) => {
    const { members } = group
    // The rows of a group mostly stand beside each other.
    const first = rowOf.get(members[0]) as number
    const isRun = members.every((member, i) => facts[first + i] === member)
    const values = isRun ? parts.map((part) => listOf(part, first, first + members.length)) : valuesOf(members, names)
    if (!values.every(areFinite)) return
    for (const deviation of deviations(rewardsOf(group))) totals.push(deviation)
    for (const [i, name] of names.entries()) {
      const column = columns.get(name) as number[]
      for (const deviation of deviations(values[i] as number[])) column.push(deviation)
    }
    ends.push(totals.length)
  }
  yield* within(0.4, 0.7, forEachOf(groups, addDeviations))
  if (names.length === 0 || totals.length === 0) return null
  const unit = unitOf([totals, ...columns.values()])
  for (const column of [totals, ...columns.values()]) for (const row of column.keys()) column[row]! /= unit
  const totalSquares = dot(totals, totals)
  if (totalSquares === 0) return null
  const values = names.map((name) => columns.get(name) as number[])
  const { weights, determined } = leastSquares(values, totals)
  const residual = totals.map(
    (total, row) =>
      total - values.reduce((sum, column, i) => sum + (column[row] as number) * (weights[i] as number), 0),
  )
  if (1 - dot(residual, residual) / totalSquares < thresholds['components-explain']) return 'unexplained'
  const weighted = values.map((column, i) => column.map((value) => value * (weights[i] as number)))
  const squares = weighted.map((column) => dot(column, column))
  const sum = squares.reduce((a, b) => a + b, 0)
  const degreesOfFreedom = totals.length - ends.length
  const components = names.map((name, i) => {
    const withTotal = determined[i] ? correlation(weighted[i] as number[], totals) : null
    return {
      name,
      weight: weights[i] as number,
      varianceShare: (squares[i] as number) / sum,
      reach: Math.abs(weights[i] as number) * rangeIn(parts[i] as Float64Array),
      correlation: withTotal,
      opposes: withTotal !== null && errorsBelowNone(withTotal, degreesOfFreedom) >= thresholds['opposing-evidence'],
      determined: determined[i] as boolean,
      isReached: (weights[i] as number) * otherThanNone(parts[i] as Float64Array) > 0,
      ...opposition(weighted[i] as number[], totals, ends, thresholds['same-reward'] / unit),
    }
  })
  const pairs = names.flatMap((a, i) =>
    names.slice(i + 1).flatMap((b, offset) => {
      if (!determined[i] || !determined[i + 1 + offset]) return []
      const together = correlation(weighted[i] as number[], weighted[i + 1 + offset] as number[])
      return together === null ? [] : [{ names: [a, b] as const, correlation: together }]
    }),
  )
  return { components, pairs, degreesOfFreedom }
}

/** Standard errors by which a correlation lies below none (Fisher's z); negative above it. */
export function errorsBelowNone(correlation: number, degreesOfFreedom: number): number {
  return Math.atanh(Math.max(-1, Math.min(-correlation, 1))) * Math.sqrt(Math.max(0, degreesOfFreedom - 2))
}

/** Names of what the rewards of complete groups are made of, in the order in which rollouts have them. */
function* namesIn(groups: readonly GroupView[], facts: readonly TrajectoryFacts[]): Steps<readonly string[]> {
  const counts = new FactColumns(facts).names('rewards')
  const haveAll = [...counts.values()].every((count) => count === facts.length)
  const known = new Set<string>()
  const addNames = ({ members }: GroupView) => {
    for (const { rewards } of members) for (const name in rewards) known.add(name)
  }
  // Where every rollout has every name, one group knows them all.
  yield* forEachOf(haveAll ? groups.slice(0, 1) : groups, addNames)
  return [...known]
}

function listOf(numbers: Float64Array, start: number, end: number): number[] {
  const list: number[] = []
  for (let i = start; i < end; i++) list.push(numbers[i] as number)
  return list
}

function areFinite(values: readonly number[]): boolean {
  for (const value of values) if (!Number.isFinite(value)) return false
  return true
}

/** What a component is where it is not 0, where that is one number; 0 where there are several. */
function otherThanNone(values: Float64Array): number {
  let other = 0
  for (const value of values) {
    if (value === 0 || value === other || Number.isNaN(value)) continue
    if (other !== 0) return 0
    other = value
  }
  return other
}

/** Of the rollouts that have it; 0 where none has. */
function rangeIn(values: Float64Array): number {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (!Number.isFinite(value)) continue
    if (value < least) least = value
    if (value > most) most = value
  }
  return most < least ? 0 : most - least
}

/** By name, the numbers of rollouts that stand apart; NaN where one has none. */
function valuesOf(members: readonly TrajectoryFacts[], names: readonly string[]): number[][] {
  // Each asked for once: kept facts make the object anew every time.
  const rewards = members.map((member) => member.rewards)
  return names.map((name) => rewards.map((each) => each?.[name] ?? Number.NaN))
}

/** In how many groups a component moves against the total, of those where both move. */
function opposition(column: readonly number[], totals: readonly number[], ends: readonly number[], sameReward: number) {
  let opposedGroups = 0
  let groups = 0
  let start = 0
  for (const end of ends) {
    let product = 0
    for (let row = start; row < end; row++) product += (column[row] as number) * (totals[row] as number)
    start = end
    if (Math.abs(product) <= sameReward ** 2) continue
    groups++
    if (product < 0) opposedGroups++
  }
  return { opposedGroups, groups }
}

/** 1, or the largest of values whose squares would be out of range: shares and correlations are the same in any unit. */
function unitOf(columns: readonly (readonly number[])[]): number {
  let largest = 0
  for (const column of columns) for (const value of column) largest = Math.max(largest, Math.abs(value))
  return largest > LARGEST_SQUARED ? largest : 1
}

const LARGEST_SQUARED = 1e100

function deviations(values: readonly number[]): number[] {
  const centre = mean(values)
  return values.map((value) => value - centre)
}
