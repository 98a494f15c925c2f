import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { rewardsOf } from './statistics.ts'
import { orderOf } from './turned-around.ts'

/**
 * Groups that the formula does not give because those rollouts of it that are rewarded best share what it gives them by their length: the shorter, the more of it
 * (prime-rl, `length_shaping="efficiency"`), or the longer. All others have what it gives. It takes several groups, all of them in one order.
 *
 * @param rowsOff rows of a group that do not have what the formula gives
 */
export function* sharedByLength(
  groups: readonly GroupView[],
  rowsOff: (group: GroupView) => readonly TrajectoryFacts[],
  thresholds: Thresholds,
): Steps<ReadonlySet<GroupView>> {
  const shared = new Map<GroupView, number | null>()
  const look = (group: GroupView) => {
    const best = rewardsOf(group).reduce((most, reward) => Math.max(most, reward))
    const isBest = ({ reward }: TrajectoryFacts) => best - (reward as number) <= thresholds['same-reward']
    const off = rowsOff(group)
    // One by itself is shared with nobody.
    if (off.length < 2 || !off.every(isBest)) return
    shared.set(group, orderOf(group.members.filter(isBest), trained, thresholds))
  }
  yield* within(0, 0.9, forEachOf(groups, look))
  const orders = [...shared.values()].filter((order) => order !== null)
  const least = Math.max(thresholds['factor-groups'], thresholds['factor-share'] * shared.size)
  const isOneWay = [1, -1].some(
    (way) => orders.filter((order) => way * order >= thresholds['turned-order']).length >= least,
  )
  return new Set(isOneWay ? shared.keys() : [])
}

const trained = (row: TrajectoryFacts) => row.trained
