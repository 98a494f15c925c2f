import { filtered, type Steps, within } from '../../model/steps.ts'
import type { DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { endingOf, endsInAnswer, limitsOfRun } from './ending.ts'
import { lastTokensOf } from './open-stops.ts'

type EndsOf = Pick<DumpView, 'facts' | 'limits' | 'limitsByRollout' | 'settings'>

const found = new WeakMap<DumpView['limits'], ReadonlySet<TrajectoryFacts>>()

/**
 * Rollouts that end in what the model wrote without an end token, and of which nothing tells that a limit ended them. Where most of the dump do, the writer
 * leaves these tokens out, or the run stops on a string: nobody knows whether one of them was cut. Where fewer do, those are left that end alike, as no limit
 * ends them: strings stop a run beside the token that ends a turn. In steps, once for a dump.
 */
export function* findingOpenEnds(view: EndsOf): Steps<ReadonlySet<TrajectoryFacts>> {
  const known = found.get(view.limits)
  if (known !== undefined) return known
  const areTold = yield* within(0, 0.3, areEndsTold(view))
  const open = yield* within(0.3, 0.8, openRows(view))
  const rows = new Set(areTold ? yield* within(0.8, 1, endingAlike(open, view)) : open)
  found.set(view.limits, rows)
  return rows
}

/** Of rows without an end token, those whose last token is that of so many others that no limit left it. */
function* endingAlike(
  rows: readonly TrajectoryFacts[],
  { settings: { thresholds } }: EndsOf,
): Steps<TrajectoryFacts[]> {
  const ends = yield* within(0, 0.5, lastTokensOf(rows))
  const fewest = Math.max(thresholds['stop-string-rollouts'], thresholds['stop-string-share'] * rows.length)
  return yield* within(
    0.5,
    1,
    filtered(rows, ({ lastToken }) => (ends.get(lastToken ?? -1) ?? 0) >= fewest),
  )
}

/** Whether as many close their last turn as make one that does not an exception. */
function* areEndsTold({ facts, settings }: EndsOf): Steps<boolean> {
  const columns = new FactColumns(facts)
  const [closed, open] = [columns.holds('endReason', (reason) => reason === 'stop'), columns.holds('endReason', OPEN)]
  yield 0.5
  const [ended, without] = [sum(closed), sum(open)]
  return without === 0 || ended >= settings.thresholds['closed-share-for-contrast'] * (ended + without)
}

const OPEN = (endReason: TrajectoryFacts['endReason']) => endsInAnswer({ endReason })

/** A call that breaks off shows by itself that it is no end. */
function openRows(view: EndsOf): Steps<TrajectoryFacts[]> {
  const limits = limitsOfRun(view)
  const { thresholds } = view.settings
  return filtered(view.facts, (row) => row.endReason === 'cut-prose' && endingOf(row, limits, thresholds) === 'open')
}

function sum(flags: Uint8Array): number {
  return flags.reduce((total, flag) => total + flag, 0)
}
