import { Provenance, type SubSpan, type Turn } from '../../model/tokens.ts'
import type { AuditSettings, Check, Reporter, TrajectoryView } from '../check.ts'
import { endsInLetters } from '../template/spelt-markers.ts'
import { isCutJson } from './cut-json.ts'
import { limitOf } from './limit-of.ts'

/** C07. A tool call is opened and never closed, or its JSON stops in the middle and the environment answers all the same. */
export const cutToolCall: Check = {
  code: 'C07',
  name: 'cut-tool-call',
  title: 'Cut in the middle of a tool call',
  hypotheses: ['H04'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'assistant turns with a tool call',
  why: 'A call that a limit cut cannot be parsed: the rollout is punished, or goes on after an error, for a fault the model did not make.',
  fix: 'Raise the limit of tokens per turn, and mask turns that a limit cut.',
  cite: 'halo#14, mastra#15718, ironclaw#1631, mini-swe-agent#851',
  trajectory: lookAtCalls,
}

function lookAtCalls(view: TrajectoryView, settings: AuditSettings, report: Reporter): void {
  const turns = view.segmentation?.turns ?? []
  for (const [index, turn] of turns.entries()) {
    if (turn.kind !== 'assistant') continue
    const calls = turn.spans.filter(({ part }) => part === 'tool_call')
    const last = calls.at(-1)
    if (last === undefined) continue
    const open = last.closed || lostItsEnd(view, turn, last) ? null : openAtTheEnd(turn, last)
    const fault = open ?? cutButAnswered(view, calls, turns[index + 1])
    report.place(fault !== null, { turn: turn.ordinal })
    if (fault === null) continue
    const { span, message } = fault
    const text = view.text(span)
    report.fault({
      turn,
      tokens: span,
      message,
      evidence: {
        call: text.slice(0, 400),
        closed: span.closed,
        end_token: turn.endToken >= 0,
        limit: limitOf('max_completion_length', settings, view.trajectory),
        turn_tokens: turn.contentEnd - turn.contentStart,
        next: turns[index + 1]?.role ?? null,
        reply: replyText(view, turns[index + 1]),
      },
    })
  }
}

/** What the environment answered, where it did. */
function replyText(view: TrajectoryView, next: Turn | undefined): string | null {
  if (next === undefined || next.kind === 'assistant') return null
  const { contentStart, contentEnd } = next
  return view.text({ start: contentStart, end: Math.min(contentEnd, contentStart + REPLY_TOKENS) })
}

/** Tokens of the reply that evidence shows: an error says what it is at once. */
const REPLY_TOKENS = 48

interface CallFault {
  readonly span: SubSpan
  readonly message: string
}

/**
 * The whole call is there: the end token behind it is spelt (T16), or, where it alone closes a call as in Llama, is not there before another
 * turn. A call that opens with a tag needs the tag that closes it.
 */
function lostItsEnd(view: TrajectoryView, turn: Turn, call: SubSpan): boolean {
  if (endsInLetters(view, turn)) return true
  const text = view.text(call).trim()
  return view.segmentation?.turns.at(-1) !== turn && text.startsWith('{') && text.endsWith('}') && !isCutJson(text)
}

function openAtTheEnd(turn: Turn, call: SubSpan): CallFault {
  const tokens = call.end - call.start
  const how = turn.endToken < 0 ? 'and the turn has no end token' : 'and the turn ends'
  return { span: call, message: `A tool call of ${tokens} tokens is opened and not closed, ${how}` }
}

/** Whoever closed a call that a limit had cut, the model did not: where it wrote the tag, or the last brace, it counted its brackets wrong. */
function cutButAnswered(view: TrajectoryView, calls: readonly SubSpan[], next: Turn | undefined): CallFault | null {
  if (next?.kind !== 'tool') return null
  const isOwn = (call: SubSpan) => view.provenance?.[call.end - 1] === Provenance.sampled
  const isBraced = (text: string) => /\}\s*(?:<\/[^>]*>\s*)?$/.test(text)
  const span = calls.find((call) => {
    if (!call.closed || isOwn(call)) return false
    const text = view.text(call)
    return isCutJson(text) && !isBraced(text)
  })
  return span === undefined
    ? null
    : { span, message: 'The JSON of a tool call stops in the middle, and the environment answered it' }
}
