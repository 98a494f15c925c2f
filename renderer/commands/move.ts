import { list, positionOf } from '../data/list.ts'
import { useSecond } from '../state/second.ts'
import { selectRollout, selectSecond, useSelection } from '../state/selection.ts'
import { say, useView } from '../state/view.ts'

/** Selects the next or the previous rollout of the list that the table shows, or of the second run where one of it is on screen. */
export function move(step: 1 | -1): void {
  const { second } = useSelection.getState()
  if (second !== null && useView.getState().view === 'rollout') {
    moveSecond(second, step)
    return
  }
  const indices = list.get()
  if (indices.length === 0) return
  const at = positionOf(useSelection.getState().rollout)
  const next = at === -1 ? 0 : Math.max(0, Math.min(indices.length - 1, at + step))
  if (next === at) say(step === 1 ? 'This is the last rollout of the list' : 'This is the first rollout of the list')
  selectRollout(indices[next] as number)
}

function moveSecond(from: number, step: 1 | -1): void {
  const { run } = useSecond.getState()
  const next = from + step
  if (run === null || next < 0 || next >= run.rollouts)
    say(step === 1 ? 'This is the last rollout of the second run' : 'This is the first rollout of the second run')
  else selectSecond(next)
}
