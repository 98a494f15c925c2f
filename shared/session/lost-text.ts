import type { TrajectoryView } from '../checks/check.ts'
import { lostAtEnd } from '../checks/lost-tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'
import type { TrajectoryDetail } from './protocol.ts'

/** The gaps of one rollout: where text should be and is not, as far as the ids and the messages tell. */
export function lostText(trajectory: Trajectory, view: TrajectoryView | null): TrajectoryDetail['lost'] {
  const segmentation = view?.segmentation ?? null
  if (view === null || segmentation === null) return []
  const gaps: TrajectoryDetail['lost'][number][] = []
  const { padding } = segmentation
  if (segmentation.cutLeft) {
    gaps.push({
      at: padding.left,
      tokens: null,
      text: null,
      what: 'The beginning of the prompt is not in the sequence',
    })
  }
  const { ids, tokenizer, facts } = view
  const lost = lostAtEnd(trajectory, { ids, padding, segmentation, tokenizer, text: view.text }, facts.endReason)
  if (lost !== null) {
    const what = 'The messages go on, the sequence does not'
    gaps.push({ at: ids.length - padding.right, tokens: lost.tokens, text: lost.text, what })
  } else if (segmentation.cutRight) {
    gaps.push({ at: ids.length - padding.right, tokens: null, text: null, what: 'The last turn is not closed' })
  }
  return gaps
}
