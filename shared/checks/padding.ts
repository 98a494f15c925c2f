import type { Segmentation } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'
import type { TrajectoryView } from './check.ts'

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

/**
 * The first pad behind an open last turn of the model, where it alone of the padding has loss: the end of the text that a base model sampled, whose id is
 * that of the padding. -1 where there is none.
 */
export function sampledPad({ mask, segmentation }: Pick<TrajectoryView, 'mask' | 'segmentation'>): number {
  const last = segmentation?.turns.at(-1)
  if (!mask || last === undefined || last.kind !== 'assistant' || last.endToken >= 0) return -1
  return mask[last.end] === 1 && mask[last.end + 1] !== 1 ? last.end : -1
}
