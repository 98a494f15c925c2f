import { type Steps, within } from '../../model/steps.ts'
import {
  LIMIT_NAMES,
  type LimitInForce,
  type LimitName,
  type Limits,
  type LimitsByRollout,
  type LimitsLeftOut,
} from '../../model/streams.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { AuditSettings, DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { EndReason, TrajectoryFacts } from '../facts/facts.ts'
import { isLengthStop } from '../oracles/end-reason.ts'
import { LONGEST_PREFILL } from '../oracles/prompt-end.ts'
import { replyPile } from '../truncation/reply-pile.ts'
import { ENDS, pileUp, type RowEnds } from './pile-up.ts'

/** The limits in force, each with where it is known from: `DumpView.limits`, and the report's `limits`. */
export type ResolvedLimits = DumpView['limits']

/** What rollouts declare, as `DumpView` and the report have it. */
interface DeclaredLimits {
  /** Of which all that declare any have one value. */
  readonly limits: Partial<Limits>
  /** Of which they have several (runs of two settings in one folder, a limit that was raised on the way); null where there are none. */
  readonly byRollout: LimitsByRollout | null
  /** What `byRollout` does not list; null where it lists all. */
  readonly leftOut: LimitsLeftOut | null
}

/**
 * What the rollouts declare. What a person gives stands for all.
 *
 * @param given limits that a person gave
 * @param unfounded what rollouts name that is no limit (`filledWidths`)
 */
export function* gatheringLimits(
  given: Partial<Limits>,
  facts: readonly TrajectoryFacts[],
  unfounded: ReadonlySet<LimitName> = new Set(),
): Steps<DeclaredLimits> {
  const limits: Partial<Limits> = {}
  const byRollout: LimitsByRollout = {}
  const leftOut: LimitsLeftOut = {}
  const columns = new FactColumns(facts)
  const names = columns.names('limits')
  for (const [at, name] of LIMIT_NAMES.entries()) {
    if ((given[name] ?? null) !== null || !names.has(name) || unfounded.has(name)) continue
    yield at / LIMIT_NAMES.length
    const declared = columns.numbers('limits', name)
    const rollouts = countValues(declared)
    if (rollouts.size <= 1) {
      for (const value of rollouts.keys()) limits[name] = value
      continue
    }
    yield (at + 0.5) / LIMIT_NAMES.length
    // One for all values: of a budget that few rollouts have, these few seldom show what it counts.
    const per =
      name === 'max_completion_length'
        ? isExceeded(facts, (row) => declared[row] as number)
          ? 'turn'
          : 'completion'
        : null
    const common = [...rollouts].sort(([, a], [, b]) => b - a)
    byRollout[name] = common
      .slice(0, MOST_VALUES)
      .sort(([a], [b]) => a - b)
      .map(([value, those]) => ({ value, rollouts: those, ...(per === null ? {} : { per }) }))
    const others = common.slice(MOST_VALUES)
    if (others.length > 0) {
      leftOut[name] = { values: others.length, rollouts: others.reduce((sum, [, those]) => sum + those, 0) }
    }
  }
  return { limits, byRollout: orNull(byRollout), leftOut: orNull(leftOut) }
}

/** More values than these are not listed: they are no settings of a run, but each rollout's own budget. */
const MOST_VALUES = 32

/** How often each number occurs; NaN is none. */
function countValues(numbers: Float64Array): Map<number, number> {
  const counts = new Map<number, number>()
  for (let start = 0; start < numbers.length; ) {
    const value = numbers[start] as number
    if (Number.isNaN(value)) {
      start++
      continue
    }
    let end = start + 1
    // Neighbours mostly have one value.
    while (end < numbers.length && numbers[end] === value) end++
    counts.set(value, (counts.get(value) ?? 0) + end - start)
    start = end
  }
  return counts
}

function orNull<Found extends object>(found: Found): Found | null {
  return Object.keys(found).length === 0 ? null : found
}

/**
 * The limit that a rollout is judged by: that of the run, else, where rollouts declare several, its own; null where there is none.
 */
export function limitOfRow(
  name: LimitName,
  { limits, limitsByRollout }: Pick<DumpView, 'limits' | 'limitsByRollout'>,
  row: Pick<TrajectoryFacts, 'limits'>,
): number | null {
  return limits[name]?.value ?? (limitsByRollout?.[name] === undefined ? null : (row.limits?.[name] ?? null))
}

/**
 * Given by the person > written in the dump > inferred from pile-ups.
 *
 * Inferred are `max_seq_len` and `max_completion_length` only, and only from rows whose last turn is not closed and that end at
 * exactly one length which no other row exceeds. Prompt lengths are never inferred (the rows of a group share a prompt, and
 * templates make equal lengths), nor are turns. `max_tool_response_length` is inferred from replies that are known to be cut (C08), or, where
 * none is, from the length at which replies end or begin in mid-sentence, or that none exceeds.
 * Each says what it counts, as far as the rows tell.
 *
 * @param metadata limits that the dump's own records declare
 */
export function* resolvingLimits(
  { options, thresholds }: Pick<AuditSettings, 'options' | 'thresholds'>,
  metadata: Partial<Limits>,
  facts: readonly TrajectoryFacts[],
  byRollout: LimitsByRollout | null = null,
): Steps<ResolvedLimits> {
  const limits = Object.fromEntries(LIMIT_NAMES.map((name) => [name, null])) as ResolvedLimits
  for (const name of LIMIT_NAMES) {
    const given = options.limits?.[name] ?? null
    const declared = metadata[name] ?? null
    if (given !== null) limits[name] = { value: given, origin: 'given' }
    else if (declared !== null) limits[name] = { value: declared, origin: 'metadata' }
  }
  if (byRollout?.max_tool_response_length === undefined) {
    limits.max_tool_response_length = withUnit(limits.max_tool_response_length, replyLimit(facts, thresholds))
  }
  yield 0.2
  const completions = limits.max_completion_length
  if (completions !== null) {
    completions.per = isExceeded(facts, () => completions.value) ? 'turn' : 'completion'
    if (limits.max_seq_len !== null) return limits
  }
  yield 0.3
  const lengths = yield* within(0.3, 0.7, measuringLengths(facts))
  // What a known limit ended is explained already; only the other rows can show a second one.
  const open = unexplained(
    lengths,
    facts,
    { limits, ...(byRollout === null ? {} : { limitsByRollout: byRollout }) },
    thresholds,
  )
  const inferred = yield* within(0.7, 0.9, inferringFromPileUps(open, thresholds))
  if (inferred === null || limits[inferred.name] !== null || byRollout?.[inferred.name] !== undefined) return limits
  const { name, value, per } = inferred
  limits[name] = {
    value,
    origin: 'inferred',
    ...(per === undefined ? {} : { per: isExceeded(facts, () => value) ? 'turn' : per }),
  }
  return limits
}

/**
 * A rollout that goes on beyond a completion limit, while none of its turns does, proves that it holds for each turn; where no prompt is
 * known, nothing else can be told. By as much as a prefill may be long a rollout proves nothing: where no prompt length is stored, a
 * prefill counts as completion. Nor does one without a turn that could be found, of which padding may be a part, unless all are so.
 *
 * @param limitOf of the rollout at this place, NaN where it has none and proves nothing
 */
function isExceeded(facts: readonly TrajectoryFacts[], limitOf: (row: number) => number): boolean {
  const columns = new FactColumns(facts)
  const hasIds = columns.present('idsHash')
  const lengths = columns.numbers('realLength')
  const prompts = columns.numbers('promptLength')
  let [rows, measured, longer] = [0, 0, 0]
  for (let i = 0; i < hasIds.length; i++) {
    const [length, prompt] = [lengths[i] as number, prompts[i] as number]
    const most = limitOf(i) + LONGEST_PREFILL
    if (hasIds[i] === 0 || !(length > 0) || Number.isNaN(most)) continue
    rows++
    if (Number.isNaN(prompt)) continue
    measured++
    if (length - prompt <= most) continue
    longer++
    const turns = facts[i]?.assistantLengths ?? []
    if (turns.length > 0 && turns.every((turn) => turn <= most)) return true
  }
  if (longer > 0) return !facts.some(({ assistantLengths }) => assistantLengths.length > 0)
  return rows > 0 && measured === 0
}

/** Cut replies tell what a limit that is known counts, and where none is known, the limit. */
function withUnit(known: LimitInForce | null, seen: Pick<LimitInForce, 'value' | 'unit'> | null): LimitInForce | null {
  if (known === null) return seen === null ? null : { ...seen, origin: 'inferred' }
  if (seen?.value === known.value) return { ...known, ...seen }
  return known.origin === 'given' ? { ...known, unit: 'tokens' } : known
}

/** How long each row is, whole and behind its prompt (NaN where that is not known), and how it ends. */
interface Lengths extends RowEnds {
  readonly sequence: Float64Array
  readonly completion: Float64Array
}

/** Of rows in tokens: texts have no length in them, and what a template makes of texts is none that a limit counted. */
function* measuringLengths(facts: readonly TrajectoryFacts[]): Steps<Lengths> {
  const columns = new FactColumns(facts)
  const sequence = columns.numbers('realLength')
  const prompts = columns.numbers('promptLength')
  yield 0.2
  const { offsets, values } = columns.lists('assistantLengths')
  yield 0.6
  const isReconstructed = columns.holds('reconstructed', (reconstructed) => reconstructed === true)
  const ends = columns.holds('endReason', isCutReason)
  const saidCut = columns.holds('isTruncated', (isTruncated) => isTruncated === true)
  columns.holds('finishReason', isLengthStop).forEach((isSaid, i) => {
    if (isSaid === 1) saidCut[i] = 1
  })
  const lastTokens = columns.numbers('lastToken')
  // A row that is said to have stopped and has no end token may be cut all the same: ending at one length with others tells.
  const isOpen = columns.holds('endsClosed', (closed) => closed === false)
  const endsInReply = columns.holds('endReason', (reason) => reason === 'cut-reply')
  const isUnknown = columns.holds('endReason', (reason) => reason === 'unknown' || reason === 'prompt-only')
  yield 0.8
  const completion = new Float64Array(sequence.length)
  const turn = new Float64Array(sequence.length)
  for (let i = 0; i < sequence.length; i++) {
    completion[i] = (sequence[i] as number) - (prompts[i] as number)
    const last = (offsets[i + 1] as number) - 1
    const isWritten = last >= (offsets[i] as number) && endsInReply[i] === 0
    turn[i] = isWritten ? (values[last] as number) : Number.NaN
    if (isOpen[i] === 1) ends[i] = ENDS.open
    if (isUnknown[i] === 1 || isReconstructed[i] === 1 || !((sequence[i] as number) > 0)) ends[i] = ENDS.unknown
  }
  return { sequence, completion, turn, ends, saidCut, lastTokens }
}

/** The same without rows that reach a known limit, which explains how they end. */
function unexplained(
  lengths: Lengths,
  facts: readonly TrajectoryFacts[],
  known: Pick<DumpView, 'limits' | 'limitsByRollout'>,
  thresholds: Thresholds,
): Lengths {
  const near = thresholds['near-limit-tokens']
  const from = (limit: number | null) => (limit === null ? Number.POSITIVE_INFINITY : limit - near)
  const ofRun = (name: LimitName) => from(known.limits[name]?.value ?? null)
  let [sequence, completion] = [ofRun('max_seq_len'), ofRun('max_completion_length')]
  const ends = lengths.ends.slice()
  for (let i = 0; i < ends.length; i++) {
    if (known.limitsByRollout !== undefined) {
      const row = facts[i] as TrajectoryFacts
      sequence = from(limitOfRow('max_seq_len', known, row))
      completion = from(limitOfRow('max_completion_length', known, row))
    }
    const reaches =
      (lengths.sequence[i] as number) >= sequence ||
      (lengths.turn[i] as number) >= completion ||
      (lengths.completion[i] as number) >= completion
    if (reaches) ends[i] = ENDS.unknown
  }
  return { ...lengths, ends }
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
  const cut: NonNullable<TrajectoryFacts['cutReplies']>[number][] = []
  const has = new FactColumns(facts).present('cutReplies')
  for (let i = has.indexOf(1); i >= 0; i = has.indexOf(1, i + 1)) cut.push(...(facts[i]?.cutReplies ?? []))
  if (cut.length === 0) {
    const pile = replyPile(facts, thresholds)
    return pile === null ? null : { value: pile.length, unit: pile.unit }
  }
  if (cut.length < least) return null
  for (const unit of ['characters', 'tokens'] as const) {
    const counts = new Map<number, number>()
    for (const reply of cut) counts.set(reply[unit], (counts.get(reply[unit]) ?? 0) + 1)
    const [value, rows] = [...counts].reduce((best, each) => (each[1] > best[1] ? each : best))
    if (rows >= least && rows * 2 > cut.length) return { value, unit }
  }
  return null
}

/** Rows without those that wrote too little to tell: behind prompts of one length they are all equally long. */
function withoutShort({ completion, ends, saidCut, lastTokens, turn }: Lengths, thresholds: Thresholds): RowEnds {
  const least = thresholds['pile-up-tokens']
  const isShort = (end: number, i: number) =>
    end === ENDS.open && (completion[i] as number) < least && saidCut[i] === 0 ? ENDS.unknown : end
  return { ends: ends.map(isShort), saidCut, lastTokens, turn }
}

function* inferringFromPileUps(
  lengths: Lengths,
  thresholds: Thresholds,
): Steps<{ name: 'max_seq_len' | 'max_completion_length'; value: number; per?: 'turn' | 'completion' } | null> {
  yield 0
  const sequence = pileUp(lengths.sequence, withoutShort(lengths, thresholds), thresholds)
  yield 0.3
  const completion = pileUp(lengths.completion, lengths, thresholds)
  yield 0.6
  const turn = pileUp(lengths.turn, lengths, thresholds)
  // Where prompts are equally long both pile up alike; a limit on new tokens is by far the more usual one.
  const isWhole = (completion?.rows ?? 0) >= (turn?.rows ?? 0)
  const found = isWhole ? completion : turn
  if (found !== null && found.rows >= (sequence?.rows ?? 0)) {
    return { name: 'max_completion_length', value: found.value, per: isWhole ? 'completion' : 'turn' }
  }
  return sequence === null ? null : { name: 'max_seq_len', value: sequence.value }
}

/** Tokens after the prompt, padding excluded: the environment's as well as the model's. `promptLength` must be known. */
export function completionLength(row: TrajectoryFacts): number {
  return row.realLength - (row.promptLength as number)
}

/** Tokens of all assistant turns, as far as the turns are known. */
export function sampledTokens({ assistantLengths }: TrajectoryFacts): number {
  return assistantLengths.reduce((sum, length) => sum + length, 0)
}

/** The row ends where nothing closes it. */
export function isCut({ endReason }: TrajectoryFacts): boolean {
  return isCutReason(endReason)
}

export function isCutReason(reason: EndReason): boolean {
  return reason === 'cut-prose' || reason === 'cut-call' || reason === 'cut-reply'
}
