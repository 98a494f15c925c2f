import type { Segmentation, Span, Turn } from '../../model/tokens.ts'
import type { AuditSettings, TrajectoryView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { isLengthStop } from '../oracles/end-reason.ts'
import { normalised } from '../texts/normalised-text.ts'
import { isCutJson } from '../truncation/cut-json.ts'
import { limitOf } from '../truncation/limit-of.ts'
import { pairedTurns } from './paired-turns.ts'
import { endsInLetters } from './spelt-markers.ts'

/** A marker that a turn should have and has not, with the tokens between which it should stand. */
export interface RemovedMarker extends Span {
  readonly what: string
}

/** What decoding with `skip_special_tokens` took from a turn that the model wrote; null where nothing proves that it was there. */
export function removedMarker(
  view: TrajectoryView,
  turn: Turn,
  settings: Pick<AuditSettings, 'limits'>,
): RemovedMarker | null {
  return removedEnd(view, turn, settings) ?? removedThought(view, turn)
}

/** How a turn that another one follows comes to its end without an end token, where its text is whole. */
interface OpenTurn extends Span {
  readonly isCalled: boolean
  readonly why: string
}

/**
 * The only turn of its kind without an end token, of a rollout in which most have theirs. A whole call or the template's newline proves
 * none by itself: a stop string ends turns so, and there all turns lack it. Nor does a turn that a limit may have cut.
 */
function removedEnd(view: TrajectoryView, turn: Turn, settings: Pick<AuditSettings, 'limits'>): RemovedMarker | null {
  const open = openTurn(view, turn)
  if (open === null || mayBeCut(view, turn, open, settings)) return null
  const { closed, missing } = siblingsOf(view, open.isCalled)
  if (missing > 1 || closed <= missing) return null
  const next = view.segmentation?.turns[turn.index + 1] as Turn
  return {
    start: open.start,
    end: open.end,
    what: `The end token of assistant turn ${turn.ordinal} is not there, and a ${next.kind} turn follows: ${open.why}, and ${closed} other turns like it have theirs`,
  }
}

function openTurn(view: TrajectoryView, turn: Turn): OpenTurn | null {
  const { segmentation, tokenizer, ids } = view
  const next = segmentation?.turns[turn.index + 1]
  if (turn.endToken >= 0 || turn.header !== 'present' || next?.header !== 'present' || next.kind === 'assistant')
    return null
  if (tokenizer?.frame == null || endsInLetters(view, turn)) return null
  const { newlines, separator } = tokenizer.frame
  const hasSeparator = separator && newlines.get(ids[turn.contentEnd - 1] as number) === 1
  const end = hasSeparator ? turn.contentEnd - 1 : turn.contentEnd
  if (end <= turn.contentStart || (hasSeparator && newlines.has(ids[end - 1] as number))) return null
  const call = turn.spans.at(-1)
  const isCalled = call?.part === 'tool_call' && call.end >= end && isWhole(view, call)
  if (!isCalled && !hasSeparator) return null
  const why = isCalled ? 'its call is complete' : 'the newline behind it stands alone'
  return { start: end - 1, end, isCalled, why }
}

/** A limit leaves no turn shorter than one that came to its end, and stops at the end of a sentence by chance alone. */
function mayBeCut(
  view: TrajectoryView,
  turn: Turn,
  { end, isCalled }: OpenTurn,
  settings: Pick<AuditSettings, 'limits'>,
): boolean {
  const { trajectory, segmentation, thresholds } = view
  if (trajectory.isTruncated === true || isLengthStop(trajectory.finishReason)) return true
  const length = end - turn.contentStart
  const limit = limitOf('max_completion_length', settings, trajectory)?.value ?? 0
  if (limit > 0 && length >= limit - thresholds['near-limit-tokens']) return true
  if (isCalled) return false
  const longest = writtenTurns(segmentation as Segmentation)
    .filter(({ endToken }) => endToken >= 0)
    .reduce((most, { contentStart, endToken }) => Math.max(most, endToken - contentStart), 0)
  return length >= longest || !SENTENCE_END.test(view.text({ start: end - 1, end }))
}

const SENTENCE_END = /[.!?。！？]["'”’)]?$/

/** What other rollouts tell of turns without an end token that are answered; null where there is none. */
export function openTurnFacts(view: TrajectoryView): Pick<TrajectoryFacts, 'openTurns' | 'openCalls'> | null {
  const { segmentation } = view
  if (segmentation === null) return null
  const answered = writtenTurns(segmentation).filter(({ index }) => {
    const next = segmentation.turns[index + 1]
    return next !== undefined && next.kind !== 'assistant'
  })
  const open = answered.filter(({ endToken }) => endToken < 0)
  if (open.length === 0) return null
  const places = open.map((turn) => {
    const place = openTurn(view, turn)
    return place === null || mayBeCut(view, turn, place, { limits: {} }) ? null : place
  })
  const [first] = places
  const proved = places.filter((place) => place !== null)
  if (first === undefined || proved.length < places.length) return { openTurns: null }
  if (open.length < answered.length) return { openTurns: null, ...openCalls(view, answered, proved) }
  return { openTurns: [proved[0]!.start, proved[0]!.end] }
}

/**
 * The end tokens of the others have loss, behind the same character: no string ends a call of the one kind and leaves the other to its end token.
 * What a single one among more that are closed is, the row tells by itself.
 */
function openCalls(
  { mask, text }: TrajectoryView,
  answered: readonly Turn[],
  places: readonly OpenTurn[],
): Pick<TrajectoryFacts, 'openCalls'> | null {
  const [first] = places as readonly [OpenTurn, ...OpenTurn[]]
  const lastOf = (end: number) =>
    text({ start: end - 1, end })
      .trimEnd()
      .at(-1)
  const last = lastOf(first.end)
  if (last === undefined || !places.every(({ isCalled, end }) => isCalled && lastOf(end) === last)) return null
  const closed = answered.filter(({ spans, contentEnd, endToken }) => {
    return mask?.[endToken] === 1 && spans.at(-1)?.part === 'tool_call' && lastOf(contentEnd) === last
  })
  const before = closed.at(-1)
  if (before === undefined || (places.length === 1 && closed.length > 1)) return null
  return { openCalls: before.endToken < first.start ? [first.start, first.end] : null }
}

/** The turns of the rollout that another one follows, with a call at their end or without one: how many have an end token. */
function siblingsOf(view: TrajectoryView, isCalled: boolean): { readonly closed: number; readonly missing: number } {
  const { turns } = view.segmentation as Segmentation
  let [closed, missing] = [0, 0]
  for (const turn of writtenTurns(view.segmentation as Segmentation)) {
    const next = turns[turn.index + 1]
    if (next === undefined || next.kind === 'assistant') continue
    if ((turn.spans.at(-1)?.part === 'tool_call') !== isCalled) continue
    if (turn.endToken >= 0) closed++
    else missing++
  }
  return { closed, missing }
}

function isWhole(view: TrajectoryView, call: Span & { readonly closed: boolean }): boolean {
  if (call.closed) return true
  const text = view.text(call)
  return text.trimEnd().endsWith('}') && !isCutJson(text)
}

/** The thought that the message has stands in the turn, and the tags around it do not. */
function removedThought(view: TrajectoryView, turn: Turn): RemovedMarker | null {
  if (view.trajectory.messages === null || view.tokenizer?.frame?.think?.open.length !== 1) return null
  if (turn.spans.some(({ part }) => part === 'think' || part === 'prefill')) return null
  const thought = pairedTurns(view).find((pair) => pair.turn === turn)?.message.reasoning
  const wanted = normalised(thought ?? '').slice(0, view.thresholds['looked-up-characters'])
  if (wanted === '') return null
  const span = { start: turn.contentStart, end: turn.contentEnd }
  if (!normalised(view.text(span)).startsWith(wanted)) return null
  return {
    start: span.start,
    end: span.start + 1,
    what: `The thought of assistant turn ${turn.ordinal} stands there without its tags`,
  }
}
