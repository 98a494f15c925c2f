import { partitionPoint } from '../../model/partition-point.ts'
import type { Steps } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import { FactColumns } from '../fact-columns.ts'
import type { TrajectoryFacts } from '../facts.ts'

/** A trained token of which the sampler was certain, by an exact 0, and the trainer far from it. */
export interface LoneZero {
  readonly token: number
  /** The trainer's logprob of it. */
  readonly trainer: number
  /** Index of its turn, -1 where turns are not known. */
  readonly turn: number
}

/**
 * Rollouts whose few zeros the trainer denies, and no noise explains it. Experts that are routed otherwise put some token of every few rollouts far off,
 * and a fifth of all tokens are exact zeros: then one of them is bound to be hit, in fewer of the rollouts that have no other gap of that size
 * than have one.
 */
export function* zerosDenied(
  facts: readonly TrajectoryFacts[],
  { 'lone-zero-others': times, 'lone-zero-beyond': beyond, 'contradicts-zero': denied }: Thresholds,
): Steps<{ readonly member: TrajectoryFacts; readonly zeros: readonly LoneZero[] }[]> {
  const asked = new FactColumns(facts).having('loneZeros')
  yield 0.3
  if (asked.length === 0) return []
  const scored = new FactColumns(facts).numbers('gap', 'largest')
  const others = scored.filter((gap) => !Number.isNaN(gap)).sort()
  yield 0.6
  const zeros = Float64Array.from(asked, sizeOf).sort()
  const atLeast = (sorted: Float64Array, size: number) =>
    sorted.length - partitionPoint(sorted.length, (at) => (sorted[at] as number) < size)
  return asked.flatMap((member) => {
    // From this size on a gap hides zeros beside it: a smaller one would leave too few rollouts in which one could be hit alone.
    const size = Math.max(sizeOf(member) / beyond, -denied)
    const [hit, off] = [atLeast(zeros, size), atLeast(others, size)]
    // One is hit by any noise that there is.
    const isNoise = off > 0 && (hit - 1) * others.length <= times * off * (others.length - off)
    return isNoise ? [] : [{ member, zeros: member.loneZeros ?? [] }]
  })
}

function sizeOf({ loneZeros = [] }: TrajectoryFacts): number {
  return loneZeros.reduce((most, { trainer }) => Math.max(most, -trainer), 0)
}
