import type { FactColumns } from '../../checks/facts/fact-columns.ts'
import type { RowSet } from '../../hypotheses/defects-evidence.ts'
import type { CheckResult } from '../../model/report.ts'

export type Condition = NonNullable<NonNullable<CheckResult['systematic_in']>['rollouts']>

/** Tools that are looked at, those that most rollouts call first; what a model invents is called by few. */
const MOST_TOOLS = 32

/** Rollouts by what code may treat otherwise. */
export interface RolloutKind {
  readonly condition: Condition
  readonly of: RowSet
}

/** What rollouts may have in common, and how many kinds it was chosen of. */
export interface RolloutKinds {
  readonly kinds: readonly RolloutKind[]
  readonly tried: number
  /** How many places of a fault each rollout may have, where that is not told by its turns. */
  readonly places?: Float64Array
}

/** Rollouts with parallel calls, and those of each tool: the kinds that are there, whatever the fault. */
export function namedKinds(columns: FactColumns): RolloutKinds {
  const kinds = [...kindsIn(columns)]
  return { kinds, tried: kinds.length }
}

/** Rollouts of as many turns of the model as the shortest with the fault, or more. */
export function kindOfTurns(columns: FactColumns, rows: RowSet): RolloutKinds {
  const turns = columns.numbers('assistantTurns')
  const least = smallestOf(turns, rows)
  return boundedBy(turns, least > 1 ? { condition: { least_turns: least }, has: (value) => value >= least } : null)
}

/** Rollouts of as many tokens as the shortest with the fault, or more: where a limit lies by which something is masked or rendered. */
export function kindOfTokens(columns: FactColumns, rows: RowSet): RolloutKinds {
  const tokens = columns.numbers('realLength')
  const least = smallestOf(tokens, rows)
  const kinds = boundedBy(tokens, { condition: { least_tokens: least }, has: (value) => value >= least })
  return { ...kinds, places: tokens }
}

/** Rollouts with a tool reply as short as that of those with the fault, or shorter: one that is empty, or says that something failed. */
export function kindOfShortReplies(columns: FactColumns, rows: RowSet): RolloutKinds {
  if (columns.isEmpty('toolReplyLengths')) return { kinds: [], tried: 0 }
  const shortest = shortestReplies(columns)
  const most = -smallestOf(
    shortest.map((value) => -value),
    rows,
  )
  return boundedBy(shortest, { condition: { most_reply_tokens: most }, has: (value) => value <= most })
}

/** Length of the shortest tool reply of each rollout in tokens, infinite where it has none. */
function shortestReplies(columns: FactColumns): Float64Array {
  const { offsets, values } = columns.lists('toolReplyLengths')
  const shortest = new Float64Array(columns.length).fill(Infinity)
  for (let row = 0; row < shortest.length; row++) {
    for (let at = offsets[row] as number; at < (offsets[row + 1] as number); at++) {
      shortest[row] = Math.min(shortest[row] as number, values[at] as number)
    }
  }
  return shortest
}

/** Of such kinds one is looked at, whose bound the rollouts with the fault give, and yet it may be any. */
function boundedBy(
  values: Float64Array,
  bound: { readonly condition: Condition; readonly has: (value: number) => boolean } | null,
): RolloutKinds {
  const [found] = Object.values(bound?.condition ?? {})
  if (bound === null || !Number.isFinite(found)) return { kinds: [], tried: 0 }
  const of = Uint8Array.from(values, (value) => (bound.has(value) ? 1 : 0))
  return { kinds: [{ condition: bound.condition, of }], tried: new Set(values).size }
}

function smallestOf(values: Float64Array, rows: RowSet): number {
  return values.reduce((least, value, row) => (rows[row] === 1 ? Math.min(least, value) : least), Infinity)
}

function* kindsIn(columns: FactColumns): Generator<RolloutKind> {
  if (!columns.isEmpty('parallelCalls')) {
    yield { condition: { parallel_calls: true }, of: columns.holds('parallelCalls', (at) => at === true) }
  }
  yield* toolsIn(columns)
}

/** By each tool that is called, those first that most rollouts call. */
function* toolsIn(columns: FactColumns): Generator<RolloutKind> {
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
