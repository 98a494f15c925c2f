import { list, positionOf } from '../data/list.ts'
import { selectRollout, useSelection } from '../state/selection.ts'
import { say } from '../state/view.ts'

/** Selects the next or the previous rollout of the list that the table shows. */
export function move(step: 1 | -1): void {
  const indices = list.get()
  if (indices.length === 0) return
  const at = positionOf(useSelection.getState().rollout)
  const next = at === -1 ? 0 : Math.max(0, Math.min(indices.length - 1, at + step))
  if (next === at) say(step === 1 ? 'This is the last rollout of the list' : 'This is the first rollout of the list')
  selectRollout(indices[next] as number)
}
