import { enclosed } from '../../model/enclosed.ts'
import type { Span } from '../../model/tokens.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { countOf } from '../spans.ts'
import { isTrainedUnproven, pairedTurns } from './paired-turns.ts'

export const T12: Check = {
  code: 'T12',
  name: 'call-reserialised',
  title: 'Tool call was written again as other JSON',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'messages', 'tokenizer', 'template'],
  looksAt: 'trained tool calls',
  why: 'The call was parsed and written again by a template: other spaces, escapes or quotes than the model sampled are trained.',
  fix: 'Train the sampled ids. Where a template must render calls, give it the arguments as an object, not as JSON text.',
  cite: 'smg#1836, verl#3960, NeMo-Gym#1787',
  trajectory(view, _settings, report) {
    for (const { turn, message } of pairedTurns(view)) {
      const written = rawCalls(message.content ?? '')
      const calls = turn.spans.filter(({ part, closed }) => part === 'tool_call' && closed)
      for (const [i, call] of calls.entries()) {
        if (view.mask === null || countOf(view.mask, 1, call.start, call.end) === 0) continue
        const ids = innerText(view, call)
        const raw = written.length === calls.length ? (written[i] ?? null) : null
        const rewritten = raw !== null && raw !== ids && sameJson(raw, ids)
        // The model's own way to write a call is known from the message; only without it do quoted arguments speak.
        const quoted = raw === null && QUOTED_ARGUMENTS.test(ids)
        const faulty = (rewritten || quoted) && isTrainedUnproven(view, call)
        report.place(faulty, { turn: turn.ordinal })
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
  },
}

/** `"arguments": "{\"query\": …}"`: what Qwen2.5's template makes of arguments that are a text. */
const QUOTED_ARGUMENTS = /"(?:arguments|parameters)"\s*:\s*"\s*\{\s*\\"/

const OPEN = '<tool_call>'
const CLOSE = '</tool_call>'

const PYTHON_TAG = /^<\|python_tag\|>/

/** The calls as the model wrote them, where the message keeps its text: with the tags, or as Llama writes them, the call alone. */
function rawCalls(content: string): string[] {
  const bare = content.trim().replace(PYTHON_TAG, '').trim()
  if (bare.startsWith('{') && bare.endsWith('}')) return [bare]
  return Array.from(enclosed(content, OPEN, CLOSE), ({ start, end }) =>
    content.slice(start + OPEN.length, end - CLOSE.length).trim(),
  )
}

function innerText(view: TrajectoryView, call: Span): string {
  return view
    .text(call)
    .replace(/^\s*<tool_call>/, '')
    .replace(/<\/tool_call>\s*$/, '')
    .replace(PYTHON_TAG, '')
    .trim()
}

function sameJson(a: string, b: string): boolean {
  try {
    return canonical(JSON.parse(a)) === canonical(JSON.parse(b))
  } catch {
    return false
  }
}

/** JSON with sorted keys; arguments that are JSON inside a text count as what they hold. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, entry]): [string, string] => [
      key,
      canonical((key === 'arguments' || key === 'parameters') && typeof entry === 'string' ? parsed(entry) : entry),
    ])
    return `{${entries
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => `${JSON.stringify(key)}:${entry}`)
      .join(',')}}`
  }
  return JSON.stringify(value)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function firstDifference(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}
