import type { Trajectory } from '../model/trajectory.ts'
import { NO_INTEGER, UNKNOWN } from './sequence.ts'

/** The ids of a rollout without the padding that its file declares: the same in files that pad and in those that do not. */
export function ownIds({ ids, padding }: Pick<Trajectory, 'ids' | 'padding'>): Int32Array | null {
  return ids === null || padding === null ? ids : ids.subarray(padding.left, ids.length - padding.right)
}

/** The streams of `added` on the tokens of `base`, which has the same ids in other padding; itself where that is the same. */
export function onTokensOf(base: Trajectory, added: Trajectory): Trajectory {
  const length = base.ids?.length ?? 0
  const from = { left: added.padding?.left ?? 0, right: added.padding?.right ?? 0 }
  const to = base.padding?.left ?? 0
  if (added.ids === null || (added.ids.length === length && from.left === to)) return added
  const placed = <Values extends Uint8Array | Int32Array | Float32Array>(values: Values | null, fill: number) => {
    if (values === null) return null
    const onto = new (values.constructor as new (length: number) => Values)(length).fill(fill) as Values
    onto.set(values.subarray(from.left, values.length - from.right), to)
    return onto
  }
  return {
    ...added,
    ids: base.ids,
    mask: placed(added.mask, 0),
    weights: placed(added.weights, 0),
    sampled: placed(added.sampled, UNKNOWN),
    attentionMask: placed(added.attentionMask, 0),
    positionIds: placed(added.positionIds, NO_INTEGER),
    sequenceIds: placed(added.sequenceIds, NO_INTEGER),
    versions: placed(added.versions, NO_INTEGER),
    logprobs: {
      sampler: placed(added.logprobs.sampler, Number.NaN),
      trainer: placed(added.logprobs.trainer, Number.NaN),
      reference: placed(added.logprobs.reference, Number.NaN),
    },
    noneDue: { trainer: placed(added.noneDue.trainer, 0), advantages: placed(added.noneDue.advantages, 0) },
    entropy: placed(added.entropy, Number.NaN),
    kl: placed(added.kl, Number.NaN),
    advantages: placed(added.advantages, Number.NaN),
    padding: base.padding,
  }
}
