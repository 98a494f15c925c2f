import { LIMIT_NAMES, type LimitInForce, type Limits } from '../model/streams.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import type { AuditSettings, DumpView } from './check.ts'
import type { TrajectoryFacts } from './facts.ts'

/** The limits in force, each with where it is known from: `DumpView.limits`, and the report's `limits`. */
export type ResolvedLimits = DumpView['limits']

/**
 * Given by the person > written in the dump > inferred from pile-ups.
 *
 * Inferred are `max_seq_len` and `max_completion_length` only, and only from rows whose last turn is not closed and that end at
 * exactly one length which no other row exceeds. Prompt lengths are never inferred (the rows of a group share a prompt, and
 * templates make equal lengths), nor are turns. `max_tool_response_length` is inferred from replies that are known to be cut (C08).
 * Each says what it counts, as far as the rows tell.
 *
 * @param metadata limits that the dump's own records declare
 */
export function resolveLimits(
  { options, thresholds }: Pick<AuditSettings, 'options' | 'thresholds'>,
  metadata: Partial<Limits>,
  facts: readonly TrajectoryFacts[],
): ResolvedLimits {
  const limits = Object.fromEntries(LIMIT_NAMES.map((name) => [name, null])) as ResolvedLimits
  for (const name of LIMIT_NAMES) {
    const given = options.limits?.[name] ?? null
    const declared = metadata[name] ?? null
    if (given !== null) limits[name] = { value: given, origin: 'given' }
    else if (declared !== null) limits[name] = { value: declared, origin: 'metadata' }
  }
  limits.max_tool_response_length = withUnit(limits.max_tool_response_length, replyLimit(facts, thresholds))
  const completions = limits.max_completion_length
  if (completions !== null) {
    completions.per = isExceeded(facts, completions.value) ? 'turn' : 'completion'
    if (limits.max_seq_len !== null) return limits
  }
  // What a known limit ended is explained already; only the other rows can show a second one.
  const near = thresholds['near-limit-tokens']
  // Texts have no length in tokens, and what a template makes of them is none that a limit counted.
  const counted = facts.filter(({ realLength, reconstructed }) => realLength > 0 && !reconstructed)
  const unexplained = counted.filter((row) => !reachesKnown(row, limits, near))
  const inferred = inferFromPileUps(unexplained, thresholds)
  if (inferred === null || limits[inferred.name] !== null) return limits
  const { name, value, per } = inferred
  limits[name] = {
    value,
    origin: 'inferred',
    ...(per === undefined ? {} : { per: isExceeded(facts, value) ? 'turn' : per }),
  }
  return limits
}

/** A rollout that goes on beyond a completion limit proves that it holds for each turn; one whose prompt is not known can tell nothing else. */
function isExceeded(facts: readonly TrajectoryFacts[], limit: number): boolean {
  return facts.some((row) => row.idsHash !== null && (row.promptLength === null || completionLength(row) > limit))
}

/** Cut replies tell what a limit that is known counts, and where none is known, the limit. */
function withUnit(known: LimitInForce | null, seen: Pick<LimitInForce, 'value' | 'unit'> | null): LimitInForce | null {
  if (known === null) return seen === null ? null : { ...seen, origin: 'inferred' }
  if (seen?.value === known.value) return { ...known, ...seen }
  return known.origin === 'given' ? { ...known, unit: 'tokens' } : known
}

function reachesKnown(
  row: TrajectoryFacts,
  { max_seq_len, max_completion_length }: ResolvedLimits,
  near: number,
): boolean {
  const reaches = (length: number | undefined, limit: ResolvedLimits['max_seq_len']) =>
    length !== undefined && limit !== null && length >= limit.value - near
  return (
    reaches(row.realLength, max_seq_len) ||
    reaches(row.assistantLengths.at(-1), max_completion_length) ||
    reaches(row.promptLength === null ? undefined : completionLength(row), max_completion_length)
  )
}

/**
 * The length that most cut replies have, in characters (as verl counts, 256 by default) or else in tokens; null where they are few or
 * agree in neither. An odd limit that is cut in the middle leaves one character less than it allows.
 */
function replyLimit(
  facts: readonly TrajectoryFacts[],
  thresholds: Thresholds,
): Required<Pick<LimitInForce, 'value' | 'unit'>> | null {
  const least = thresholds['pile-up-rollouts']
  const cut = facts.flatMap(({ cutReplies }) => cutReplies ?? [])
  if (cut.length < least) return null
  for (const unit of ['characters', 'tokens'] as const) {
    const counts = new Map<number, number>()
    for (const reply of cut) counts.set(reply[unit], (counts.get(reply[unit]) ?? 0) + 1)
    const [value, rows] = [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))
    if (rows >= least && rows * 2 > cut.length) return { value, unit }
  }
  return null
}

interface PileUp {
  readonly value: number
  readonly rows: number
}

function inferFromPileUps(
  facts: readonly TrajectoryFacts[],
  thresholds: Thresholds,
): { name: 'max_seq_len' | 'max_completion_length'; value: number; per?: 'turn' | 'completion' } | null {
  const sequence = pileUp(facts, thresholds, (row) => row.realLength)
  const completion = pileUp(facts, thresholds, (row) => (row.promptLength === null ? null : completionLength(row)))
  const turn = pileUp(facts, thresholds, (row) => row.assistantLengths.at(-1) ?? null)
  // Where prompts are equally long both pile up alike; a limit on new tokens is by far the more usual one.
  const isWhole = (completion?.rows ?? 0) >= (turn?.rows ?? 0)
  const found = isWhole ? completion : turn
  if (found !== null && found.rows >= (sequence?.rows ?? 0)) {
    return { name: 'max_completion_length', value: found.value, per: isWhole ? 'completion' : 'turn' }
  }
  return sequence === null ? null : { name: 'max_seq_len', value: sequence.value }
}

/** The greatest length, if enough rows without an end token share it and no closed row does. */
function pileUp(
  facts: readonly TrajectoryFacts[],
  thresholds: Thresholds,
  lengthOf: (row: TrajectoryFacts) => number | null,
): PileUp | null {
  let value = -1
  let rows = 0
  let closed = 0
  let measured = 0
  for (const row of facts) {
    const length = lengthOf(row)
    if (length === null || row.endReason === 'unknown' || row.endReason === 'prompt-only') continue
    measured++
    if (length > value) {
      value = length
      rows = 0
      closed = 0
    }
    if (length !== value) continue
    if (isCut(row)) rows++
    else closed++
  }
  const enough = rows >= thresholds['pile-up-rollouts'] && rows >= thresholds['pile-up-share'] * measured
  return enough && rows > closed ? { value, rows } : null
}

/** Tokens after the prompt, padding excluded: the environment's as well as the model's. `promptLength` must be known. */
export function completionLength(row: TrajectoryFacts): number {
  return row.realLength - (row.promptLength as number)
}

/** The row ends where nothing closes it. */
export function isCut(row: TrajectoryFacts): boolean {
  return row.endReason === 'cut-prose' || row.endReason === 'cut-call' || row.endReason === 'cut-reply'
}
