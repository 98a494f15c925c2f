import type { TrajectoryView } from '../../checks/check.ts'
import type { EndReason } from '../../checks/facts/facts.ts'
import { isCutReason } from '../../checks/limits/limits.ts'
import { maskedWholeBecause } from '../../checks/mask/all-zero.ts'
import { ownSpans, writtenTurns } from '../../checks/oracles/edges.ts'
import { endReason } from '../../checks/oracles/end-reason.ts'
import { paddingOf } from '../../checks/oracles/padding.ts'
import { storedPromptEnd } from '../../checks/oracles/prompt-end.ts'
import { lostLengths } from '../../checks/texts/lost-tokens.ts'
import { passageOf, SearchedText } from '../../checks/texts/passages.ts'
import { Expected, PARTS, type Segmentation, type Span, TokenState, type Turn } from '../../model/tokens.ts'
import { tokenTexts } from '../../tokens/text.ts'

/**
 * Where in a rollout stands what a limit may cut and what the loss falls on. All positions are half-open and count from the first token
 * behind the left padding; pairs stand one after the other in one array.
 */
export interface RolloutAnatomy {
  /** Without padding. */
  readonly length: number
  /** Tokens before what the model wrote first; null where nothing tells. */
  readonly prompt: number | null
  /** Of the system turn, with the schema of the tools; null without one. */
  readonly system: readonly [number, number] | null
  /** Start, end and place among the assistant turns of each run that the model wrote: end tokens with it, replies spliced into a turn without. */
  readonly written: Int32Array
  /** Contents of tool replies. */
  readonly replies: Int32Array
  /** Start, end, and 1 for one that is marked as supporting, of each document of the record that stands in the ids. */
  readonly documents: Int32Array
  /** The model's last turn with its end token; null without one, and where the row breaks off in or before a reply, so that its answer never came. */
  readonly answer: readonly [number, number] | null
  /** The row was cut before its answer was whole, or before it came. */
  readonly answerLost: boolean
  /** What the messages go on with behind the end of a row that was cut; null where nothing is known of it. */
  readonly missing: MissingEnd | null
  /** Runs of trained tokens; null without a mask. */
  readonly trained: Int32Array | null
  /** Trained tokens by `PARTS`, and by the 1-based ordinal of the assistant turn (index 0: before the first). */
  readonly trainedByPart: readonly number[]
  readonly trainedByTurn: readonly number[]
  /** Tokens by `PARTS` that a repaired mask would train, and those it would not; null where there is no oracle, no mask, or the row is excluded. */
  readonly repair: {
    readonly toTrain: readonly number[]
    readonly toMask: readonly number[]
    /** Why the whole row was masked on purpose; null for every other row. */
    readonly maskedWhole: string | null
  } | null
  /** What keeps its mask from being repaired; null where nothing does. */
  readonly unrepairable: Unrepairable | null
}

/** A row without a mask, one whose turns are not known, and one that its source leaves out of the training: the first of these that holds. */
export type Unrepairable = 'no-mask' | 'no-turns' | 'excluded'

/** Texts are encoded as the messages have them; headers and end tokens are taken to be as long as those of the row. */
export interface MissingEnd {
  /** Tokens, with the headers and ends of turns. */
  readonly tokens: number
  /** Of the turns that are missing or broken off: the longest of the model with its end token, and the longest reply; 0 without one. */
  readonly longestTurn: number
  readonly longestReply: number
}

export function anatomyOf(view: TrajectoryView): RolloutAnatomy {
  const { segmentation, trajectory, states, mask, thresholds } = view
  const padding = paddingOf({ segmentation, trajectory })
  const { left } = padding
  const turns = segmentation?.turns ?? []
  const place = ({ start, end }: Span): [number, number] => [start - left, end - left]
  const first = turns.find(({ kind }) => kind === 'assistant')
  const stored = storedPromptEnd(trajectory, segmentation, padding)
  const prompt = first?.contentStart ?? stored
  const system = turns[0]?.kind === 'system' ? turns[0] : null
  const end = endReason(trajectory, segmentation, view)
  const answer =
    end === 'cut-reply'
      ? undefined
      : turns.findLast((turn) => turn.kind === 'assistant' && turn.contentEnd > turn.contentStart)
  const environment = turns.flatMap(environmentSpans)
  return {
    length: states.length - left - padding.right,
    prompt: prompt === null ? null : Math.max(0, prompt - left),
    system: system === null ? null : place(system),
    written: Int32Array.from(
      segmentation === null
        ? []
        : writtenTurns(segmentation).flatMap((turn, at) =>
            ownSpans(turn).flatMap((span) => (span.end > span.start ? [...place(span), at] : [])),
          ),
    ),
    replies: Int32Array.from(turns.flatMap(replySpans).flatMap(place)),
    documents: Int32Array.from(documentsOf(view, environment, thresholds['document-edge-characters'], left)),
    answer: answer === undefined ? null : place({ start: answer.contentStart, end: endOf(answer) }),
    answerLost: isCutReason(end),
    missing: isCutReason(end) ? missingEnd(view, end) : null,
    trained: mask === null ? null : trainedRuns(states, left),
    ...trainedSums(states, segmentation),
    repair: repairSums(view),
    unrepairable: unrepairable(view),
  }
}

function missingEnd(view: TrajectoryView, end: EndReason): MissingEnd | null {
  const { trajectory, segmentation, ids, tokenizer, text } = view
  if (segmentation === null || tokenizer === null) return null
  const { padding, turns } = segmentation
  const lost = lostLengths(trajectory, { ids, padding, segmentation, tokenizer, text }, end)
  if (lost === null) return null
  const frame = turns.reduce(
    (most, turn) =>
      turn.endToken < 0 ? most : Math.max(most, turn.end - turn.start - (turn.contentEnd - turn.contentStart)),
    0,
  )
  let [tokens, longestTurn, longestReply] = [0, 0, 0]
  for (const { isAssistant, whole, seen } of lost) {
    // Of a turn that broke off the header stands already.
    tokens += whole - seen + (seen > 0 ? 1 : frame)
    if (isAssistant) longestTurn = Math.max(longestTurn, whole + 1)
    else longestReply = Math.max(longestReply, whole)
  }
  return { tokens, longestTurn, longestReply }
}

function endOf({ contentEnd, endToken }: Turn): number {
  return endToken < 0 ? contentEnd : endToken + 1
}

function replySpans(turn: Turn): Span[] {
  const spliced = turn.spans.filter(({ part }) => part === 'tool').map(({ start, end }) => ({ start, end }))
  if (spliced.length > 0) return spliced
  return turn.kind === 'tool' ? [{ start: turn.contentStart, end: turn.contentEnd }] : []
}

/** What others than the model wrote. */
function environmentSpans(turn: Turn): Span[] {
  if (turn.kind === 'assistant') return replySpans(turn)
  return [{ start: turn.contentStart, end: turn.contentEnd }]
}

/** Each document by the first place that holds it: its own tokens where it stands as it is written, else those of the reply. */
function documentsOf(view: TrajectoryView, spans: readonly Span[], edge: number, left: number): number[] {
  const documents = view.trajectory.documents ?? []
  if (documents.length === 0 || spans.length === 0) return []
  const texts = spans.map((span) => new SearchedText(view.text(span)))
  return documents.flatMap(({ text, supporting }) => {
    const passage = passageOf(text ?? '', edge)
    if (passage.whole === '') return []
    const at = texts.findIndex((own) => own.holds(passage))
    const span = spans[at]
    if (span === undefined) return []
    const { start, end } = written(view, span, passage.asWritten)
    return [start - left, end - left, supporting === true ? 1 : 0]
  })
}

function written(view: TrajectoryView, span: Span, texts: readonly string[]): Span {
  const whole = view.text(span)
  const found = texts.map((text) => ({ at: whole.indexOf(text), text })).find(({ at }) => at >= 0)
  if (found === undefined || view.tokenizer === null) return span
  const { textOffsets } = tokenTexts(view.tokenizer.table, view.ids.subarray(span.start, span.end))
  const last = found.at + found.text.length - 1
  let start = span.start
  let end = span.start
  for (let i = 0; i < span.end - span.start; i++) {
    if ((textOffsets[i] as number) <= found.at) start = span.start + i
    if ((textOffsets[i] as number) <= last) end = span.start + i + 1
  }
  return { start, end }
}

function trainedRuns(states: Uint8Array, left: number): Int32Array {
  const runs: number[] = []
  for (let token = 0; token < states.length; token++) {
    if (states[token] !== TokenState.trained) continue
    const start = token
    while (token < states.length && states[token] === TokenState.trained) token++
    runs.push(start - left, token - left)
  }
  return Int32Array.from(runs)
}

function trainedSums(
  states: Uint8Array,
  segmentation: Segmentation | null,
): Pick<RolloutAnatomy, 'trainedByPart' | 'trainedByTurn'> {
  const trainedByPart = PARTS.map(() => 0)
  const trainedByTurn = [0]
  const turns = segmentation?.turns ?? []
  let turn = 0
  for (let token = 0; token < states.length; token++) {
    if (states[token] !== TokenState.trained) continue
    while (turn + 1 < turns.length && token >= (turns[turn + 1] as Turn).start) turn++
    const part = segmentation?.parts[token] ?? PARTS.indexOf('other')
    trainedByPart[part] = (trainedByPart[part] as number) + 1
    const ordinal = turns[turn]?.ordinal ?? 0
    while (trainedByTurn.length <= ordinal) trainedByTurn.push(0)
    trainedByTurn[ordinal] = (trainedByTurn[ordinal] as number) + 1
  }
  return { trainedByPart, trainedByTurn }
}

/** The same rule as that of the exports. */
function unrepairable({ mask, expected, segmentation, trajectory }: TrajectoryView): Unrepairable | null {
  if (mask === null) return 'no-mask'
  if (expected === null || segmentation === null) return 'no-turns'
  return trajectory.excluded ? 'excluded' : null
}

/** The same rule as that of the exports: what the oracle leaves open stays as it is. */
function repairSums(view: TrajectoryView): RolloutAnatomy['repair'] {
  const { mask, expected, segmentation } = view
  if (unrepairable(view) !== null || mask === null || expected === null || segmentation === null) return null
  const toTrain = PARTS.map(() => 0)
  const toMask = PARTS.map(() => 0)
  for (let token = 0; token < mask.length; token++) {
    const wanted = expected[token]
    if (wanted === Expected.undecided || wanted === mask[token]) continue
    const into = wanted === Expected.trained ? toTrain : toMask
    const part = segmentation.parts[token] as number
    into[part] = (into[part] as number) + 1
  }
  return { toTrain, toMask, maskedWhole: maskedWholeBecause(view) }
}
