import { FactColumns } from '../../checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import type { RowSet } from '../../hypotheses/defects-evidence.ts'
import type { CheckResult } from '../../model/report.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import { type Condition, kindOfShortReplies, kindOfTokens, kindOfTurns, namedKinds } from './rollout-kinds.ts'

/**
 * What the rollouts with a fault have in common where nearly all that have it show the fault and no other rollout does: a turn with several calls, a call of
 * one tool, so many turns, a tool reply as short as that, or so many tokens. Null where there is no such thing, or where it may be chance. The fault is then of code that goes another way for these.
 *
 * @param rows rollouts with the fault
 * @param able rollouts in which it would be seen
 */
export function conditionOf(
  check: CheckResult,
  rows: RowSet,
  able: RowSet,
  facts: readonly TrajectoryFacts[],
  thresholds: Thresholds,
): Condition | null {
  const columns = new FactColumns(facts)
  const turns = columns.numbers('assistantTurns')
  let tried = 0
  let groups: Int32Array | null = null
  // What code is known to ask first: rollouts of many turns are long as well, and those that fail call one tool more often.
  for (const kindsOf of [namedKinds, kindOfTurns, kindOfShortReplies, kindOfTokens]) {
    const looked = kindsOf(columns, rows)
    tried += looked.tried
    for (const { condition, of } of looked.kinds) {
      if (!isOf(rows, able, of, thresholds)) continue
      groups ??= groupsOf(columns)
      const chance = Math.max(
        chanceOfRows(rows, able, of, groups),
        chanceOfPlaces(check, able, of, turns),
        chanceOfPlaces(check, able, of, looked.places ?? turns),
      )
      if (chance * tried < thresholds['systematic-condition-chance']) return condition
    }
  }
  return null
}

/** Number of the group of each rollout, -1 where it has none. */
function groupsOf(columns: FactColumns): Int32Array {
  const numbers = new Map<string, number>()
  return columns.numbered('group', (name) => {
    if (name === null || name === undefined) return -1
    const known = numbers.get(name) ?? numbers.size
    numbers.set(name, known)
    return known
  })
}

/** No rollout of another kind has the fault, and enough of this kind, nearly all that could show it. Both kinds have to be there. */
function isOf(rows: RowSet, able: RowSet, of: RowSet, thresholds: Thresholds): boolean {
  let [affected, kind, others] = [0, 0, 0]
  for (let i = 0; i < rows.length; i++) {
    if (able[i] === 0) continue
    if (of[i] === 1) {
      kind++
      affected += rows[i] as number
    } else if (rows[i] === 1) return false
    else others++
  }
  const units = thresholds['systematic-subset-units']
  return (
    affected >= units &&
    others >= units &&
    affected >= thresholds['systematic-share'] * kind &&
    kind >= thresholds['systematic-kind-share'] * rows.length
  )
}

/**
 * How likely all rollouts with the fault would be of the part, did it choose among those that could have it. Rollouts of one question are alike: a group
 * that is wholly of the part, or wholly outside, is chosen as one.
 */
function chanceOfRows(rows: RowSet, able: RowSet, part: RowSet, groups: Int32Array): number {
  const sizes = new Map<number, [outside: number, within: number]>()
  for (let row = 0; row < rows.length; row++) {
    if (able[row] === 0 || (groups[row] as number) < 0) continue
    const size = sizes.get(groups[row] as number) ?? [0, 0]
    size[part[row] as 0 | 1]++
    sizes.set(groups[row] as number, size)
  }
  let [all, within, affected] = [0, 0, 0]
  for (let row = 0; row < rows.length; row++) {
    if (able[row] === 0) continue
    const [out, inside] = sizes.get(groups[row] as number) ?? [1, 1]
    const weight = out > 0 && inside > 0 ? 1 : 1 / (out + inside)
    all += weight
    if (part[row] === 1) within += weight
    if (rows[row] === 1) affected += weight
  }
  return (within / all) ** affected
}

/**
 * How likely the others would have it at none of their places, did it strike each place alike. Long rollouts, which call more tools, have more of them: a
 * rollout is taken to have places by its turns or tokens, or one where the check counts none.
 */
function chanceOfPlaces({ places, checked, affected }: CheckResult, able: RowSet, of: RowSet, placesIn: Float64Array) {
  const counted = places.checked > 0
  let [all, outside] = [0, 0]
  for (let row = 0; row < of.length; row++) {
    if (able[row] === 0) continue
    const own = counted ? Math.max(1, placesIn[row] as number) : 1
    all += own
    if (of[row] === 0) outside += own
  }
  const counts = counted ? places : { checked, affected }
  const share = Math.min(1, counts.affected / counts.checked)
  return (1 - share) ** ((counts.checked * outside) / all)
}
