import { counted } from '../../model/number-text.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { CheckTally, DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { keptForDump } from '../once-for-dump.ts'

/**
 * The rollouts whose two logprobs may be of two engines. Where the sampler's stand in both places in rollouts with values enough to tell (L07), a gap
 * of exactly 0 says nothing in those with fewer either; nor does it where no logprob of any rollout is another number than 0.
 */
export function ofTwoEngines(facts: readonly TrajectoryFacts[], thresholds: Thresholds): readonly TrajectoryFacts[] {
  const columns = new FactColumns(facts)
  const gaps = columns.numbers('gap', 'absolute')
  return hasOneArray(columns, gaps, thresholds) ? facts.filter((_, at) => gaps[at] !== 0) : facts
}

/** Of each rollout the sum of its gaps, NaN where it is not among those of `ofTwoEngines`. */
export function gapsOfTwoEngines(columns: FactColumns, thresholds: Thresholds): Float64Array {
  const gaps = columns.numbers('gap', 'absolute')
  return hasOneArray(columns, gaps, thresholds) ? gaps.map((gap) => (gap === 0 ? Number.NaN : gap)) : gaps
}

function hasOneArray(columns: FactColumns, gaps: Float64Array, thresholds: Thresholds): boolean {
  const values = columns.numbers('gap', 'samplerValues')
  const enough = thresholds['equal-values']
  const isOne = (gap: number, at: number) => gap === 0 && (values[at] as number) >= enough
  return gaps.some(isOne) || areAllZero(gaps, values)
}

/** Both say 0 of every token: nobody filled them, or nothing can be told of engines that are certain of all. */
function areAllZero(gaps: Float64Array, values: Float64Array): boolean {
  const isZero = (gap: number, at: number) => Number.isNaN(gap) || (gap === 0 && values[at] === 0)
  return gaps.some((gap) => !Number.isNaN(gap)) && gaps.every(isZero)
}

/** That in all rollouts the sampler's logprobs stand in both places, so that they cannot differ; null where some are of two engines. */
export const oneArrayIn = keptForDump(toldOf)

function toldOf({ facts, settings }: DumpView): string | null {
  const others = ofTwoEngines(facts, settings.thresholds)
  const isScored = ({ gap }: TrajectoryFacts) => gap !== undefined
  if (others === facts || others.some(isScored)) return null
  const rollouts = counted(facts.filter(isScored).length, 'rollout')
  if (holdsZerosAlone(facts))
    return `logprobs other than 0 (in all of ${rollouts} the sampler's and the trainer's are exactly 0 on every trained token)`
  return `logprobs that the trainer computed by itself (in all of ${rollouts} they are the sampler's, bit by bit: L07)`
}

function holdsZerosAlone(facts: readonly TrajectoryFacts[]): boolean {
  const columns = new FactColumns(facts)
  return areAllZero(columns.numbers('gap', 'absolute'), columns.numbers('gap', 'samplerValues'))
}

/** Why it proves nothing that no placeholder was found, where the two are exactly 0 on every token; null where they are not. */
export function unprovedByZerosAlone(_tally: CheckTally, dump: DumpView): string | null {
  return holdsZerosAlone(dump.facts) ? unprovedByOneArray(_tally, dump) : null
}

/** Why a check that compares the two proves nothing where it finds nothing. */
export function unprovedByOneArray(_tally: CheckTally, dump: DumpView): string | null {
  const lack = oneArrayIn(dump)
  return lack === null ? null : `the dump does not carry ${lack}`
}
