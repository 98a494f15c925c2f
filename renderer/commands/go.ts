import { hitOf } from '../data/list.ts'
import { type FiltersState, NO_FILTERS, useFilters } from '../state/filters.ts'
import { type Behind, queryOf } from '../state/query-text.ts'
import { useSecond } from '../state/second.ts'
import { jumpTo, selectRollout, selectSecond, useSelection } from '../state/selection.ts'
import { show, useView } from '../state/view.ts'

export function openRollout(index: number): void {
  const { rollout, token } = useSelection.getState()
  selectRollout(index)
  // Where the query was found, unless someone has been in the rollout already and comes back to it.
  const hit = rollout === index && token !== null ? null : hitOf(index)
  if (hit !== null) jumpTo(hit[0], hit)
  useView.setState({ view: 'rollout', dialog: null })
}

/** Opens a rollout of the run that the open one is judged beside. */
export function openSecond(index: number): void {
  useSecond.setState({ wanted: null })
  selectSecond(index)
  useView.setState({ view: 'rollout', dialog: null })
}

/** Opens the Rollouts table on what is behind a number, in the order of the file or another. */
export function showRollouts(
  behind: Behind = {},
  { sort = NO_FILTERS.sort, descending = false }: Partial<Pick<FiltersState, 'sort' | 'descending'>> = {},
): void {
  // First of all, so that the place that is left keeps its own address.
  show('rollouts')
  useFilters.setState({ query: queryOf(behind), sort, descending })
  selectRollout(null)
}
