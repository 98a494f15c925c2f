import type { Segmentation, Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { samplerArray } from './provenance-oracle.ts'

/** Zeros that are no chance: a prompt that an engine scores has other numbers among as many tokens. */
const LEAST_ZEROS = 20

const known = new OfLast<Segmentation, boolean>()

/**
 * Whether the end of a turn has a logprob of its own where no format says what unsampled tokens are filled with: the sampler's array is 0.0 on every token
 * outside of the words of the model, as who fills it up writes it, and not on this one. A number on what only a framework wrote would be another 0.0.
 */
export function hasOwnLogprob(view: TrajectoryView, { endToken }: Turn): boolean {
  const { provenance, segmentation, trajectory } = view
  const logprob = trajectory.logprobs.sampler?.[endToken] ?? 0
  if (provenance !== null || segmentation === null || logprob >= 0) return false
  let isFilled = known.get(segmentation)
  if (isFilled === undefined) known.set(segmentation, (isFilled = isFilledWithZero(view, segmentation)))
  return isFilled
}

function isFilledWithZero({ trajectory }: TrajectoryView, { turns }: Segmentation): boolean {
  const { sampler } = trajectory.logprobs
  const stored = samplerArray(trajectory)
  if (sampler === null || (stored !== undefined && stored.length !== stored.expected)) return false
  let zeros = 0
  // An array that lies a token late has a 0.0 on the first word of every turn, and on the end the number of the last word.
  let beginsInPlace = false
  for (const { kind, start, end, contentStart, endToken } of turns) {
    const isAnswer = kind === 'assistant'
    const from = isAnswer ? contentStart : end
    const behind = isAnswer && endToken >= 0 ? endToken + 1 : end
    for (let i = start; i < from; i++) if (sampler[i] !== 0) return false
    for (let i = behind; i < end; i++) if (sampler[i] !== 0) return false
    zeros += from - start + end - behind
    if (isAnswer && contentStart < end && (sampler[contentStart] as number) < 0) beginsInPlace = true
  }
  return beginsInPlace && zeros >= LEAST_ZEROS
}
