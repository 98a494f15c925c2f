import { type FiltersState, NO_FILTERS, useFilters } from '../state/filters.ts'
import { selectRollout } from '../state/selection.ts'
import { show, useView } from '../state/view.ts'

export function openRollout(index: number): void {
  selectRollout(index)
  useView.setState({ view: 'rollout', dialog: null })
}

/** Opens the Rollouts table on what is behind a number. */
export function showRollouts(filters: Partial<FiltersState> = {}): void {
  useFilters.setState({ ...NO_FILTERS, ...filters })
  selectRollout(null)
  show('rollouts')
}
