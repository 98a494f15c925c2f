import { useCallback, useEffect, useMemo, useState } from 'react'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { usePaintedFrames } from '../../lists/use-painted-frames.ts'
import { type Fold, LineBreaker, type LinesEnough, layOutGrid, NO_LINES, type TokenLayout } from './layout.ts'

/** Tokens that are put on lines before the clock is looked at again, and how long that may go on in one task (milliseconds). */
const STEP = 4096
const TASK = 8

interface Room {
  readonly detail: TrajectoryDetail
  /** Fixed-width columns of a line; 0 until that is known. */
  readonly columns: number
  /** Tokens on a line of the grid. */
  readonly perLine: number
  readonly folds: readonly Fold[]
  readonly isGrid: boolean
}

interface Laid {
  readonly layout: TokenLayout
  /** What the lines are laid out by. Where a part of them was, the others follow it and move none. */
  readonly room: Room
  /** Whether lines beside those in sight may be drawn. */
  readonly hasBeside: boolean
  /** Lays out what is left at once, for somebody who scrolls there. */
  finish(): void
}

/**
 * The lines of a rollout. Those of the first window are there at once; the others follow it in tasks of a few milliseconds, or as soon as
 * they are asked for.
 *
 * @param jump where somebody went to; another one than the first may lead anywhere
 * @param opening the lines that the first window may show
 */
export function useTokenLayout(
  { detail, columns, perLine, folds, isGrid }: Room,
  jump: number,
  opening: () => LinesEnough,
): Laid {
  const room = useMemo(() => ({ detail, columns, perLine, folds, isGrid }), [detail, columns, perLine, folds, isGrid])
  const breaker = useMemo(
    () => (room.isGrid || room.columns === 0 ? null : new LineBreaker(room.detail, room.columns, room.folds)),
    [room],
  )
  const [openingJump] = useState(jump)
  const [isFinished, setFinished] = useState(false)
  const painted = usePaintedFrames(2)
  const isWhole = isFinished || jump !== openingJump
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the first window shows is asked for its first lines alone
  const layout = useMemo(() => {
    if (room.isGrid && room.columns > 0) return layOutGrid(room.detail, room.perLine, room.folds)
    return (isWhole ? breaker?.whole() : breaker?.part(opening())) ?? NO_LINES
  }, [room, breaker, isWhole])
  const isPainted = painted > 0
  useEffect(() => {
    if (!isPainted || isWhole || breaker === null) return
    let next = setTimeout(goOn)
    function goOn() {
      const begun = performance.now()
      while (breaker?.isDone === false && performance.now() - begun < TASK) breaker.goOn(STEP)
      if (breaker?.isDone === false) next = setTimeout(goOn)
      else setFinished(true)
    }
    return () => clearTimeout(next)
  }, [isPainted, isWhole, breaker])
  const finish = useCallback(() => setFinished(true), [])
  return { layout, room, hasBeside: (isWhole || isGrid) && painted > 1, finish }
}
