import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import type { GapCause } from './gap.ts'
import type { TiltedRollouts } from './pooled-lines.ts'

/** A mean gap that all rollouts together have. */
export interface MismatchOfAll {
  readonly mean: number
  readonly rollouts: number
  /** Those whose own tokens are too few, or too unlike, to prove theirs. */
  readonly unproved: readonly TrajectoryFacts[]
}

/**
 * Engines that differ do so everywhere: where the mean of all rollouts surely passes the bound, and hardly one of them is surely below it, those that do not
 * surely pass it by themselves have the fault as well. Null where that is not so, or where a narrower cause shows in some.
 */
export function* mismatchOfAll(
  facts: readonly TrajectoryFacts[],
  { tilted, denied }: TiltedRollouts,
  thresholds: Thresholds,
): Steps<MismatchOfAll | null> {
  const columns = new FactColumns(facts)
  const counts = columns.numbers('gap', 'count')
  const sizes = columns.numbers('gap', 'absolute')
  const { 'engines-differ': differs, 'gap-standard-errors': errors, 'systematic-share': share } = thresholds
  let scored = 0
  let tokens = 0
  let size = 0
  for (let at = 0; at < counts.length; at++) {
    if ((counts[at] as number) >= thresholds['scored-tokens']) scored++
    tokens += counts[at] as number
    size += sizes[at] as number
  }
  if (!(size >= differs * tokens) || scored < thresholds['pooled-rollouts']) return null
  yield 0.2
  const together = new Together()
  const unproved: TrajectoryFacts[] = []
  const isDenied = new Set(denied)
  let below = 0
  const look = (row: TrajectoryFacts) => {
    const { gap, tilt } = row
    if (gap === undefined || tilt === undefined || tilted.has(row)) return
    // What looks like a temperature, and is none, may still be something else.
    if (tilt.own !== null && !(isDenied.has(row) && IS_PLAIN.has(tilt.otherwise))) return
    const mean = gap.absolute / gap.count
    const error = Math.sqrt(Math.max(0, gap.squares / gap.count - mean * mean) / gap.count)
    together.add(gap.absolute, gap.count)
    if (mean + errors * error < differs) below++
    else if (mean - errors * error < differs) unproved.push(row)
  }
  yield* within(0.2, 1, forEachOf(columns.having('tilt'), look))
  if (together.rollouts - below < share * scored) return null
  const { mean, error, rollouts } = together
  return mean - errors * error < differs ? null : { mean, rollouts, unproved }
}

const IS_PLAIN: ReadonlySet<GapCause> = new Set<GapCause>(['none', 'mismatch'])

/** A mean over tokens, and its error by how rollouts differ. */
class Together {
  rollouts = 0
  private tokens = 0
  private size = 0
  private sizeSquares = 0
  private products = 0
  private tokenSquares = 0

  add(size: number, tokens: number): void {
    this.rollouts++
    this.tokens += tokens
    this.size += size
    this.sizeSquares += size * size
    this.products += size * tokens
    this.tokenSquares += tokens * tokens
  }

  get mean(): number {
    return this.size / this.tokens
  }

  get error(): number {
    const { mean } = this
    const squares = this.sizeSquares - 2 * mean * this.products + mean * mean * this.tokenSquares
    return Math.sqrt(Math.max(0, squares)) / this.tokens
  }
}
