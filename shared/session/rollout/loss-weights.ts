import { LOSS_TYPES, type LossType, type LossWeights } from '../../checks/groups/token-weights.ts'
import type { LoadedTrajectory } from '../detail.ts'
import type { TokenWeight } from '../requests/rollout.ts'

/** What a token of a rollout counts in the loss of its batch. */
export interface BatchWeight {
  /** Of one trained token with a mask of 1. */
  readonly token: number
  /** Against the mean trained token of the batch. */
  readonly ratio: number
  /** The same ratio of every rollout of the batch that trains anything. */
  readonly ratios: Float64Array
  /** Rollouts of the batch. */
  readonly rollouts: number
}

/** Null where the rollout is in no batch: it has no mask, or its source leaves it out. */
export function batchWeight({ facts: own }: LoadedTrajectory, { rollouts }: LossWeights): BatchWeight | null {
  const { place, step } = own
  const batch = rollouts.filter(({ facts }) => facts.place.source === place.source && facts.step === step)
  const found = batch.find(({ facts }) => facts.place.record === place.record && facts.place.part === place.part)
  if (found === undefined) return null
  let tokens = 0
  let total = 0
  for (const { facts, token } of batch) {
    tokens += facts.weight ?? 0
    total += (facts.weight ?? 0) * token
  }
  if (tokens === 0) return null
  const mean = total / tokens
  return {
    token: found.token,
    ratio: found.token / mean,
    ratios: Float64Array.from(
      batch.filter(({ token }) => token > 0),
      ({ token }) => token / mean,
    ),
    rollouts: batch.length,
  }
}

/** The weight of a token under every loss type, in their order; empty where the rollout is in no batch. */
export function tokenWeightsOf(loaded: LoadedTrajectory, weights: (type: LossType) => LossWeights): TokenWeight[] {
  return LOSS_TYPES.flatMap((type) => {
    const found = batchWeight(loaded, weights(type))
    return found === null ? [] : [{ type, token: found.token, ratio: found.ratio }]
  })
}
