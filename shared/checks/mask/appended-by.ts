import { Provenance, type Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { haveUnfitLogprobs } from '../layout/unfit-arrays.ts'
import { isPlaceholder, pairsOf } from '../logprobs/scored.ts'
import { edgeAfter, rowEnd, writtenTurns } from '../oracles/edges.ts'
import { saysCut } from '../oracles/end-reason.ts'
import { isExample } from '../oracles/prompt-end.ts'
import { hidesEdges, isSwallowed } from '../oracles/shape.ts'
import { storedResponse } from '../template/drift.ts'

/** A trained end token of which nothing but the trainer says that it was appended, and of which noise may say the same. */
export interface DeniedEnd {
  readonly token: number
  readonly id: number
  /** The trainer's logprob of it; the sampler's is exactly 0. */
  readonly trainer: number
  /** Index and ordinal of its turn, and the edge behind it. */
  readonly turn: number
  readonly ordinal: number
  readonly boundary: string
  /** Nothing of the row comes behind it. */
  readonly endsRow: boolean
}

/** Of a rollout with just one such end, and no other that was appended. A framework that closes several turns of a rollout is no noise. */
export function deniedEndFact(view: TrajectoryView): Pick<TrajectoryFacts, 'deniedEnd'> | null {
  const { segmentation, trajectory, ids } = view
  if (segmentation === null || trajectory.sampled !== null) return null
  const pairs = pairsOf(view)
  if (pairs === null || pairs.placeholders.length === 0 || pairs.tokens.length === 0 || hidesEdges(view)) return null
  let found: Turn | null = null
  for (const turn of writtenTurns(segmentation)) {
    const proof = isAsked(view, turn) ? appendedBy(view, turn.endToken) : null
    if (proof === null) continue
    if (found !== null || !proof.byTrainer) return null
    found = turn
  }
  if (found === null) return null
  const { endToken: token, index, ordinal } = found
  const boundary = edgeAfter(segmentation, found)
  const trainer = pairs.trainer[token] as number
  return {
    deniedEnd: {
      token,
      id: ids[token] as number,
      trainer,
      turn: index,
      ordinal,
      boundary,
      endsRow: token >= rowEnd(view),
    },
  }
}

/** Of a rollout that is said to be cut and ends with an end token: the model did not write that one. */
export function appendedEndFact(view: TrajectoryView): Pick<TrajectoryFacts, 'appendedEnd'> | null {
  const { facts, segmentation } = view
  if (segmentation === null || facts.endReason !== 'stop' || !saysCut(facts)) return null
  const at = writtenTurns(segmentation).at(-1)?.endToken ?? -1
  return at >= 0 && appendedBy(view, at) !== null ? { appendedEnd: true } : null
}

/** Whether the end of a turn is trained, and may have been sampled. */
export function isAsked(view: TrajectoryView, turn: Turn): boolean {
  if (turn.endToken < 0 || view.mask?.[turn.endToken] !== 1 || isSwallowed(view, turn)) return false
  // A turn of which nothing was sampled is no turn that a framework closed: an example that is trained is M01.
  if (isExample(view, turn)) return false
  const { sampled } = view.trajectory
  return sampled === null || sampled[turn.contentEnd - 1] === 1
}

/** What says that a token was not sampled. */
interface Proof {
  readonly says: string
  /** It is a 0 of the sampler that the trainer denies, and nothing else. */
  readonly byTrainer?: true
}

/** What says that the token at `at` was not sampled; null where nothing does, or one witness alone that can be wrong. */
export function appendedBy(view: TrajectoryView, at: number): Proof | null {
  const { sampled, logprobs } = view.trajectory
  if (sampled !== null) return sampled[at] === 0 ? { says: 'the dump flags it as not sampled' } : null
  if (haveUnfitLogprobs(view.trajectory)) return null
  const stored = storedResponse(view.trajectory)
  if (stored !== null && logprobs.sampler?.[at] === 0 && endsBefore(view.ids, at, stored.ids)) {
    return { says: `its sampler logprob is exactly 0, and ${stored.name} ends before it` }
  }
  const trainer = logprobs.trainer?.[at] ?? Number.NaN
  // A trainer that disagrees all over the row is no witness for one of its tokens.
  const pairs = pairsOf(view)
  if (!(trainer < view.thresholds['contradicts-zero']) || pairs?.trainerIsOff) return null
  if (logprobs.sampler?.[at] === 0) {
    // Where the words before it have none either, it is not the end that was appended (L05).
    if (pairs === null || pairs.onlyFillers || !isPlaceholder(pairs, at) || isPlaceholder(pairs, at - 1)) return null
    return { says: denial(trainer), byTrainer: true }
  }
  if (view.provenance?.[at] !== Provenance.notSampled) return null
  return { says: `the sampler has no logprob for it, the trainer's is ${trainer.toFixed(2)}` }
}

export function denial(trainer: number): string {
  return `its sampler logprob is exactly 0, the trainer's ${trainer.toFixed(2)}`
}

/** The stored ids are those of the sequence up to the token at `at`, which they do not have. */
function endsBefore(ids: Int32Array, at: number, stored: Int32Array): boolean {
  const start = at - stored.length
  return start >= 0 && stored.every((id, i) => ids[start + i] === id)
}
