import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpReporter, DumpView, GroupView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { shown } from '../groups/statistics.ts'
import { type EarlierCredit, earlierTurnsOf } from './earlier-credit.ts'
import { goesWithReward } from './goes-with-reward.ts'

/**
 * Returns that start anew behind every reply and are whitened over a batch afterwards (verl's REINFORCE++): every turn but the last gets what a return of 0
 * became, one number in all rollouts of a step, whatever their rewards, and the last turn gets all of the reward beyond it. Where it is 0 itself, each rollout
 * shows it (`lookAtReturns`).
 *
 * @returns rollouts that cannot show it: of no reward, they have that number all over
 */
export function* lookAtRestarts(view: DumpView, report: DumpReporter): Steps<ReadonlySet<TrajectoryFacts>> {
  const columns = new FactColumns(view.facts)
  const untold = new Set<TrajectoryFacts>()
  if (view.settings.policy.id === 'last-turn' || columns.isEmpty('earlierCredit')) return untold
  const batches = new Map<string, TrajectoryFacts[]>()
  for (const member of columns.having('earlierCredit')) {
    const batch = batches.get(batchOf(member))
    if (batch === undefined) batches.set(batchOf(member), [member])
    else batch.push(member)
  }
  yield 0.2
  const whole = new WholeRollouts(view, columns)
  const restarted: TrajectoryFacts[] = []
  for (const members of batches.values()) {
    const found = restartsOf(members, whole, view.settings.thresholds)
    for (const member of found) restarted.push(member)
    const [first] = found
    if (first === undefined) continue
    for (const member of whole.having(batchOf(first), first.earlierCredit?.credit as number)) untold.add(member)
  }
  yield* within(
    0.5,
    1,
    forEachOf(restarted, (member) => tell(member, restarted.length, report)),
  )
  return untold
}

function batchOf({ step, place }: TrajectoryFacts): string {
  return `${place.source} ${step}`
}

/** Rollouts with one advantage for all of their tokens, in batches. */
class WholeRollouts {
  private readonly batches = new Map<string, Map<number, TrajectoryFacts[]>>()

  private groups: ReadonlyMap<TrajectoryFacts, GroupView> | null = null

  constructor(
    private readonly view: DumpView,
    columns: FactColumns,
  ) {
    const { facts } = view
    const single = columns.present('advantage')
    for (let at = single.indexOf(1); at >= 0; at = single.indexOf(1, at + 1)) {
      const member = facts[at] as TrajectoryFacts
      let batch = this.batches.get(batchOf(member))
      if (batch === undefined) this.batches.set(batchOf(member), (batch = new Map()))
      const alike = batch.get(member.advantage as number)
      if (alike === undefined) batch.set(member.advantage as number, [member])
      else alike.push(member)
    }
  }

  /** Those of a batch that have this one. */
  having(batch: string, advantage: number): readonly TrajectoryFacts[] {
    return this.batches.get(batch)?.get(advantage) ?? []
  }

  /** All of its group have its reward. */
  isOfOneReward(member: TrajectoryFacts): boolean {
    const members = this.groupOf().get(member)?.members
    return members?.every(({ reward }) => reward === member.reward) === true
  }

  groupOf(): ReadonlyMap<TrajectoryFacts, GroupView> {
    this.groups ??= new Map(
      this.view.groups.flatMap((group) => group.members.map((member) => [member, group] as const)),
    )
    return this.groups
  }
}

/**
 * The rollouts of a batch whose earlier turns get what a return of 0 became. It is that of different rewards, or of one and of none; and no rollout that was
 * rewarded has it all over, unless its group makes nothing of its reward: of such a reward it would be the share, less what the last turn lost.
 */
function restartsOf(
  members: readonly TrajectoryFacts[],
  whole: WholeRollouts,
  { 'systematic-units': fewest, 'systematic-share': share }: Thresholds,
): readonly TrajectoryFacts[] {
  const credits = new Map<number, TrajectoryFacts[]>()
  for (const member of members) {
    const credit = member.earlierCredit?.credit ?? 0
    if (credit === 0) continue
    const alike = credits.get(credit)
    if (alike === undefined) credits.set(credit, [member])
    else alike.push(member)
  }
  for (const [credit, alike] of credits) {
    if (alike.length < fewest || alike.length < share * members.length) continue
    const beside = whole.having(batchOf(alike[0] as TrajectoryFacts), credit)
    const rewards = new Set(alike.map(({ reward }) => reward))
    if (rewards.size < 2 && (rewards.has(0) || beside.every(({ reward }) => reward !== 0))) continue
    if (beside.some((member) => member.reward !== 0 && !whole.isOfOneReward(member))) continue
    if (!goesWithReward(alike, whole.groupOf(), share)) continue
    return alike
  }
  return []
}

function tell(member: TrajectoryFacts, rollouts: number, report: DumpReporter): void {
  const { credit, turns } = member.earlierCredit as EarlierCredit
  report.unitAfterAll()
  report.fault({
    ...earlierTurnsOf(member),
    message: `The advantage is ${shown(credit as number)} on every trained token of the ${turns === 1 ? 'turn' : `${count(turns)} turns`} before the last, as in ${counted(rollouts - 1, 'other rollout')} whatever their rewards: what a return of 0 became when all were whitened, so that returns do not reach over the masked tokens between`,
    evidence: { advantage: credit, reward: member.reward, turns_before_the_last: turns, rollouts },
  })
}
