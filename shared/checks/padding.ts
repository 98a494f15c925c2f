import type { Segmentation } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'

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
