import { counted } from '../../model/number-text.ts'
import { roleKind } from '../../model/roles.ts'
import type { Message } from '../../model/trajectory.ts'
import { learnedTemplateOf, rerender } from '../../tokens/template/rerender.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { sampledSpan } from '../oracles/edges.ts'
import { countOf } from '../oracles/spans.ts'
import { abstainBeyondMessages } from '../texts/beyond-messages.ts'
import { normalised } from '../texts/normalised-text.ts'
import { type PairedTurn, pairedTurns } from './paired-turns.ts'

export const T10: Check = {
  code: 'T10',
  name: 'thinking-stripped',
  title: 'Thinking of an earlier turn is not in the trained ids',
  hypotheses: ['H02', 'H07'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'messages', 'tokenizer', 'template'],
  looksAt: 'trained assistant turns whose message holds a thought',
  why: 'The model thought before it wrote the turn. Trained without the thought, it learns an answer in a context it never had.',
  fix: 'Train the ids that were sampled, one row for each call where the template rewrites history, or use a template that keeps thoughts.',
  cite: 'prime-rl#1334, verl#2165, TRL#6361',
  trajectory(view, _settings, report) {
    for (const pair of pairedTurns(view)) {
      const said = spoken(pair.message)
      // A turn that is cut may have lost anything.
      if (said === null || pair.turn.header === 'cut' || pair.turn.endToken < 0) continue
      const { turn } = pair
      const span = sampledSpan(turn)
      if (view.mask === null || countOf(view.mask, 1, span.start, span.end) === 0) continue
      const missing = isMissing(view, pair, said)
      report.place(missing, { turn: turn.ordinal })
      if (!missing) continue
      const stripped = templateStrips(view, pair, said.thought)
      report.fault({
        turn,
        tokens: span,
        message: `Assistant turn ${turn.ordinal} is trained without its thought of ${counted(said.thought.length, 'character')}: ${
          stripped ? 'the chat template removes thoughts of earlier turns' : 'the messages hold it, the ids do not'
        }`,
        evidence: {
          message: pair.index,
          thought: said.thought.slice(0, 200),
          ids_begin: view.text({ start: turn.contentStart, end: Math.min(turn.contentEnd, turn.contentStart + 24) }),
          reason: stripped ? 'think-stripped' : 'thought-lost',
        },
      })
    }
  },
  dump(view, report) {
    abstainBeyondMessages(view, report, 'turns', 'no calls', 'calls', 'bare calls')
  },
}

interface Spoken {
  readonly thought: string
  readonly rest: string
}

/** Thought and answer of a message, in a field of its own or between tags; null where it has no thought. */
function spoken({ content, reasoning }: Message): Spoken | null {
  const text = content ?? ''
  if (reasoning && normalised(reasoning) !== '') return { thought: reasoning.trim(), rest: text }
  const close = text.lastIndexOf('</think>')
  if (close < 0) return null
  const thought = text
    .slice(0, close)
    .replace(/^[\s\S]*?<think>/, '')
    .trim()
  return normalised(thought) === '' ? null : { thought, rest: text.slice(close + '</think>'.length) }
}

/** The thought is not in the turn, and what is there is the rest of the message: another text would prove nothing. */
function isMissing(view: TrajectoryView, { turn }: PairedTurn, { thought, rest }: Spoken): boolean {
  const isThinking = ({ part, start, end }: { part: string; start: number; end: number }) =>
    part === 'think' && end - start > view.thresholds['thought-tokens']
  if (turn.spans.some(isThinking)) return false
  const lookedUp = view.thresholds['looked-up-characters']
  const there = normalised(view.text({ start: turn.headerEnd, end: turn.contentEnd }))
  if (there.includes(normalised(thought).slice(0, lookedUp).trim())) return false
  const said = normalised(rest).slice(0, lookedUp).trim()
  // A turn that only calls has no other text to be known by.
  if (said === '') return turn.spans.some(({ part, start }) => part === 'tool_call' && start <= turn.contentStart + 1)
  return there.replace(/^think think /, '').startsWith(said)
}

/** The template itself leaves the thought out of the whole conversation, and only because the conversation went on. */
function templateStrips(
  { trajectory, tokenizer, thresholds }: TrajectoryView,
  { index }: PairedTurn,
  thought: string,
): boolean {
  const messages = trajectory.messages ?? []
  const goesOn = messages.slice(index + 1).some(({ role }) => roleKind(role) === 'user')
  if (tokenizer === null || !goesOn || learnedTemplateOf(tokenizer)?.stripsThinking !== true) return false
  const whole = rerender(tokenizer, messages, trajectory.tools)
  return whole !== null && !whole.includes(thought.slice(0, thresholds['looked-up-characters']))
}
