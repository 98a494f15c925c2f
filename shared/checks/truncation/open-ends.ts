import { filtered, type Steps, within } from '../../model/steps.ts'
import type { DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { endingOf, endsInAnswer, limitsOfRun } from './ending.ts'

type EndsOf = Pick<DumpView, 'facts' | 'limits' | 'limitsByRollout' | 'settings'>

const NONE: ReadonlySet<TrajectoryFacts> = new Set()
const found = new WeakMap<DumpView['limits'], ReadonlySet<TrajectoryFacts>>()

/**
 * Rollouts that end in what the model wrote without an end token, as most of the dump do, and of which nothing tells that a limit ended them: the writer
 * leaves these tokens out, or the run stops on a string. Nobody knows whether one of them was cut. In steps, once for a dump.
 */
export function* findingOpenEnds(view: EndsOf): Steps<ReadonlySet<TrajectoryFacts>> {
  const known = found.get(view.limits)
  if (known !== undefined) return known
  const rows = (yield* within(0, 0.3, areEndsTold(view))) ? NONE : new Set(yield* within(0.3, 1, openRows(view)))
  found.set(view.limits, rows)
  return rows
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
