import type { DumpView } from '../checks/check.ts'
import { FactColumns } from '../checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import type { CheckResult, Count } from '../model/report.ts'

/** Units with a fault, of the units there are, in the first assistant turn and in all later ones. A unit is a turn of a rollout. */
export interface TurnSplit {
  readonly first: Count
  readonly later: Count
}

/** Rollouts that have a k-th assistant turn, at index k; index 0 is unused. */
export function rolloutsByTurn(facts: readonly TrajectoryFacts[]): number[] {
  const turns = new FactColumns(facts).numbers('assistantTurns')
  const most = turns.reduce((longest, own) => Math.max(longest, own), 0)
  const counts = Array<number>(most + 1).fill(0)
  for (const own of turns) counts[own] = (counts[own] as number) + 1
  for (let turn = most - 1; turn > 0; turn--) counts[turn] = (counts[turn] as number) + (counts[turn + 1] as number)
  counts[0] = 0
  return counts
}

/** How many assistant turns every rollout begins with that the model did not write: examples that all prompts hold. */
export function examplesInAll(facts: readonly TrajectoryFacts[]): number {
  const columns = new FactColumns(facts)
  if (columns.isEmpty('exampleTurns')) return 0
  const [turns, examples] = [columns.numbers('assistantTurns'), columns.numbers('exampleTurns')]
  const least = turns.reduce((least, own, row) => (own > 0 ? Math.min(least, examples[row] || 0) : least), Infinity)
  return Number.isFinite(least) ? least : 0
}

/** A check whose turns are counted behind so many examples, which belong to no turn of a rollout. */
export function behindExamples(check: CheckResult, examples: number): CheckResult {
  if (examples === 0) return check
  const shifted = (counts: Readonly<Record<string, number>>) =>
    Object.fromEntries(
      Object.entries(counts).flatMap(([turn, count]) => {
        if (turn === '0') return [[turn, count]]
        return Number(turn) > examples ? [[`${Number(turn) - examples}`, count]] : []
      }),
    )
  const { by_turn, by_turn_checked, by_turn_at_end, by_turn_checked_at_end } = check
  return {
    ...check,
    by_turn: shifted(by_turn),
    by_turn_checked: shifted(by_turn_checked),
    ...(by_turn_at_end === undefined ? {} : { by_turn_at_end: shifted(by_turn_at_end) }),
    ...(by_turn_checked_at_end === undefined ? {} : { by_turn_checked_at_end: shifted(by_turn_checked_at_end) }),
  }
}

/** Rollouts in which no turn was found and which may have any number of them. A row of nothing but padding has none. */
export function withoutKnownTurns(facts: readonly TrajectoryFacts[]): TrajectoryFacts[] {
  const columns = new FactColumns(facts)
  const [turns, lengths, hasIds] = [columns.numbers('turns'), columns.numbers('realLength'), columns.present('idsHash')]
  return facts.filter((_, row) => turns[row] === 0 && (hasIds[row] === 0 || (lengths[row] as number) > 0))
}

/**
 * A check's faults, split after the first assistant turn, of the turns that it looked at; what lies before it (`by_turn` "0") belongs to
 * neither. Nor does the end of the row: the last turn has a fault there because it is the last one, not because another came before.
 */
export function splitByTurn(check: CheckResult): TurnSplit {
  const { by_turn, by_turn_at_end, by_turn_checked, by_turn_checked_at_end } = check
  const first = { checked: 0, affected: 0 }
  const later = { checked: 0, affected: 0 }
  for (const turn of Object.keys(by_turn_checked)) {
    if (turn === '0') continue
    const side = turn === '1' ? first : later
    side.checked += (by_turn_checked[turn] as number) - (by_turn_checked_at_end?.[turn] ?? 0)
    side.affected += (by_turn[turn] ?? 0) - (by_turn_at_end?.[turn] ?? 0)
  }
  return { first, later }
}

/** A check's faults at the end of the row: of rollouts that end with their first assistant turn, and of those with more of them. */
export function splitEnds({ by_turn_at_end, by_turn_checked, by_turn_checked_at_end }: CheckResult): TurnSplit {
  const affected = sidesOf(by_turn_at_end ?? {})
  // A check that looked at whole rows or turns saw each row end with its last one.
  const withSecond = by_turn_checked['2'] ?? 0
  const checked =
    by_turn_checked_at_end === undefined
      ? { first: Math.max(0, (by_turn_checked['1'] ?? 0) - withSecond), later: withSecond }
      : sidesOf(by_turn_checked_at_end)
  return {
    first: { checked: checked.first, affected: affected.first },
    later: { checked: checked.later, affected: affected.later },
  }
}

function sidesOf(counts: Readonly<Record<string, number>>): { first: number; later: number } {
  let later = 0
  for (const [turn, count] of Object.entries(counts)) if (Number(turn) > 1) later += count
  return { first: counts['1'] ?? 0, later }
}

export function rateOf({ checked, affected }: Count): number {
  return checked === 0 ? 0 : affected / checked
}

/** Nearly every later assistant turn has the fault and no first one does: what the first turn is spared is rendered elsewhere. */
export function isSystematicAfterFirst(check: CheckResult, dump: DumpView): boolean {
  const { first, later } = splitByTurn(check)
  return first.affected === 0 && areNearlyAll(later, check, dump)
}

/** Nearly all of some places of a check have its fault: in the whole dump, or in the files, environments or steps that it stands in at all. */
export function areNearlyAll({ checked, affected }: Count, check: CheckResult, { settings }: DumpView): boolean {
  const { 'systematic-units': units, 'systematic-share': share } = settings.thresholds
  return affected >= units && (affected >= share * checked || isOfPart(check))
}

/** It is systematic in some files, environments or steps. What rollouts of one kind have alone (decision 52) comes of that kind, and not of their turns. */
function isOfPart({ systematic_in: part }: CheckResult): boolean {
  return part !== undefined && part.rollouts === undefined
}
