import { jsonCallIn } from '../../tokens/json-call.ts'
import type { Check } from '../check.ts'
import { sampledSpan } from '../oracles/edges.ts'
import { countOf } from '../oracles/spans.ts'
import { abstainBeyondMessages } from '../texts/beyond-messages.ts'
import { normalised } from '../texts/normalised-text.ts'
import { lacksCall, writesOneBareCall } from './left-out.ts'
import { isTrainedUnproven, pairedTurns } from './paired-turns.ts'

export const T13: Check = {
  code: 'T13',
  name: 'llama-call-rewritten',
  title: "Llama's template rewrote the call turn",
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'messages', 'tokenizer', 'template'],
  looksAt: 'trained assistant turns with a bare call such as Llama’s template writes',
  why: 'The template writes one bare call: it drops what the model said beside it and renames its arguments, so the trained turn is not the sampled one.',
  fix: 'Train the sampled ids of call turns, or render them with a template that keeps the text of the message.',
  cite: 'TRL chat_templates README',
  trajectory(view, { thresholds }, report) {
    if (!writesOneBareCall(view)) return
    for (const pair of pairedTurns(view)) {
      const { turn, message, index } = pair
      const isLost = lacksCall(view, pair)
      const call = turn.spans.find(({ part }) => part === 'tool_call')
      const calls = message.toolCalls?.length ?? 0
      const raw = message.content?.trim() ?? ''
      const rawCall = raw.startsWith('{') ? 0 : (jsonCallIn(raw)?.start ?? -1)
      if ((call === undefined && !isLost) || turn.endToken < 0 || (calls === 0 && rawCall < 0)) continue
      const span = sampledSpan(turn)
      if (view.mask === null || countOf(view.mask, 1, span.start, span.end) === 0) continue
      const text = view.text({ start: turn.contentStart, end: turn.contentEnd })
      const reason = isLost ? 'call-lost' : rewritten(text, calls, raw, rawCall, thresholds['looked-up-characters'])
      const faulty = reason !== null && isTrainedUnproven(view, span)
      report.place(faulty, { turn: turn.ordinal })
      if (!faulty) continue
      report.fault({
        turn,
        tokens: span,
        // What is trained then is no call at all.
        ...(isLost ? { severity: 'error' } : {}),
        message: `The call of assistant turn ${turn.ordinal} is not what the model wrote: ${SENTENCES[reason]}`,
        evidence: { reason, message: index, calls, in_ids: text.slice(0, 160), in_message: raw.slice(0, 160) },
      })
    }
  },
  dump(view, report) {
    abstainBeyondMessages(view, report, 'calls', 'bare calls')
  },
}

const SENTENCES = {
  'prose-dropped': 'the text beside it is missing',
  'key-renamed': 'its key "arguments" became "parameters"',
  'call-lost': 'the ids lack it, and a tool answers it',
  'calls-lost': 'of several calls the ids hold one',
} as const

/** `rawCall`: where the call begins in the text that the message keeps; -1 where that holds none. */
function rewritten(
  text: string,
  calls: number,
  raw: string,
  rawCall: number,
  lookedUp: number,
): keyof typeof SENTENCES | null {
  if (calls > 1 && [...text.matchAll(/"name"\s*:/g)].length === 1) return 'calls-lost'
  const prose = rawCall < 0 ? raw : raw.slice(0, rawCall)
  const opening = normalised(prose).slice(0, lookedUp).trim()
  if (opening !== '' && !normalised(text).includes(opening)) return 'prose-dropped'
  const isRenamed = /"arguments"\s*:/.test(raw.slice(prose.length)) && !/"arguments"\s*:/.test(text)
  return isRenamed && /"parameters"\s*:/.test(text) ? 'key-renamed' : null
}
