import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { logprobFacts } from '../../shared/checks/logprobs/sums.ts'
import { factsOf } from '../helpers/facts.ts'
import { logSoftmax, type SimulatedScores, shaken, simulate, viewOf } from './simulated.ts'

/** What is kept of these rollouts. */
export function factsFrom(
  rollouts: readonly SimulatedScores[],
  more: (record: number) => Partial<TrajectoryFacts> = () => ({}),
): TrajectoryFacts[] {
  return rollouts.map((scores, record) => factsOf(record, { ...logprobFacts(viewOf(scores)), ...more(record) }))
}

export interface Engines {
  readonly sampler?: number
  readonly trainer?: number
  /** Sizes of the noise of their logits. */
  readonly samplerNoise?: number
  readonly trainerNoise?: number
  readonly length?: number
  readonly seed?: number
}

/** A short rollout, sampled at the sampler's temperature and scored by each engine at its own. */
function between({
  sampler = 1,
  trainer = 1,
  samplerNoise = 0.01,
  trainerNoise = 0.01,
  length = 60,
  seed = 1,
}: Engines): SimulatedScores {
  return simulate(seed, length, (at, next) => ({
    from: logSoftmax(at, Math.min(sampler, trainer)),
    sampler: logSoftmax(shaken(at, next, samplerNoise), sampler),
    trainer: logSoftmax(shaken(at, next, trainerNoise), trainer),
  }))
}

/** So many of them. */
export function rollouts(count: number, engines: Engines | ((record: number) => Engines)): SimulatedScores[] {
  return Array.from({ length: count }, (_, record) =>
    between({ seed: 100 + record, ...(typeof engines === 'function' ? engines(record) : engines) }),
  )
}
