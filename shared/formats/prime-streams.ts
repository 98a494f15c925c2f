import type { JsonValue } from '../containers/container.ts'
import { Hash64 } from '../model/hash.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { numbersOf } from './fields.ts'
import type { FormatJoin } from './format.ts'
import { ownIds } from './join-padding.ts'
import { type MaskStream, type SequenceArrays, UNKNOWN } from './sequence.ts'

/** A stream that prime-rl fills up where it has none (with null, or 0.0 in a packed batch) is an absent one. */
export function isFilled(value: JsonValue, filler: number): boolean {
  return numbersOf(value)?.every((number) => Object.is(number, filler) || number === filler) ?? false
}

export interface LossComponents {
  /** Policy gradient, on `loss_mask` only; absent is 1. */
  readonly rl: Float32Array | null
  /** Cross entropy and reverse KL to a reference, wherever they are not 0, in the mask or not; absent is none. */
  readonly ce: Float32Array | null
  readonly refKl: Float32Array | null
}

export const COMPONENTS = { rl: 'rl_weights', ce: 'ce_weights', refKl: 'ref_kl_weights' } as const

/**
 * The mask of all three components of prime-rl's loss: a token is trained where any of them has a weight other than 0
 * (src/prime_rl/trainer/rl/loss.py, `compute_loss`). Its weight is the sum of their sizes; each is divided by its own token count.
 */
export function trainedBy(mask: Uint8Array, { rl, ce, refKl }: LossComponents): MaskStream {
  if (rl === null && ce === null && refKl === null) return { mask, weights: null }
  const trained = new Uint8Array(mask.length)
  const weights = new Float32Array(mask.length)
  let plain = true
  for (let i = 0; i < mask.length; i++) {
    const own = mask[i] === 1 ? sizeOf(rl === null ? 1 : rl[i]) : 0
    const weight = own + sizeOf(ce?.[i]) + sizeOf(refKl?.[i])
    trained[i] = weight > 0 ? 1 : mask[i] === 1 ? 0 : (mask[i] as number)
    weights[i] = weight
    if (weight !== 0 && weight !== 1) plain = false
  }
  return { mask: trained, weights: plain ? null : weights }
}

/** Tokens that another component trains and the policy gradient does not, which alone reads advantages: 1 on each; null where there is no other. */
function otherLossOf(mask: Uint8Array | null, { rl, ce, refKl }: LossComponents): Uint8Array | null {
  const others = ce ?? refKl
  if (others === null) return null
  return Uint8Array.from(others, (_, i) => {
    const own = mask?.[i] === 1 && sizeOf(rl === null ? 1 : rl[i]) > 0
    return !own && sizeOf(ce?.[i]) + sizeOf(refKl?.[i]) > 0 ? 1 : 0
  })
}

/** The advantages without the filler of 0.0 on the tokens of other components (`otherLossOf`), and those tokens. */
export function creditOf(
  advantages: Float32Array | null,
  mask: Uint8Array | null,
  components: LossComponents,
): Pick<Trajectory, 'advantages' | 'noneDue'> {
  const others = otherLossOf(mask, components)
  for (let i = others?.indexOf(1) ?? -1; i >= 0; i = others?.indexOf(1, i + 1) ?? -1) {
    if (advantages !== null) advantages[i] = Number.NaN
  }
  return { advantages, noneDue: { trainer: null, advantages: others } }
}

function sizeOf(weight: number | undefined): number {
  return weight === undefined || Number.isNaN(weight) ? 0 : Math.abs(weight)
}

/** A stream of floats, null where the writer only filled it up. */
export function ownFloats(arrays: SequenceArrays, name: string, value: JsonValue, filler: number): Float32Array | null {
  return value !== null && isFilled(value, filler) ? null : arrays.floats(name, value)
}

/** The value that all of a stream's numbers have, NaN aside; null where they differ or there is none. */
export function common(values: ArrayLike<number> | null): number | null {
  let found: number | null = null
  for (let i = 0; i < (values?.length ?? 0); i++) {
    const value = values?.[i] as number
    if (Number.isNaN(value)) continue
    if (found !== null && value !== found) return null
    found = value
  }
  return found
}

/**
 * What a row without its graph still shows of one: replies that were sampled, and are masked before the turn that is trained first. The
 * trainer writes them where an earlier branch of the rollout trains them (src/prime_rl/orchestrator/trajectories.py,
 * `iter_trainable_branches`); in this row they are context. Null for rows without such replies: what is masked at the start of the very
 * reply that is trained is no other branch's.
 */
export function earlierBranch(
  ids: Int32Array,
  mask: Uint8Array | null,
  sampler: Float32Array | null,
): { readonly sampled: Uint8Array; readonly promptLength: number } | null {
  const trained = mask?.indexOf(1) ?? -1
  if (sampler === null || trained < 0) return null
  const opened = lastOpener(ids, sampler, trained)
  if (!sampler.subarray(0, opened).some(isScore)) return null
  let own = opened
  while (own < trained && !isScore(sampler[own] as number)) own++
  // A score of 0.0 may be the filler of what nobody sampled.
  const sampled = Uint8Array.from(sampler, (score, i) => (i < own ? 0 : isScore(score) ? 1 : UNKNOWN))
  return { sampled, promptLength: own }
}

/**
 * Where the last turn before `end` opens, by the id that opens the row (or stands behind its BOS); `end` where none opens. An id that stands
 * among what was sampled opens no turn: of a row without turns the first id is any word.
 */
function lastOpener(ids: Int32Array, sampler: Float32Array, end: number): number {
  const isSampled = (at: number) => isScore(sampler[at] as number)
  for (const opener of ids.subarray(0, 2)) {
    for (let last = end - 1; last > 1; last--) {
      if (ids[last] !== opener || isSampled(last) || (isSampled(last - 1) && isSampled(last + 1))) continue
      return last
    }
  }
  return end
}

function isScore(logprob: number): boolean {
  return logprob !== 0 && !Number.isNaN(logprob)
}

/**
 * The rollouts of the orchestrator are found again by their tokens in what the trainer wrote of them: nothing else is the same in
 * both. What evaluates a run is not trained, whatever it says.
 */
export function byTokens(adds: boolean): FormatJoin {
  return joinByTokens('token ids', adds)
}

/** The same of batches and of what the trainer exports after them, where the rollouts themselves were not kept. */
export function batchByTokens(adds: boolean): FormatJoin {
  return joinByTokens('token ids of a batch', adds)
}

function joinByTokens(on: string, adds: boolean): FormatJoin {
  return {
    kind: 'rollouts',
    on,
    adds: () => adds,
    key: (trajectory) => {
      const ids = ownIds(trajectory)
      return ids === null || trajectory.meta.kind === 'eval' ? null : new Hash64().words(ids).digest()
    },
    // As the reader of batches marks them: a rank may hold the copy, and another the row that is trained.
    fills: ({ meta }) => meta.filler === true,
  }
}
