import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpReporter, DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { type EarlierCredit, earlierTurnsOf } from './earlier-credit.ts'

/** Every trained token of the turns before the last has an advantage of exactly 0, and the last turn has another. */
export function isUncredited({ earlierCredit }: TrajectoryFacts): boolean {
  return earlierCredit?.credit === 0
}

/**
 * Rollouts whose turns before the last get nothing: returns that start anew behind every reply leave them so, in every rollout of a trainer. Where others
 * credit such turns, a reward of their own that all rollouts of a group share, or that is the mean of its group, is 0 less its baseline as well.
 */
export function* lookAtUncredited(view: DumpView, report: DumpReporter): Steps<void> {
  const columns = new FactColumns(view.facts)
  if (view.settings.policy.id === 'last-turn' || columns.isEmpty('earlierCredit')) return
  const rows = columns.having('earlierCredit')
  const uncredited = rows.filter(isUncredited)
  yield 0.2
  if (uncredited.length === 0) return
  const credited = rows.filter(({ earlierCredit }) => earlierCredit?.credit !== 0)
  const told = doesNotReset(uncredited, credited, view.settings.thresholds)
    ? yield* within(0.2, 0.6, unexplained(uncredited, credited, view))
    : uncredited
  yield* within(
    0.6,
    1,
    forEachOf(told, (member) => tell(member, report)),
  )
}

/** Whether as many credit turns before the last as show what the trainer does. */
function doesNotReset(
  uncredited: readonly TrajectoryFacts[],
  credited: readonly TrajectoryFacts[],
  { 'systematic-units': fewest, 'systematic-share': share }: Thresholds,
): boolean {
  return credited.length >= fewest && uncredited.length < share * (uncredited.length + credited.length)
}

/** Those whose zeros no reward of single turns explains: others of their group get some credit, and are not credited turn by turn. */
function* unexplained(
  uncredited: readonly TrajectoryFacts[],
  credited: readonly TrajectoryFacts[],
  { groups, settings }: DumpView,
): Steps<readonly TrajectoryFacts[]> {
  const byTurn = credited.filter(({ earlierCredit }) => earlierCredit?.isByTurn === true)
  const isByTurn = byTurn.length >= settings.thresholds['systematic-units']
  const left = new Set(uncredited.filter(({ earlierCredit }) => !isByTurn || earlierCredit?.isByTurn !== true))
  if (left.size === 0) return []
  yield* forEachOf(groups, ({ members }) => {
    if (members.every(hasNoEarlierCredit)) for (const member of members) left.delete(member)
  })
  return uncredited.filter((member) => left.has(member))
}

/** A rollout of one turn has none, whatever it gets. */
function hasNoEarlierCredit(facts: TrajectoryFacts): boolean {
  return isUncredited(facts) || facts.advantage === 0 || facts.assistantTurns < 2
}

function tell(member: TrajectoryFacts, report: DumpReporter): void {
  const { turns, trained } = member.earlierCredit as EarlierCredit
  report.unit(true)
  report.place(true)
  report.fault({
    ...earlierTurnsOf(member),
    message: `The advantage is exactly 0 on every trained token of the ${turns === 1 ? 'turn' : `${turns} turns`} before the last: returns do not reach over the masked tokens between`,
    evidence: { reward: member.reward, turns_before_the_last: turns, trained_of_these: trained },
  })
}
