import { forEachOf, type Steps } from '../../model/steps.ts'
import type { DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import type { GapCause } from './gap.ts'
import { tiltedRollouts } from './pooled-lines.ts'

/** Rollouts whose gap is that of nearly all others: the trainer finds what was sampled less likely, as behind another context. */
export interface ContextOfAll {
  readonly members: readonly TrajectoryFacts[]
  /** Rollouts that show it by themselves, of so many that were scored. */
  readonly shown: number
  readonly scored: number
}

/**
 * Where most rollouts by themselves show another context, and nearly all others fall a little short of it, by some tokens that the trainer finds likelier, these
 * have the same fault, and no mismatch of their own (L01). Noise lies on both sides: of its gap most is not on the sampler's. Null where that is not so.
 */
export const contextOfAll = onceForDump(findContext)

function* findContext(dump: DumpView): Steps<ContextOfAll | null> {
  const { facts, settings } = dump
  const { 'one-sided-gap': least, 'one-sided-share': share, 'scored-tokens': enough } = settings.thresholds
  const columns = new FactColumns(facts)
  const counts = columns.numbers('gap', 'count')
  const sums = columns.numbers('gap', 'sum')
  const sizes = columns.numbers('gap', 'absolute')
  const tilts = columns.present('tilt')
  let scored = 0
  let shown = 0
  for (let at = 0; at < counts.length; at++) {
    const [count, sum] = [counts[at] as number, sums[at] as number]
    if (!(count >= enough)) continue
    scored++
    // What has another cause than a mismatch or a temperature has no tilt.
    if (tilts[at] === 0 && sum >= least * count && sum >= share * (sizes[at] as number)) shown++
  }
  yield 0.3
  if (scored < settings.thresholds['pooled-rollouts'] || 2 * shown < scored) return null
  const { tilted } = yield* tiltedRollouts(dump)
  const members: TrajectoryFacts[] = []
  yield* forEachOf(columns.having('tilt'), (row) => {
    const { gap, tilt } = row
    if (gap === undefined || tilt === undefined || !MAY_BE.has(tilt.otherwise) || tilted.has(row)) return
    if (isBelow(gap.sum, gap.absolute) && gap.sum >= least * gap.count) members.push(row)
  })
  const isOfAll = shown + members.length >= settings.thresholds['systematic-share'] * scored
  return isOfAll && members.length > 0 ? { members, shown, scored } : null
}

/** `context`: of a temperature of its own that the others deny. */
const MAY_BE: ReadonlySet<GapCause> = new Set<GapCause>(['mismatch', 'context'])

/** Whether more than three quarters of a gap are on the sampler's side. */
export function isBelow(sum: number, absolute: number): boolean {
  return 2 * sum > absolute
}
