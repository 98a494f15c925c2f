import { list, positionOf } from '../data/list.ts'
import { useSelection } from '../state/selection.ts'
import { useView } from '../state/view.ts'

/** The selected rollout; in the table only while it is listed. What a query left out stands in no row, and nobody sees what is done to it. */
export function selectedInSight(): number | null {
  const { rollout } = useSelection.getState()
  return useView.getState().view === 'rollouts' && positionOf(rollout) < 0 ? null : rollout
}

/** The rollout that a key is about: the selected one in sight, else the first that is listed, else none. */
export function rolloutAtCursor(): number | undefined {
  return selectedInSight() ?? list.get()[0]
}
