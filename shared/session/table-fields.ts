import { FactColumns } from '../checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { inNaturalOrder } from '../model/natural-order.ts'
import { MOST_COMPONENTS, type TableRequests } from './requests/table.ts'

type Facts = readonly TrajectoryFacts[]

/** Facts only ever grow, so that what was counted is counted once. */
const counted = new WeakMap<Facts, { seen: number; readonly counts: Map<string, number> }>()

/** What only some dumps have columns for. */
export function tableFields(facts: Facts): TableRequests['tableFields']['output'] {
  let state = counted.get(facts)
  if (state === undefined) {
    state = { seen: 0, counts: new Map() }
    counted.set(facts, state)
  }
  const { counts } = state
  const added = new FactColumns(facts, state.seen)
  for (const [name, count] of added.names('rewards')) counts.set(name, (counts.get(name) ?? 0) + count)
  state.seen = facts.length
  const names = [...counts]
    .sort(([a, ours], [b, theirs]) => theirs - ours || inNaturalOrder(a, b))
    .map(([name]) => name)
  return { rewards: names.slice(0, MOST_COMPONENTS), moreRewards: Math.max(0, names.length - MOST_COMPONENTS) }
}
