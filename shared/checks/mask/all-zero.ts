import type { Check, TrajectoryView } from '../check.ts'
import { tokenCount, writtenTurns } from '../edges.ts'
import { isLengthStop } from '../end-reason.ts'
import { shapeOf } from '../shape.ts'

export const M04: Check = {
  code: 'M04',
  name: 'nothing-trained',
  title: 'Nothing in the row is trained',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['mask'],
  looksAt: 'trajectories with sampled tokens',
  why: 'The rollout was paid for and gives no gradient; where most rows are so, the run stands still.',
  fix: 'Look for a template without generation markers, a wrong response marker, or a filter that drops the row.',
  cite: 'transformers#34172, TRL#4201, unsloth#2095, TRL#5826',
  trajectory(view, _settings, report) {
    const { segmentation } = view
    if (segmentation !== null && segmentation.turns.length > 0 && writtenTurns(segmentation).length === 0) return
    const { allZero } = shapeOf(view)
    report.place(allZero)
    if (!allZero) return
    const { facts, trajectory } = view
    const cause = causeOf(view)
    report.fault({
      severity: cause === null ? 'error' : 'info',
      message: `None of the row's ${tokenCount(facts.realLength)} carries loss${cause === null ? '' : `: the row is ${cause}`}`,
      evidence: { tokens: facts.realLength, reward: trajectory.reward, cause, end_reason: facts.endReason },
    })
  },
}

/** Why a row that trains nothing was masked whole, on purpose as it seems; null for every other row. */
export function maskedWholeBecause(view: TrajectoryView): string | null {
  return view.mask !== null && shapeOf(view).allZero ? causeOf(view) : null
}

/** Why a whole row may be masked on purpose; null where nothing in the dump says so. */
function causeOf({ trajectory, facts }: TrajectoryView): string | null {
  if (trajectory.excluded) return "excluded by the source's own flag"
  if (trajectory.isTruncated === true || isLengthStop(trajectory.finishReason)) return 'flagged as truncated'
  const { meta } = trajectory
  if (meta.filtered === true || meta.is_filtered === true) return 'flagged as filtered'
  return facts.endReason.startsWith('cut') ? 'cut before its last turn ended' : null
}
