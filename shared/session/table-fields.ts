import type { TrajectoryFacts } from '../checks/facts.ts'
import { MOST_COMPONENTS, type TableRequests } from './requests/table.ts'

type Facts = readonly Pick<TrajectoryFacts, 'rewards'>[]

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
  for (; state.seen < facts.length; state.seen++) {
    const { rewards } = facts[state.seen] as Facts[number]
    if (rewards === null) continue
    for (const name of Object.keys(rewards)) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const names = [...counts].sort(([a, ours], [b, theirs]) => theirs - ours || (a < b ? -1 : 1)).map(([name]) => name)
  return { rewards: names.slice(0, MOST_COMPONENTS), moreRewards: Math.max(0, names.length - MOST_COMPONENTS) }
}
