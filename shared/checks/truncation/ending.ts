import type { LimitInForce, LimitName } from '../../model/streams.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Span } from '../../model/tokens.ts'
import type { AuditSettings, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { completionLength, isCutReason } from '../limits/limits.ts'
import { isLengthStop, isModelStop } from '../oracles/end-reason.ts'
import { LONGEST_PREFILL } from '../oracles/prompt-end.ts'

/**
 * How the last assistant turn of a row ended.
 * - `closed`: with its end token.
 * - `stopped`: without one, and the dump says that it stopped by itself (a stop string that the writer left out).
 * - `cut`: without one, and something says that a limit ended it.
 * - `open`: without one, and nothing in the row says why; only its neighbours may tell.
 * - null: no assistant turn ends the row, or its turns are not known.
 */
export type Ending = 'closed' | 'stopped' | 'cut' | 'open' | null

/** The limits by which the end of a row is judged. */
export interface LimitsAtEnd {
  /** In tokens, beside those of the row; absent or null where not known. */
  readonly values: Partial<Record<LimitName, number | null>>
  /** What a limit of completions counts: each turn, or all that follows the prompt. Null before all rows are read, which tell. */
  readonly per: NonNullable<LimitInForce['per']> | null
}

export const NO_LIMITS: LimitsAtEnd = { values: {}, per: null }

/** What is known while rows are read. */
export function limitsSoFar({ limits }: Pick<AuditSettings, 'limits'>): LimitsAtEnd {
  return { values: limits, per: null }
}

/** What is known once all rows are. */
export function limitsOfRun({ limits, limitsByRollout }: Pick<DumpView, 'limits' | 'limitsByRollout'>): LimitsAtEnd {
  const values = Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit?.value ?? null]))
  const completion = limits.max_completion_length ?? limitsByRollout?.max_completion_length?.[0]
  return { values, per: completion?.per ?? 'completion' }
}

export function endingOf(facts: TrajectoryFacts, limits: LimitsAtEnd, thresholds: Thresholds): Ending {
  if (facts.endReason === 'stop') return 'closed'
  if (!endsInAnswer(facts)) return null
  if (facts.isTruncated === true || isLengthStop(facts.finishReason)) return 'cut'
  if (reachedLimit(facts, limits, thresholds) !== null) return 'cut'
  return isModelStop(facts.finishReason) ? 'stopped' : 'open'
}

/** Its end lies inside what the model wrote. */
export function endsInAnswer({ endReason }: Pick<TrajectoryFacts, 'endReason'>): boolean {
  return isCutReason(endReason) && endReason !== 'cut-reply'
}

/**
 * The limit that the end of a row reaches, within `near-limit-tokens`; null where none is known or reached. A rollout of several turns is held against a
 * limit of completions only where it is known to count them all: a few short turns together are easily as long as what one of them may take.
 */
export function reachedLimit(
  facts: TrajectoryFacts,
  { values, per }: LimitsAtEnd,
  thresholds: Thresholds,
): { readonly name: LimitName; readonly value: number } | null {
  const near = thresholds['near-limit-tokens']
  const limitOf = (name: LimitName) => values[name] ?? facts.limits?.[name] ?? null
  const whole = limitOf('max_seq_len')
  if (whole !== null && facts.realLength >= whole - near) return { name: 'max_seq_len', value: whole }
  const sampled = limitOf('max_completion_length')
  if (sampled === null) return null
  const reaches = (length: number) => length >= sampled - near && length <= sampled + LONGEST_PREFILL
  const isWhole = facts.promptLength !== null && (per === null ? facts.assistantTurns < 2 : per === 'completion')
  // No limit of its turns ended a row in a reply.
  const ofLast = facts.endReason === 'cut-reply' ? undefined : facts.assistantLengths.at(-1)
  const isReached = reaches(ofLast ?? Number.NaN) || (isWhole && reaches(completionLength(facts)))
  return isReached ? { name: 'max_completion_length', value: sampled } : null
}

/** Tokens of the last turn, which has no end token; of a rollout that is known by its facts alone. Null where a report of an older version does not tell. */
export function openTurnOf({ openEnd }: TrajectoryFacts): Span | null {
  return openEnd === undefined ? null : { start: openEnd[0], end: openEnd[1] }
}

/** Tokens that show how a turn ends. */
const TAIL = 24

export function tailOf({ start, end }: Span): Span {
  return { start: Math.max(start, end - TAIL), end }
}
