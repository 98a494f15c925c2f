import { counted } from '../../model/number-text.ts'
import type { DumpFault, TrajectoryView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { haveUnfitLogprobs } from '../layout/unfit-arrays.ts'
import { isLogprob, isTrainedSample, logprobBounds } from './scored.ts'

/** Numbers of the KL term that are none, on trained tokens that the model wrote and the trainer scored. */
export interface BrokenKl {
  /** The KL itself is infinite, or the reference's logprob is none: infinite, or so low that it is a filler. */
  readonly of: 'kl' | 'reference'
  /** The first of them, as text (`Infinity`), and where it stands. */
  readonly value: string
  readonly token: number
  /** How many there are. */
  readonly tokens: number
}

/** Null where all are numbers, or none is there. NaN is what an array holds where nothing was computed, and proves nothing. */
export function brokenKl(view: TrajectoryView): BrokenKl | null {
  const { logprobs, kl } = view.trajectory
  const { trainer, reference } = logprobs
  if (trainer === null || view.mask === null || haveUnfitLogprobs(view.trajectory)) return null
  const ofKl = kl === null ? null : among(view, trainer, kl, (value) => Math.abs(value) === Number.POSITIVE_INFINITY)
  if (ofKl !== null) return { of: 'kl', ...ofKl }
  const bounds = logprobBounds(view.thresholds)
  const isFiller = (value: number) => value <= bounds.least || value === Number.POSITIVE_INFINITY
  const ofReference = reference === null ? null : among(view, trainer, reference, isFiller)
  return ofReference === null ? null : { of: 'reference', ...ofReference }
}

function among(
  view: TrajectoryView,
  trainer: Float32Array,
  values: ArrayLike<number>,
  isBroken: (value: number) => boolean,
): Omit<BrokenKl, 'of'> | null {
  const bounds = logprobBounds(view.thresholds)
  let [first, tokens] = [-1, 0]
  for (let i = 0; i < trainer.length; i++) {
    if (!isBroken(values[i] as number) || !isLogprob(trainer[i] as number, bounds) || !isTrainedSample(view, i))
      continue
    if (first < 0) first = i
    tokens++
  }
  return first < 0 ? null : { value: String(values[first]), token: first, tokens }
}

export function faultOfBroken(member: TrajectoryFacts, { of, value, token, tokens }: BrokenKl): DumpFault {
  const what =
    of === 'kl'
      ? `The stored KL is ${value} at token ${token}`
      : `The reference's logprob of token ${token} is ${value}, which is none`
  return {
    member,
    scope: 'tokens',
    // A loss that has one of them is itself infinite; a filler may have been left out where the KL was computed.
    ...(of === 'kl' ? { severity: 'error' as const } : {}),
    tokens: { start: token, end: token + 1 },
    affectedTokens: tokens,
    message: `${what}; ${of === 'kl' ? 'one such number makes the loss of the whole batch infinite' : 'no KL can be computed of it'} (${counted(tokens, 'trained token')} of the rollout)`,
    evidence: { of, value, token, tokens },
  }
}
