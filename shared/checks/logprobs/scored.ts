import { partitionPoint } from '../../model/partition-point.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import { Expected, Provenance } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { haveUnfitLogprobs } from '../layout/unfit-arrays.ts'
import { OfLast } from '../of-last.ts'
import { LONGEST_PREFILL } from '../oracles/prompt-end.ts'
import { placeholdersAmong } from './placeholders.ts'

/** Trained tokens that the model wrote and that both the sampler and the trainer scored. */
export interface ScoredPairs {
  /** Token indices, ascending. */
  readonly tokens: Int32Array
  /** By token index, length S. */
  readonly sampler: Float32Array
  readonly trainer: Float32Array
  /** Trained tokens whose exact 0.0 the trainer contradicts, ascending. Neither they nor fillers beside them are among `tokens`. */
  readonly placeholders: readonly number[]
  /** Trained tokens that the sampler's logprob would hardly ever let it draw and that the trainer finds likely, ascending. None is among `tokens`. */
  readonly unlikely: readonly number[]
  /** The trainer contradicts so many other tokens that it cannot tell what was not sampled. */
  readonly trainerIsOff: boolean
  /** The sampler says 0.0 of every one of them, and the trainer contradicts it in mid-turn: nobody wrote any logprob. None is among `tokens` then. */
  readonly onlyFillers: boolean
  /** Trained tokens, ascending, of which the trainer says 0.0 of every one, and the sampler contradicts it: nobody filled the array. None is among `tokens`. */
  readonly unfilled: Int32Array
}

const NO_TOKENS = new Int32Array(0)

const cache = new OfLast<TrajectoryView, ScoredPairs | null>()

/** The pairs of a view, gathered once for all checks; null where it lacks one of the two streams or the mask, or where they do not fit (S03). */
export function pairsOf(view: TrajectoryView): ScoredPairs | null {
  let pairs = cache.get(view)
  if (pairs === undefined) {
    pairs = gather(view)
    cache.set(view, pairs)
  }
  return pairs
}

/** Whether the trainer contradicts the exact 0.0 of a token. A row may have as many of them as tokens, and be asked at every turn. */
export function isPlaceholder({ placeholders }: ScoredPairs, token: number): boolean {
  return placeholders[partitionPoint(placeholders.length, (i) => (placeholders[i] as number) < token)] === token
}

/** Between which numbers a logprob lies. */
export interface LogprobBounds {
  readonly most: number
  readonly least: number
}

export function logprobBounds(thresholds: Thresholds): LogprobBounds {
  return { most: thresholds['logprob-above-zero'], least: thresholds['least-logprob'] }
}

/** Neither a filler nor absent. */
export function isLogprob(value: number, { most, least }: LogprobBounds): boolean {
  return value <= most && value > least
}

/**
 * Trained tokens that nothing in the dump denies to be sampled. A trained token that was not sampled has no logprob worth
 * comparing: that it is trained is the fault, and another check's.
 */
export function isTrainedSample(view: TrajectoryView, token: number): boolean {
  return view.mask !== null && view.mask[token] === 1 && isWritten(view, token)
}

/** Whether the dump says that the model wrote a token, or says nothing and the structure of the turns does not deny it. */
export function isWritten({ provenance, expectedRl }: TrajectoryView, token: number): boolean {
  if (provenance !== null) {
    const told = provenance[token]
    if (told === Provenance.notSampled) return false
    if (told === Provenance.sampled) return true
  }
  return expectedRl === null || expectedRl[token] !== Expected.masked
}

function gather(view: TrajectoryView): ScoredPairs | null {
  const { sampler, trainer } = view.trajectory.logprobs
  const { mask, thresholds } = view
  if (sampler === null || trainer === null || mask === null || haveUnfitLogprobs(view.trajectory)) return null
  const bounds = logprobBounds(thresholds)
  const { 'contradicts-zero': contradicts, 'trainer-is-off': off } = thresholds
  const { 'never-drawn': neverDrawn, 'contradicts-never-drawn': likely } = thresholds
  const tokens = new Int32Array(sampler.length)
  let count = 0
  let certain = 0
  let zeros = 0
  let otherTokens = 0
  let otherOff = 0
  let trainerNumbers = 0
  const unlikely: number[] = []
  for (let i = 0; i < sampler.length; i++) {
    // Most tokens of a row are not trained: this comes first.
    if (mask[i] !== 1) continue
    const own = sampler[i] as number
    const other = trainer[i] as number
    if (!isLogprob(own, bounds) || !isLogprob(other, bounds) || !isTrainedSample(view, i)) continue
    tokens[count++] = i
    if (other !== 0) trainerNumbers++
    if (own < neverDrawn && other > likely) unlikely.push(i)
    else if (own !== 0) {
      otherTokens++
      if (Math.abs(own - other) > -contradicts) otherOff++
    } else {
      certain++
      if (other < contradicts) zeros++
    }
  }
  // In a fat tail zeros lie as often as the rest: a placeholder shows by lying there more often.
  const asOften = otherOff > 0 && zeros * otherTokens <= view.thresholds['zeros-beside-others'] * otherOff * certain
  const isOff = otherOff > off * otherTokens
  const trainerIsOff = isOff || asOften
  // Where it contradicts many others as well, the two arrays are not of the same tokens.
  if (isOff) unlikely.length = 0
  const scored = tokens.subarray(0, count)
  const none = { tokens: NO_TOKENS, sampler, trainer, placeholders: [], unlikely, trainerIsOff, onlyFillers: false }
  // A run of certain tokens is short, and the sampler is certain of them as well.
  if (trainerNumbers === 0 && otherOff > 0 && count >= thresholds['scored-tokens'])
    return { ...none, unlikely: [], unfilled: scored }
  const all = unlikely.length === 0 ? scored : without(scored, unlikely)
  if (zeros === 0 || trainerIsOff) return { ...none, tokens: all, unfilled: NO_TOKENS }
  const { contradicted, leftOut } = placeholdersAmong({ tokens: all, sampler, trainer, ids: view.ids }, thresholds)
  const onlyFillers = otherTokens === 0 && contradicted.some((token) => isInMidTurn(mask, token))
  const left = onlyFillers ? NO_TOKENS : all.filter((token) => !leftOut.has(token))
  return { ...none, tokens: left, placeholders: contradicted, onlyFillers, unfilled: NO_TOKENS }
}

function without(tokens: Int32Array, others: readonly number[]): Int32Array {
  const left = new Set(others)
  return tokens.filter((token) => !left.has(token))
}

/** Neither what a generation prompt may have begun the trained run with, nor the end token that may have been appended to it. */
function isInMidTurn(mask: Uint8Array, token: number): boolean {
  const from = token - LONGEST_PREFILL
  return from >= 0 && mask[token + 1] === 1 && mask.subarray(from, token).every((flag) => flag === 1)
}
