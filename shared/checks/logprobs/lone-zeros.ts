import { partitionPoint } from '../../model/partition-point.ts'
import type { Steps } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

/** A trained token of which the sampler was certain, by an exact 0, and the trainer far from it. */
export interface LoneZero {
  readonly token: number
  /** The trainer's logprob of it. */
  readonly trainer: number
  /** Index of its turn, -1 where turns are not known. */
  readonly turn: number
}

/** Rollouts whose few zeros the trainer denies, and no noise explains it. */
export function* zerosDenied(
  facts: readonly TrajectoryFacts[],
  thresholds: Thresholds,
): Steps<{ readonly member: TrajectoryFacts; readonly zeros: readonly LoneZero[] }[]> {
  const found = yield* beyondNoise(facts, 'loneZeros', thresholds, thresholds['lone-zero-others'])
  return found.map((member) => ({ member, zeros: member.loneZeros ?? [] }))
}

/** Rollouts with one end token whose zero the trainer denies, and no noise explains it: it hits ends far less often than other words, of which there are more. */
export function endsDenied(facts: readonly TrajectoryFacts[], thresholds: Thresholds): Steps<TrajectoryFacts[]> {
  return beyondNoise(facts, 'deniedEnd', thresholds, thresholds['denied-end-others'])
}

/**
 * Experts that are routed otherwise put some token of every few rollouts far off, and a fifth of all tokens are exact zeros: then one of them is bound
 * to be hit, in fewer of the rollouts that have no other gap of that size than have one, by `times`.
 */
function* beyondNoise(
  facts: readonly TrajectoryFacts[],
  name: 'loneZeros' | 'deniedEnd',
  { 'lone-zero-beyond': beyond, 'contradicts-zero': denied }: Thresholds,
  times: number,
): Steps<TrajectoryFacts[]> {
  const asked = new FactColumns(facts).having(name)
  yield 0.3
  if (asked.length === 0) return []
  const scored = new FactColumns(facts).numbers('gap', 'largest')
  const others = scored.filter((gap) => !Number.isNaN(gap)).sort()
  yield 0.6
  const sizeOf = SIZES[name]
  const zeros = Float64Array.from(asked, sizeOf).sort()
  const atLeast = (sorted: Float64Array, size: number) =>
    sorted.length - partitionPoint(sorted.length, (at) => (sorted[at] as number) < size)
  return asked.filter((member) => {
    // From this size on a gap hides zeros beside it: a smaller one would leave too few rollouts in which one could be hit alone.
    const size = Math.max(sizeOf(member) / beyond, -denied)
    const [hit, off] = [atLeast(zeros, size), atLeast(others, size)]
    // One is hit by any noise that there is.
    const isNoise = off > 0 && (hit - 1) * others.length <= times * off * (others.length - off)
    return !isNoise
  })
}

const SIZES = {
  loneZeros: ({ loneZeros = [] }: TrajectoryFacts) =>
    loneZeros.reduce((most, { trainer }) => Math.max(most, -trainer), 0),
  deniedEnd: ({ deniedEnd }: TrajectoryFacts) => -(deniedEnd?.trainer ?? 0),
}
