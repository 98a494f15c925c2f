import { kernelWith } from '../../containers/kernel/thread-kernel.ts'
import { hashOfNumbers } from '../../model/bulk-hash.ts'
import { Expected, type Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { writtenTurns } from './edges.ts'

/** Whether the model may have written something of a turn; of an empty one nothing tells. */
export function mayBeSampled({ contentStart, contentEnd }: Turn, expectedRl: TrajectoryView['expectedRl']): boolean {
  if (expectedRl === null || contentStart === contentEnd) return true
  return expectedRl.subarray(contentStart, contentEnd).includes(Expected.trained)
}

/**
 * How many assistant turns a rollout begins with that the model did not write, where it wrote one behind them: examples in its prompt, or its history. And the
 * digest of all that stands before that one, padding and its header left out: what it was asked.
 */
export function exampleTurnsFact({
  trajectory: { ids },
  segmentation,
  expectedRl,
}: Pick<TrajectoryView, 'trajectory' | 'segmentation' | 'expectedRl'>): {
  readonly exampleTurns: number
  readonly askedHash: string
} | null {
  if (ids === null || segmentation === null || expectedRl === null) return null
  const written = writtenTurns(segmentation)
  const first = written.findIndex((turn) => mayBeSampled(turn, expectedRl))
  if (first <= 0) return null
  const { start } = written[first] as Turn
  const asked = hashOfNumbers(ids, segmentation.padding.left, start, kernelWith(ids))
  return { exampleTurns: first, askedHash: asked.digest() }
}
