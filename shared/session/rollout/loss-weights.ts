import type { DumpView } from '../../checks/check.ts'
import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { drGrpoDivisor, LOSS_TYPES, type LossType, tokenWeights } from '../../checks/groups/token-weights.ts'
import type { TokenWeights } from '../requests/rollout.ts'

/** The rollouts that one step of the loss is taken over. */
export interface LossBatch {
  /** In report order; those that their source leaves out are not in it. */
  readonly rows: readonly TrajectoryFacts[]
  /** Sum of the loss weights of each, [n]. */
  readonly trained: readonly number[]
  /** What `dr_grpo` divides by; null where no completion limit is known. */
  readonly maxLength: number | null
}

/** The batch of a rollout: the rows of its source and step. */
export function lossBatchOf(own: TrajectoryFacts, { facts, limits }: Pick<DumpView, 'facts' | 'limits'>): LossBatch {
  const rows = facts.filter(
    ({ place, step, weight, excluded }) =>
      place.source === own.place.source && step === own.step && weight !== null && !excluded,
  )
  const trained = rows.map(({ weight }) => weight as number)
  return { rows, trained, maxLength: drGrpoDivisor(limits) }
}

/** What a token of a rollout counts in the loss of its batch. */
export interface BatchWeight {
  /** Of one trained token with a mask of 1; null where it hangs on a constant that is not known. */
  readonly token: number | null
  /** The same against the mean of all trained tokens of the batch, in which a constant of the whole batch does not show. */
  readonly ratio: number
  /** The same ratio of every rollout of the batch that trains anything. */
  readonly ratios: Float64Array
}

/** Null where the rollout is in no batch: it has no mask, or its source leaves it out. */
export function batchWeight(own: TrajectoryFacts, batch: LossBatch, type: LossType): BatchWeight | null {
  const at = batch.rows.indexOf(own)
  if (at < 0) return null
  const weights = tokenWeights(type, { trained: batch.trained, maxLength: batch.maxLength ?? 1 })
  let tokens = 0
  let total = 0
  for (const [row, trained] of batch.trained.entries()) {
    tokens += trained
    total += trained * (weights[row] as number)
  }
  if (tokens === 0) return null
  const mean = total / tokens
  const token = weights[at] as number
  return {
    token: type === 'dr_grpo' && batch.maxLength === null ? null : token,
    ratio: token / mean,
    ratios: weights.filter((weight) => weight > 0).map((weight) => weight / mean),
  }
}

/** The weight of a token under every loss type, in their order; null where the rollout is in no batch. */
export function tokenWeightsOf(own: TrajectoryFacts, batch: LossBatch): TokenWeights | null {
  const weights = LOSS_TYPES.flatMap((type) => {
    const found = batchWeight(own, batch, type)
    return found === null ? [] : [{ type, token: found.token, ratio: found.ratio }]
  })
  if (weights.length === 0) return null
  const untrained = batch.trained.filter((tokens) => !(tokens > 0)).length
  return { weights, of: own.step === null ? 'file' : 'step', rollouts: batch.rows.length, untrained }
}
