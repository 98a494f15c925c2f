import { FilterBar } from './filter-bar.tsx'
import { RolloutTable } from './rollout-table.tsx'

/** The table of all rollouts, or of those behind a number. */
export function RolloutsView() {
  return (
    <div className="rollouts">
      <h1 className="visually-hidden">Rollouts</h1>
      <FilterBar />
      <RolloutTable />
    </div>
  )
}
