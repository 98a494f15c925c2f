import type { LimitName } from '../../model/streams.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import { isLengthStop, isModelStop } from '../end-reason.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { completionLength } from '../limits.ts'

/**
 * How the last assistant turn of a row ended.
 * - `closed`: with its end token.
 * - `stopped`: without one, and the dump says that it stopped by itself (a stop string that the writer left out).
 * - `cut`: without one, and something says that a limit ended it.
 * - `open`: without one, and nothing in the row says why; only its neighbours may tell.
 * - null: no assistant turn ends the row, or its turns are not known.
 */
export type Ending = 'closed' | 'stopped' | 'cut' | 'open' | null

/** @param limits limits in tokens that are known beside those of the row; absent or null where not. */
export function endingOf(
  facts: TrajectoryFacts,
  limits: Partial<Record<LimitName, number | null>>,
  thresholds: Thresholds,
): Ending {
  if (facts.endReason === 'stop') return 'closed'
  if (facts.endReason !== 'cut-prose' && facts.endReason !== 'cut-call') return null
  if (facts.isTruncated === true || isLengthStop(facts.finishReason)) return 'cut'
  if (reachedLimit(facts, limits, thresholds) !== null) return 'cut'
  return isModelStop(facts.finishReason) ? 'stopped' : 'open'
}

/** The limit that the end of a row reaches, within `near-limit-tokens`; null where none is known or reached. */
export function reachedLimit(
  facts: TrajectoryFacts,
  limits: Partial<Record<LimitName, number | null>>,
  thresholds: Thresholds,
): { readonly name: LimitName; readonly value: number } | null {
  const near = thresholds['near-limit-tokens']
  const limitOf = (name: LimitName) => limits[name] ?? facts.limits?.[name] ?? null
  const reaches = (length: number | null | undefined, value: number) =>
    length !== null && length !== undefined && length >= value - near
  const whole = limitOf('max_seq_len')
  if (whole !== null && reaches(facts.realLength, whole)) return { name: 'max_seq_len', value: whole }
  const completion = facts.promptLength === null ? null : completionLength(facts)
  const sampled = limitOf('max_completion_length')
  if (sampled !== null && (reaches(completion, sampled) || reaches(facts.assistantLengths.at(-1), sampled))) {
    return { name: 'max_completion_length', value: sampled }
  }
  return null
}
