import { FactColumns } from '../../checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import type { RowSet } from '../../hypotheses/defects-evidence.ts'
import type { CheckResult } from '../../model/report.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'

type Condition = NonNullable<NonNullable<CheckResult['systematic_in']>['rollouts']>

/** Tools that are looked at, those that most rollouts call first; what a model invents is called by few. */
const MOST_TOOLS = 32

/** Rollouts by what code may treat otherwise. */
interface Kind {
  readonly condition: Condition
  readonly of: RowSet
}

/**
 * What the rollouts with a fault have in common where nearly all that have it show the fault and no other rollout does: a turn with several calls, a call of
 * one tool, or so many turns. Null where there is no such thing, or where it may be chance. The fault is then of code that goes another way for these.
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
  const kinds = [...kindsIn(columns), ...longOnes(rows, turns)]
  const found = kinds.filter(({ of }) => isOf(rows, able, of, thresholds))
  if (found.length === 0) return null
  // Of numbers of turns one is tried, the fewest with the fault, and yet it may be any.
  const tried = kinds.length + new Set(turns).size
  const groups = groupsOf(columns)
  for (const { condition, of } of found) {
    const chance = Math.max(chanceOfRows(rows, able, of, groups), chanceOfPlaces(check, able, of, turns))
    if (chance * tried < thresholds['systematic-condition-chance']) return condition
  }
  return null
}

/** Rollouts of as many turns as the shortest with the fault, or more. */
function longOnes(rows: RowSet, turns: Float64Array): Kind[] {
  const least = turns.reduce((least, value, row) => (rows[row] === 1 ? Math.min(least, value) : least), Infinity)
  if (least <= 1 || !Number.isFinite(least)) return []
  return [{ condition: { least_turns: least }, of: Uint8Array.from(turns, (value) => (value >= least ? 1 : 0)) }]
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

function* kindsIn(columns: FactColumns): Generator<Kind> {
  if (!columns.isEmpty('parallelCalls')) {
    yield { condition: { parallel_calls: true }, of: columns.holds('parallelCalls', (at) => at === true) }
  }
  yield* toolsIn(columns)
}

/** By each tool that is called, those first that most rollouts call. */
function* toolsIn(columns: FactColumns): Generator<Kind> {
  if (columns.isEmpty('calledTools')) return
  const lists: (readonly string[])[] = []
  const numbers = new Map<string, number>()
  const list = columns.numbered('calledTools', (names = '') => {
    const known = numbers.get(names)
    if (known !== undefined) return known
    numbers.set(names, lists.length)
    return lists.push(names === '' ? [] : names.split(' ')) - 1
  })
  const rollouts = new Map<string, number>()
  for (const at of list) {
    for (const tool of lists[at] as readonly string[]) rollouts.set(tool, (rollouts.get(tool) ?? 0) + 1)
  }
  const most = [...rollouts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MOST_TOOLS)
  for (const [tool] of most) {
    const has = lists.map((tools) => Number(tools.includes(tool)))
    yield { condition: { tool }, of: Uint8Array.from(list, (at) => has[at] as number) }
  }
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
 * rollout is taken to have places by its turns, or one where the check counts none.
 */
function chanceOfPlaces({ places, checked, affected }: CheckResult, able: RowSet, of: RowSet, turns: Float64Array) {
  const byTurns = places.checked > 0
  let [all, outside] = [0, 0]
  for (let row = 0; row < of.length; row++) {
    if (able[row] === 0) continue
    const own = byTurns ? Math.max(1, turns[row] as number) : 1
    all += own
    if (of[row] === 0) outside += own
  }
  const counts = byTurns ? places : { checked, affected }
  const share = Math.min(1, counts.affected / counts.checked)
  return (1 - share) ** ((counts.checked * outside) / all)
}
