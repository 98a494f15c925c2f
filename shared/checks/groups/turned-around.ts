import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView, GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { atEvenDistances } from './advantages.ts'
import { trainingOf } from './baseline-rows.ts'
import { isNoise, measuringSpreads } from './scaling.ts'

/** Groups whose advantages run against their rewards while those of all others run with theirs. */
export interface TurnedAround {
  readonly turned: ReadonlySet<GroupView>
  /** Groups that go with their rewards. */
  readonly agreeing: number
}

const NONE: TurnedAround = { turned: new Set(), agreeing: 0 }

/** Two rewards that differ have one of two orders: any other term turns them around now and then. */
const FEWEST_REWARDS = 3
/** … and of three rollouts that are right or wrong one in three has the wrong one ahead. */
const FEWEST_ROLLOUTS = 4
/** Of a group, whose order is looked at: pairs are many. */
const MOST_ROLLOUTS = 256

/**
 * Whatever the formula, and whatever else is added to it: where it runs with the rewards in all groups but a few, and in these as closely against them,
 * their sign was turned, or their rows were. No group may lie between, for then something else has its part in the order. Groups whose rewards
 * differ by noise alone tell nothing, and one that a component of the reward puts into order is in order.
 */
export function* turnedAround(view: DumpView, informative: readonly GroupView[]): Steps<TurnedAround> {
  const { thresholds } = view.settings
  const { groups: spreads } = yield* within(0, 0.5, measuringSpreads(view, null))
  const noise = new Set(spreads.filter(isNoise).map(({ group }) => group))
  const turned = new Set<GroupView>()
  let [agreeing, between] = [0, 0]
  const look = (group: GroupView) => {
    const rows = trainingOf(group.members).filter(({ advantage }) => advantage !== null)
    const found = noise.has(group) ? null : orderOf(rows, ({ reward }) => reward, thresholds)
    if (found === null) return
    if (found >= thresholds['agreeing-order']) agreeing++
    else if (found > -thresholds['turned-order']) between++
    else if (isOrdered(rows) && !isByComponent(rows, thresholds)) turned.add(group)
  }
  yield* within(0.5, 1, forEachOf(informative, look))
  return between > 0 || turned.size >= thresholds['order-share'] * (turned.size + agreeing)
    ? NONE
    : { turned, agreeing }
}

/**
 * Whether advantages follow the rewards, over all groups: then a bonus or a penalty that the dump does not tell turns close pairs around, in most groups
 * perhaps, and nothing is wrong. Shuffled ones follow nothing, and turned ones the reverse.
 */
export function* followRewards({ settings }: DumpView, groups: readonly GroupView[]): Steps<boolean> {
  const { thresholds } = settings
  let [orders, sum] = [0, 0]
  const look = ({ members }: GroupView) => {
    const rows = trainingOf(members).filter(({ advantage }) => advantage !== null)
    const found = orderOf(rows, ({ reward }) => reward, thresholds)
    if (found === null) return
    orders++
    sum += found
  }
  yield* forEachOf(groups, look)
  return orders > 0 && sum >= thresholds['agreeing-order'] * orders
}

/**
 * How far advantages have the order of what is asked of rows, from −1 to 1: pairs that have it less pairs that have the reverse, as a share of both
 * (Goodman and Kruskal’s gamma). Null where some row has none of it, or most pairs that differ in it have one advantage.
 */
export function orderOf(
  rows: readonly TrajectoryFacts[],
  asked: (row: TrajectoryFacts) => number | null | undefined,
  thresholds: Thresholds,
): number | null {
  const some = atEvenDistances(rows, MOST_ROLLOUTS)
  const values = some.map(asked)
  if (!values.every((value) => typeof value === 'number')) return null
  const advantages = some.map(({ advantage }) => advantage as number)
  const slack = thresholds['advantage-tolerance'] * Math.max(...advantages.map(Math.abs))
  let [differing, along, against] = [0, 0, 0]
  for (const [at, value] of values.entries()) {
    for (let before = 0; before < at; before++) {
      const apart = value - (values[before] as number)
      if (Math.abs(apart) <= thresholds['same-reward']) continue
      differing++
      const moved = Math.sign(apart) * ((advantages[at] as number) - (advantages[before] as number))
      if (moved > slack) along++
      else if (moved < -slack) against++
    }
  }
  return 2 * (along + against) <= differing ? null : (along - against) / (along + against)
}

/** Enough rollouts, of enough different rewards, that their order is no coin's. */
function isOrdered(rows: readonly TrajectoryFacts[]): boolean {
  return rows.length >= FEWEST_ROLLOUTS || new Set(rows.map(({ reward }) => reward)).size >= FEWEST_REWARDS
}

function isByComponent(rows: readonly TrajectoryFacts[], thresholds: Thresholds): boolean {
  const names = Object.keys(rows[0]?.rewards ?? {})
  return names.some(
    (name) => (orderOf(rows, ({ rewards }) => rewards?.[name], thresholds) ?? 0) >= thresholds['agreeing-order'],
  )
}
