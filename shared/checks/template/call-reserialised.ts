import { counted } from '../../model/number-text.ts'
import { jsonCallIn } from '../../tokens/json-call.ts'
import type { Check, Reporter, TrajectoryView } from '../check.ts'
import { sampledSpan } from '../oracles/edges.ts'
import { countOf } from '../oracles/spans.ts'
import { abstainBeyondMessages } from '../texts/beyond-messages.ts'
import { callText, lacksCall, lacksProse, writesOneBareCall } from './left-out.ts'
import { callsOfMessage, isSameCall, proseOfMessage, rawCalls } from './message-calls.ts'
import { isTrainedUnproven, type PairedTurn, pairedTurns } from './paired-turns.ts'
import { abstainUnreadCalls } from './unread-calls.ts'

export const T12: Check = {
  code: 'T12',
  name: 'call-reserialised',
  title: 'Tool call was written again as other JSON, or left out',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'messages', 'tokenizer', 'template'],
  looksAt: 'trained tool calls',
  why: 'The call was parsed and written again by a template: other spaces, escapes or quotes than the model sampled are trained, or a turn without its call or without the words before it.',
  fix: 'Train the sampled ids. Where a template must render calls, give it the arguments as an object, not as JSON text.',
  cite: 'smg#1836, verl#3960, NeMo-Gym#1787, ART#527',
  trajectory(view, _settings, report) {
    const toldByT13 = writesOneBareCall(view)
    for (const pair of pairedTurns(view)) {
      const span = sampledSpan(pair.turn)
      if (view.mask === null || countOf(view.mask, 1, span.start, span.end) === 0) continue
      if (!toldByT13 && reportLeftOut(view, pair, report)) continue
      reportRewritten(view, pair, report)
    }
  },
  dump(view, report) {
    abstainUnreadCalls(view, report)
    abstainBeyondMessages(view, report, 'calls', 'calls', 'bare calls')
  },
  unproved({ placesChecked, byBoundary }) {
    const parsed = Object.entries(byBoundary).filter(([name]) => name.endsWith(PARSED))
    const calls = parsed.reduce((sum, [, { checked }]) => sum + checked, 0)
    return calls === 0 || calls < placesChecked
      ? null
      : `the messages hold the calls only as they were parsed, and nothing says that the ids were sampled: none of ${counted(calls, 'call')} has its arguments encoded twice, other spaces, escapes or orders of keys cannot be seen`
  },
}

/**
 * The seam before a call, as its message has it: words are dropped only where there are some. A call that the message has only as it was parsed, and of
 * which nothing says that it was sampled, may be written in whatever way.
 */
function seam(before: 'header' | 'words' | 'call', isKnown: boolean): string {
  return `${before}>${isKnown ? 'call' : PARSED}`
}

const PARSED = 'parsed_call'

/** The turn lacks a call that its message has, or what the message says before its call. */
function reportLeftOut(view: TrajectoryView, pair: PairedTurn, report: Reporter): boolean {
  const reason = lacksCall(view, pair) ? 'call-lost' : lacksProse(view, pair) ? 'prose-dropped' : null
  if (reason === null) return false
  const { turn, message, index } = pair
  const span = sampledSpan(turn)
  const faulty = isTrainedUnproven(view, span)
  const isKnown = !faulty || rawCalls(message.content ?? '').length > 0
  report.place(faulty, { turn: turn.ordinal, ...(reason === 'call-lost' ? {} : { boundary: seam('words', isKnown) }) })
  if (!faulty) return true
  const calls = callsOfMessage(message)
  const prose = proseOfMessage(message)
  report.fault({
    turn,
    tokens: span,
    message:
      reason === 'call-lost'
        ? `Assistant turn ${turn.ordinal} is trained without the ${calls.length === 1 ? 'call' : counted(calls.length, 'call')} that its message has, and a tool answers it`
        : `Assistant turn ${turn.ordinal} is trained without the ${counted(prose.length, 'character')} that its message has before the call`,
    evidence: {
      reason,
      message: index,
      in_ids: view.text({ start: turn.contentStart, end: turn.contentEnd }).slice(0, 160),
      in_message: reason === 'call-lost' ? calls.map(({ name }) => name) : prose.slice(0, 160),
    },
  })
  return true
}

function reportRewritten(view: TrajectoryView, { turn, message }: PairedTurn, report: Reporter): void {
  const written = writtenCalls(view, message.content ?? '')
  const calls = turn.spans.filter(({ part, closed }) => part === 'tool_call' && closed)
  const first = calls.length > 0 && proseOfMessage(message) !== '' ? 'words' : 'header'
  for (const [i, call] of calls.entries()) {
    if (view.mask === null || countOf(view.mask, 1, call.start, call.end) === 0) continue
    const ids = callText(view.text(call))
    const raw = written.length === calls.length ? (written[i] ?? null) : null
    const rewritten = raw !== null && raw !== ids && isSameCall(raw, ids)
    // The model's own way to write a call is known from the message; only without it do quoted arguments speak.
    const quoted = raw === null && QUOTED_ARGUMENTS.test(ids)
    const isUnproven = isTrainedUnproven(view, call)
    const faulty = (rewritten || quoted) && isUnproven
    const isKnown = raw !== null || !isUnproven
    report.place(faulty, { turn: turn.ordinal, boundary: seam(i === 0 ? first : 'call', isKnown) })
    if (!faulty) continue
    const at = raw === null ? ids.search(QUOTED_ARGUMENTS) : firstDifference(raw, ids)
    report.fault({
      turn,
      tokens: call,
      message:
        raw === null
          ? `The call of assistant turn ${turn.ordinal} has its arguments as JSON inside a text: they were encoded twice`
          : `The call of assistant turn ${turn.ordinal} differs from the message at character ${at}, and means the same: it was parsed and written again`,
      evidence: {
        reason: 'call-reserialised',
        in_ids: ids.slice(Math.max(0, at - 40), at + 80),
        in_message: raw === null ? null : raw.slice(Math.max(0, at - 40), at + 80),
      },
    })
    break
  }
}

/** The calls as the model wrote them, where the message keeps its text; Llama's have no tags, and may stand behind other words. */
function writtenCalls({ tokenizer }: TrajectoryView, content: string): string[] {
  const calls = rawCalls(content)
  const call = calls.length === 0 && tokenizer?.frame?.style === 'llama' ? jsonCallIn(content) : null
  return call === null ? calls : [content.slice(call.start, call.end).trim()]
}

/** `"arguments": "{\"query\": …}"`: what Qwen2.5's template makes of arguments that are a text. */
const QUOTED_ARGUMENTS = /"(?:arguments|parameters)"\s*:\s*"\s*\{\s*\\"/

function firstDifference(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}
