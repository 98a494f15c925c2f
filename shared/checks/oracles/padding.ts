import { Provenance, type Segmentation } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { TrajectoryView } from '../check.ts'

/** Tokens of padding on either side of a row: as its turns show them, else as its format declares. */
export function paddingOf({
  segmentation,
  trajectory,
}: {
  readonly segmentation: Segmentation | null
  readonly trajectory: Pick<Trajectory, 'padding'>
}): Segmentation['padding'] {
  return segmentation?.padding ?? trajectory.padding ?? { left: 0, right: 0 }
}

type PaddedView = Pick<TrajectoryView, 'ids' | 'mask' | 'provenance' | 'segmentation' | 'tokenizer'>

/**
 * The first pad behind an open last turn of the model, or behind a text without turns, where it alone of the padding has loss: the end of the text that a base
 * model sampled, whose id is that of the padding. -1 where there is none.
 */
export function sampledPad(view: PaddedView): number {
  const { mask, segmentation } = view
  if (mask === null || segmentation === null) return -1
  const at = segmentation.turns.length === 0 ? endOfText(view, segmentation) : endOfOpenTurn(segmentation)
  return at >= 0 && mask[at] === 1 && mask[at + 1] !== 1 ? at : -1
}

function endOfOpenTurn({ turns }: Segmentation): number {
  const last = turns.at(-1)
  return last?.kind === 'assistant' && last.endToken < 0 ? last.end : -1
}

/** Where a text without turns may have been ended by what is also its pad: behind a trained token that is no end itself. */
function endOfText({ ids, mask, provenance, tokenizer }: PaddedView, { padding }: Segmentation): number {
  const at = ids.length - padding.right
  const frame = tokenizer?.frame
  if (padding.right === 0 || !frame?.textEnds.includes(ids[at] as number)) return -1
  if (mask?.[at - 1] !== 1 || provenance?.[at] === Provenance.notSampled) return -1
  const before = ids[at - 1] as number
  return frame.textEnds.includes(before) || frame.turnEnds.includes(before) ? -1 : at
}
