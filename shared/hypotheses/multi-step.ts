import type { DumpView } from '../checks/check.ts'
import type { TrajectoryFacts } from '../checks/facts.ts'
import type { CheckResult, Count } from '../model/report.ts'

/** Units with a fault, of the units there are, in the first assistant turn and in all later ones. A unit is a turn of a rollout. */
export interface TurnSplit {
  readonly first: Count
  readonly later: Count
}

/** Rollouts that have a k-th assistant turn, at index k; index 0 is unused. */
export function rolloutsByTurn(facts: readonly TrajectoryFacts[]): number[] {
  const most = facts.reduce((longest, { assistantTurns }) => Math.max(longest, assistantTurns), 0)
  const counts = Array<number>(most + 1).fill(0)
  for (const { assistantTurns } of facts) counts[assistantTurns] = (counts[assistantTurns] as number) + 1
  for (let turn = most - 1; turn > 0; turn--) counts[turn] = (counts[turn] as number) + (counts[turn + 1] as number)
  counts[0] = 0
  return counts
}

/**
 * A check's faults, split after the first assistant turn; what lies before it (`by_turn` "0") belongs to neither. Nor does what
 * stands at the end of the row: the last turn has it because it is the last one, not because another came before.
 */
export function splitByTurn(check: CheckResult, rollouts: readonly number[]): TurnSplit {
  const within = (turn: number) => (check.by_turn[turn] ?? 0) - (check.by_turn_at_end?.[turn] ?? 0)
  const first = { checked: rollouts[1] ?? 0, affected: within(1) }
  const later = { checked: 0, affected: 0 }
  for (let turn = 2; turn < rollouts.length; turn++) {
    later.checked += rollouts[turn] as number
    later.affected += within(turn)
  }
  return { first, later }
}

/** A check's faults at the end of the row: of rollouts that end with their first assistant turn, and of those with more of them. */
export function splitEnds(check: CheckResult, rollouts: readonly number[]): TurnSplit {
  const first = { checked: (rollouts[1] ?? 0) - (rollouts[2] ?? 0), affected: check.by_turn_at_end?.['1'] ?? 0 }
  const later = { checked: rollouts[2] ?? 0, affected: 0 }
  for (const [turn, count] of Object.entries(check.by_turn_at_end ?? {})) if (Number(turn) > 1) later.affected += count
  return { first, later }
}

export function rateOf({ checked, affected }: Count): number {
  return checked === 0 ? 0 : affected / checked
}

/** Nearly every later assistant turn has the fault and no first one does: what the first turn is spared is rendered elsewhere. */
export function isSystematicAfterFirst(check: CheckResult, { facts, settings }: DumpView): boolean {
  const { first, later } = splitByTurn(check, rolloutsByTurn(facts))
  const { 'systematic-units': units, 'systematic-share': share } = settings.thresholds
  return first.affected === 0 && later.affected >= units && later.affected >= share * later.checked
}
