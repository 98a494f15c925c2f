import type { Thresholds } from '../../model/thresholds/registry.ts'
import { Provenance } from '../../model/tokens.ts'
import { maskReachesFrom, mayLieOff } from './alignment.ts'
import { type ShapedView, shapeOf } from './shape.ts'

/**
 * Rollouts whose masks lie one token late or early, and those that show that theirs do not; adds up over parts of a dump. A rollout of a single turn often
 * shows neither: it ends with the end token, and begins with one of which nothing tells who wrote it, or where its stored mask does.
 */
export interface ShiftCounts {
  readonly late: number
  readonly notLate: number
  /** Behind a masked thought, or masked turns, one word is masked as well, as where a rollout was resumed: all by exactly one token, they lie late. */
  readonly lateBehindMasked: number
  readonly early: number
  readonly notEarly: number
  /** Those that may lie in place as well as late or early. */
  readonly unclear: number
}

/** @param views under the alignment that was decided */
export function countShifts(views: readonly ShapedView[], thresholds: Thresholds): ShiftCounts {
  const counts = { late: 0, notLate: 0, lateBehindMasked: 0, early: 0, notEarly: 0, unclear: 0 }
  for (const view of views) {
    const { mask, expected, segmentation } = view
    if (mask === null || expected === null || segmentation === null) continue
    const { allZero, lag, behindMasked } = shapeOf(view)
    if (allZero) continue
    const end = mask.length - segmentation.padding.right
    const reachesFrom = maskReachesFrom(view)
    const showsNot = (by: number) => mayLieOff(mask, expected, end, by, thresholds, reachesFrom) === false
    const [isNotLate, isNotEarly] = [showsNot(1), showsNot(-1)]
    if (lag === 1) counts.late++
    else if (behindMasked >= 0) {
      // What is masked there may be a framework's words, of which the dump must say that they are none.
      if (view.provenance?.[behindMasked] === Provenance.sampled) counts.lateBehindMasked++
    } else if (isNotLate) counts.notLate++
    if (lag === -1) counts.early++
    else if (isNotEarly) counts.notEarly++
    if (lag === 0 && (behindMasked >= 0 || !isNotLate || !isNotEarly)) counts.unclear++
  }
  return counts
}

/** By how many tokens all masks lie late (negative: early) that show how they lie; 0 where nothing speaks for it, or some show that they do not. */
export function decideShift(
  { late, notLate, lateBehindMasked, early, notEarly }: Omit<ShiftCounts, 'unclear'>,
  thresholds: Thresholds,
): -1 | 0 | 1 {
  const { 'convention-share': nearly, 'systematic-units': few, 'systematic-subset-units': several } = thresholds
  const allLate = late + lateBehindMasked
  if ((late >= few || lateBehindMasked >= several) && allLate >= nearly * (allLate + notLate)) return 1
  return early >= few && early >= nearly * (early + notEarly) ? -1 : 0
}
