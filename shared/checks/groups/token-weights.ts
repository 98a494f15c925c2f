import type { AuditOptions } from '../../model/policy.ts'
import type { DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

/** How a trainer averages the loss of tokens, by the names of TRL and the old verifiers trainer. */
export const LOSS_TYPES = ['grpo', 'dapo', 'bnpo', 'dr_grpo'] as const satisfies readonly NonNullable<
  AuditOptions['lossType']
>[]
export type LossType = (typeof LOSS_TYPES)[number]

export interface LossBatch {
  /** Sum of the loss weights of each rollout, [n]: its trained tokens under a 0/1 mask; 0 for one that trains nothing. */
  readonly trained: readonly number[]
  /** Tokens that `dr_grpo` divides by for each rollout: the completion limit; any number stands for it where only ratios are asked. */
  readonly maxLength: number
  /** Rollouts of one micro-batch, in order: what `bnpo` takes its mean over. Default: the whole batch. */
  readonly localRows?: number
}

/**
 * What one trained token of each rollout counts in the loss of its batch, before the advantage: [n], 0 where nothing is trained.
 * - `grpo`: the mean over the tokens of a rollout, then over rollouts: 1 / (n · T_i). Rollouts that train nothing stay in n, as in TRL; verl
 *   leaves them out of it. That is one factor for the whole batch, so ratios and shares are the same under both.
 * - `dapo`: the mean over all trained tokens of the batch: 1 / Σ T.
 * - `bnpo`: the same within each micro-batch, then the mean over micro-batches.
 * - `dr_grpo`: a constant divisor: 1 / (n · maxLength).
 *
 * Sources: TRL `grpo_trainer.py` (`loss_type`); verl `agg_loss` calls them seq-mean-token-mean, token-mean and seq-mean-token-sum-norm.
 */
export function tokenWeights(type: LossType, { trained, maxLength, localRows }: LossBatch): Float64Array {
  const n = trained.length
  const weights = new Float64Array(n)
  const local = type === 'bnpo' ? Math.max(1, Math.min(n, localRows ?? n)) : n
  const parts = Math.ceil(n / Math.max(1, local))
  for (let start = 0; start < n; start += local) {
    const end = Math.min(n, start + local)
    let total = 0
    for (let i = start; i < end; i++) total += trained[i] as number
    for (let i = start; i < end; i++) {
      const tokens = trained[i] as number
      if (!(tokens > 0)) continue
      if (type === 'grpo') weights[i] = 1 / (n * tokens)
      else if (type === 'dr_grpo') weights[i] = 1 / (n * maxLength)
      else weights[i] = 1 / (total * parts)
    }
  }
  return weights
}

/**
 * The constant of `dr_grpo`, tokens: the completion limit of TRL. Null where none is known. A limit of each turn is none: the completion of
 * several turns is longer, and the old verifiers trainer divides by the limit of the sequence instead.
 *
 * Sources: TRL `grpo_trainer.py` (`per_token_loss.size(0) * self.max_completion_length`), verifiers (`self.max_seq_len` in its place).
 */
export function drGrpoDivisor({ max_completion_length: limit }: DumpView['limits']): number | null {
  return limit == null || limit.per === 'turn' ? null : limit.value
}

/** What a rollout counts in the loss of its step. */
export interface RolloutWeight {
  readonly facts: TrajectoryFacts
  /** Of one of its trained tokens. */
  readonly token: number
  /** Of the rollout as a whole, as a share of all that its step trains. */
  readonly share: number
  /** The same with every rollout weighted by |advantage|: its share of the update. Null where some advantage of the step is not known. */
  readonly pull: number | null
}

export interface LossWeights {
  readonly rollouts: readonly RolloutWeight[]
  /** The divisor of `dr_grpo`, and whether it is the limit of the run or the longest rollout for want of one. */
  readonly maxLength: { readonly value: number; readonly known: boolean }
}

/**
 * What each rollout counts in the loss under a loss type. A batch is the rows of one source and step; rows that the
 * source excludes are not in it.
 *
 * @param localRows rollouts of one micro-batch, for `bnpo`
 */
export function lossWeights(
  { facts, limits }: Pick<DumpView, 'facts' | 'limits'>,
  type: LossType,
  localRows?: number,
): LossWeights {
  const rows = facts.filter(({ weight, excluded }) => weight !== null && !excluded)
  const limit = drGrpoDivisor(limits)
  const longest = rows.reduce((most, { weight }) => Math.max(most, weight as number), 1)
  const maxLength = { value: limit ?? longest, known: limit !== null }
  const rollouts = batchesOf(rows).flatMap((batch) => weighBatch(batch, type, maxLength.value, localRows))
  return { rollouts, maxLength }
}

/** Rows with the same key are in one batch. */
export function batchKey({ place, step }: Pick<TrajectoryFacts, 'place' | 'step'>): string {
  return `${place.source} ${step ?? ''}`
}

function batchesOf(rows: readonly TrajectoryFacts[]): TrajectoryFacts[][] {
  const batches = new Map<string, TrajectoryFacts[]>()
  for (const row of rows) {
    const key = batchKey(row)
    const batch = batches.get(key)
    if (batch === undefined) batches.set(key, [row])
    else batch.push(row)
  }
  return [...batches.values()]
}

function weighBatch(
  batch: readonly TrajectoryFacts[],
  type: LossType,
  maxLength: number,
  localRows: number | undefined,
): RolloutWeight[] {
  const trained = batch.map(({ weight }) => weight as number)
  const tokens = tokenWeights(type, { trained, maxLength, ...(localRows === undefined ? {} : { localRows }) })
  const whole = trained.map((count, i) => count * (tokens[i] as number))
  const known = batch.every(({ advantage }, i) => trained[i] === 0 || advantage !== null)
  const pulls = whole.map((weight, i) => weight * Math.abs(batch[i]?.advantage ?? 0))
  const all = sum(whole)
  const pull = sum(pulls)
  return batch.map((facts, i) => ({
    facts,
    token: tokens[i] as number,
    share: all > 0 ? (whole[i] as number) / all : 0,
    pull: known ? (pull > 0 ? (pulls[i] as number) / pull : 0) : null,
  }))
}

function sum(values: readonly number[]): number {
  let total = 0
  for (const value of values) total += value
  return total
}
