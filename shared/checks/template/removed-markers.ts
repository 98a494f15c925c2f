import type { Span, Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { normalised } from '../normalised-text.ts'
import { isCutJson } from '../truncation/cut-json.ts'
import { pairedTurns } from './paired-turns.ts'
import { endsInLetters } from './spelt-markers.ts'

/** A marker that a turn should have and has not, with the tokens between which it should stand. */
export interface RemovedMarker extends Span {
  readonly what: string
}

/** What decoding with `skip_special_tokens` took from a turn that the model wrote; null where nothing proves that it was there. */
export function removedMarker(view: TrajectoryView, turn: Turn): RemovedMarker | null {
  return removedEnd(view, turn) ?? removedThought(view, turn)
}

/**
 * A turn that another one follows, without an end token and not cut: its call is complete, or the newline that stands behind end tokens
 * stands behind its text.
 */
function removedEnd(view: TrajectoryView, turn: Turn): RemovedMarker | null {
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
  return {
    start: end - 1,
    end,
    what: `The end token of assistant turn ${turn.ordinal} is not there, and a ${next.kind} turn follows: ${isCalled ? 'its call is complete' : 'the newline behind it stands alone'}`,
  }
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
