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
 * one tool, or so many turns. Null where there is no such thing. The fault is then of code that goes another way for these.
 *
 * @param rows rollouts with the fault
 * @param able rollouts in which it would be seen
 */
export function conditionOf(
  rows: RowSet,
  able: RowSet,
  facts: readonly TrajectoryFacts[],
  thresholds: Thresholds,
): Condition | null {
  const columns = new FactColumns(facts)
  for (const { condition, of } of kindsIn(columns)) if (isOf(rows, able, of, thresholds)) return condition
  const turns = columns.numbers('assistantTurns')
  const least = turns.reduce((least, value, row) => (rows[row] === 1 ? Math.min(least, value) : least), Infinity)
  const reach = Uint8Array.from(turns, (value) => (value >= least ? 1 : 0))
  return least > 1 && Number.isFinite(least) && isOf(rows, able, reach, thresholds) ? { least_turns: least } : null
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

/** No rollout of another kind has the fault, and enough of this kind, nearly all that could show it. Both kinds have to be there, by more than chance. */
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
