import { atOnce, filtered, type Steps, within } from '../../model/steps.ts'
import type { DumpView } from '../check.ts'
import type { EndReason, TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import { findingOpenEnds } from './open-ends.ts'
import { findingOpenStops } from './open-stops.ts'

/** How rollouts end of which their own fields do not tell it, or tell it wrong. */
export interface ToldEnds {
  /** Without an end token, as most are, and without a word about it (`open-ends.ts`). */
  readonly open: ReadonlySet<TrajectoryFacts>
  /** Said to have stopped, and cut: what C05 tells of them as an error. */
  readonly refuted: ReadonlySet<TrajectoryFacts>
  /** Said to have stopped, and alone without an end token: it may have been lost, or more than it (a warning of C05). */
  readonly doubted: ReadonlySet<TrajectoryFacts>
}

/** In steps, once for a dump. */
export const findingToldEnds: (view: DumpView) => Steps<ToldEnds> = onceForDump(lookingForEnds)

export function toldEnds(view: DumpView): ToldEnds {
  return atOnce(findingToldEnds(view))
}

/** Rollouts of several runs whose stops others of their run refute. */
export function* refutedIn(views: readonly DumpView[]): Steps<ReadonlySet<TrajectoryFacts>> {
  const all = new Set<TrajectoryFacts>()
  for (const [at, view] of views.entries()) {
    const { refuted } = yield* within(at / views.length, (at + 1) / views.length, findingToldEnds(view))
    for (const row of refuted) all.add(row)
  }
  return all
}

function* lookingForEnds(view: DumpView): Steps<ToldEnds> {
  const open = yield* within(0, 0.4, findingOpenEnds(view))
  const stops = yield* within(0.4, 0.7, findingOpenStops(view))
  if (stops === null) return { open, refuted: new Set(), doubted: new Set() }
  const { rows, refutes, isException } = stops
  return {
    open,
    refuted: new Set(yield* within(0.7, 0.85, filtered(rows, refutes))),
    doubted: new Set(
      yield* within(
        0.85,
        1,
        filtered(rows, (row) => isException(row) && !refutes(row)),
      ),
    ),
  }
}

/** How a rollout ended: a stop that others refute lies inside what the model wrote. */
export function endOf(row: TrajectoryFacts, { refuted }: Pick<ToldEnds, 'refuted'>): EndReason {
  return refuted.has(row) ? REFUTED_STOP : row.endReason
}

/** The last turn of such a row is the model's, and no call in it is open: that would have told it. */
export const REFUTED_STOP = 'cut-prose' satisfies EndReason
