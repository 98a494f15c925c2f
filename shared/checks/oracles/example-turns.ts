import { Expected, type Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { writtenTurns } from './edges.ts'

/** Whether the model may have written something of a turn; of an empty one nothing tells. */
export function mayBeSampled({ contentStart, contentEnd }: Turn, expectedRl: TrajectoryView['expectedRl']): boolean {
  if (expectedRl === null || contentStart === contentEnd) return true
  return expectedRl.subarray(contentStart, contentEnd).includes(Expected.trained)
}

/** How many assistant turns a rollout begins with that the model did not write, where it wrote one behind them: examples in its prompt, or its history. */
export function exampleTurnsFact({
  segmentation,
  expectedRl,
}: Pick<TrajectoryView, 'segmentation' | 'expectedRl'>): { readonly exampleTurns: number } | null {
  if (segmentation === null || expectedRl === null) return null
  const first = writtenTurns(segmentation).findIndex((turn) => mayBeSampled(turn, expectedRl))
  return first > 0 ? { exampleTurns: first } : null
}
