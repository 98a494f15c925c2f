import { filtered, type Steps } from '../../model/steps.ts'
import type { DumpFault, DumpReporter, DumpView, GroupView } from '../check.ts'
import { advantageBound, advantageText, oneSize } from './bounds.ts'
import { rangeOf, rewardsOf, trainedIn } from './statistics.ts'

/** Share of the rollouts with an advantage whose own lies within the bounds: where none does, a constant multiplies them all, and may be meant. */
const LEAST_WITHIN = 0.1

/** Times over the bounds of all schemes together, from which no weight or sum of them is taken for the reason. */
export const BEYOND_ALL = 10

/** Of a group within a batch: what its own std, that of the batch, its mean or the rewards themselves give, the largest. */
function boundOfAll(group: GroupView, rows: number): number {
  const rewards = rewardsOf(group)
  const largest = rewards.reduce((most, reward) => Math.max(most, Math.abs(reward)), rangeOf(rewards))
  return Math.max(advantageBound('group-std-biased', group.members.length), Math.sqrt(rows), largest)
}

/**
 * Where no formula is known that gives the stored advantages, those that lie far beyond what any gives.
 *
 * @returns whether there are some
 */
export function* lookBeyondAll(
  groups: readonly GroupView[],
  { facts }: Pick<DumpView, 'facts'>,
  report: DumpReporter,
): Steps<boolean> {
  const rows = facts.length
  const beyond = yield* groupsBeyondAll(groups, rows)
  if (beyond.size === 0) return false
  countBoundless(groups, beyond, report)
  for (const group of beyond) report.fault(beyondAllIn(group, rows))
  return true
}

/**
 * Counts groups of which no bound is known, some of which are far beyond any: of the others those with different rewards are what the few are few of. One whose
 * rewards are all alike has advantages of 0 under most formulas, and is none of them.
 */
export function countBoundless(
  groups: readonly GroupView[],
  affected: ReadonlySet<GroupView>,
  report: DumpReporter,
): void {
  for (const group of groups) {
    const isAffected = affected.has(group)
    if (!isAffected && rangeOf(rewardsOf(group)) === 0) continue
    report.unit(isAffected)
    report.place(isAffected)
  }
}

/** Groups with an advantage far beyond what any formula gives, of a dump of so many rollouts. */
export function* groupsBeyondAll(groups: readonly GroupView[], rows: number): Steps<ReadonlySet<GroupView>> {
  return new Set(areWithin(groups, rows) ? yield* filtered(groups, (group) => isBeyondAll(group, rows)) : [])
}

function areWithin(groups: readonly GroupView[], rows: number): boolean {
  let [told, within] = [0, 0]
  for (const group of groups) {
    const bound = boundOfAll(group, rows)
    for (const member of group.members) {
      const size = oneSize(member)
      if (size > 0) told++
      if (size > 0 && size <= bound) within++
    }
  }
  return within >= LEAST_WITHIN * told
}

function isBeyondAll(group: GroupView, rows: number): boolean {
  const limit = BEYOND_ALL * boundOfAll(group, rows)
  return group.members.some((member) => oneSize(member) > limit)
}

function beyondAllIn(group: GroupView, rows: number): DumpFault {
  const bound = boundOfAll(group, rows)
  const exploded = group.members.filter((member) => oneSize(member) > BEYOND_ALL * bound)
  const largest = exploded.reduce((worst, member) => (oneSize(member) > oneSize(worst) ? member : worst))
  return {
    group,
    ...trainedIn(exploded),
    message: `${advantageText(largest, oneSize(largest))} in group ${group.id}; no known formula gives it, and none more than ${Number(bound.toPrecision(4))}`,
    evidence: {
      advantage: largest.advantage,
      trajectory: largest.id,
      bound_of_all_formulas: bound,
      rewards: rewardsOf(group),
      advantages: group.members.map(({ advantage }) => advantage),
    },
  }
}
