import type { DumpView } from '../../checks/check.ts'
import type { TrajectoryFacts } from '../../checks/facts.ts'
import { LOSS_TYPES, type LossType, tokenWeights } from '../../checks/groups/token-weights.ts'
import type { TokenWeight } from '../requests/rollout.ts'

/** The rollouts that one step of the loss is taken over. */
export interface LossBatch {
  /** In report order; those that their source leaves out are not in it. */
  readonly rows: readonly TrajectoryFacts[]
  /** Sum of the loss weights of each, [n]. */
  readonly trained: readonly number[]
  /** What `dr_grpo` divides by, and whether it is the limit of the run or the longest rollout for want of one. */
  readonly maxLength: { readonly value: number; readonly known: boolean }
}

/** The batch of a rollout: the rows of its source and step. */
export function lossBatchOf(own: TrajectoryFacts, { facts, limits }: Pick<DumpView, 'facts' | 'limits'>): LossBatch {
  const rows = facts.filter(
    ({ place, step, weight, excluded }) =>
      place.source === own.place.source && step === own.step && weight !== null && !excluded,
  )
  const trained = rows.map(({ weight }) => weight as number)
  const limit = limits.max_completion_length?.value ?? null
  const longest = trained.reduce((most, weight) => Math.max(most, weight), 1)
  return { rows, trained, maxLength: { value: limit ?? longest, known: limit !== null } }
}

/** What a token of a rollout counts in the loss of its batch. */
export interface BatchWeight {
  /** Of one trained token with a mask of 1. */
  readonly token: number
  /** Against the mean trained token of the batch. */
  readonly ratio: number
  /** The same ratio of every rollout of the batch that trains anything. */
  readonly ratios: Float64Array
}

/** Null where the rollout is in no batch: it has no mask, or its source leaves it out. */
export function batchWeight(own: TrajectoryFacts, batch: LossBatch, type: LossType): BatchWeight | null {
  const at = batch.rows.indexOf(own)
  if (at < 0) return null
  const weights = tokenWeights(type, { trained: batch.trained, maxLength: batch.maxLength.value })
  let tokens = 0
  let total = 0
  for (const [row, trained] of batch.trained.entries()) {
    tokens += trained
    total += trained * (weights[row] as number)
  }
  if (tokens === 0) return null
  const mean = total / tokens
  const token = weights[at] as number
  return { token, ratio: token / mean, ratios: weights.filter((weight) => weight > 0).map((weight) => weight / mean) }
}

/** The weight of a token under every loss type, in their order; empty where the rollout is in no batch. */
export function tokenWeightsOf(own: TrajectoryFacts, batch: LossBatch): TokenWeight[] {
  return LOSS_TYPES.flatMap((type) => {
    const found = batchWeight(own, batch, type)
    return found === null ? [] : [{ type, token: found.token, ratio: found.ratio }]
  })
}
