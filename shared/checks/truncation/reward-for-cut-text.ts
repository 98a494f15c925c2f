import { enclosed } from '../../model/enclosed.ts'
import { roleKind } from '../../model/roles.ts'
import type { Message } from '../../model/trajectory.ts'
import type { AuditSettings, Check, Reporter, TrajectoryView } from '../check.ts'
import { shown } from '../groups/statistics.ts'
import { listOf } from '../oracles/spans.ts'
import { COMBINING } from '../texts/normalised-text.ts'
import { findCut } from './cut-text.ts'
import { lostAfterEnd } from './what-was-lost.ts'

/** C12. The reward was earned by a final answer that the messages hold and the ids do not. */
export const rewardForCutText: Check = {
  code: 'C12',
  name: 'reward-for-cut-text',
  title: 'Reward for text that was cut away',
  hypotheses: ['H04'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'messages', 'rewards', 'tokenizer'],
  looksAt: 'rewarded final answers',
  why: 'Tokens are reinforced for an answer that is not among them, so credit goes to whatever happens to be left.',
  fix: 'Score the text that is trained, or mask and leave out rollouts that were cut after they were scored.',
  cite: 'bdsaglam/verifiers process_env_results (defect V12)',
  // The final answer is the last turn's: that no first turn lacks it says nothing of turns.
  ofRowEnd: true,
  trajectory: lookAtAnswer,
}

function lookAtAnswer(view: TrajectoryView, { thresholds }: AuditSettings, report: Reporter): void {
  const { facts, segmentation } = view
  const messages = view.trajectory.messages ?? []
  const last = messages.at(-1)
  if (
    segmentation === null ||
    segmentation.turns.length === 0 ||
    last === undefined ||
    roleKind(last.role) !== 'assistant' ||
    facts.reward === null ||
    !(facts.reward > 0)
  )
    return
  // A row that is masked whole trains none of it; C04 tells whether it counts all the same.
  if (facts.trained === 0 || facts.excluded) return
  if (last.content === null || last.content.trim() === '') return
  const replies = messages.reduce((count, { role }) => count + (roleKind(role) === 'assistant' ? 1 : 0), 0)
  // Ids that end properly hold what the model said, however the messages were rewritten since, unless they hold the beginning of the very words.
  const closedEarly = lostBeforeEnd(view, last)
  const cut = facts.endReason !== 'stop' || replies > facts.assistantTurns || closedEarly !== null
  const end = view.ids.length - segmentation.padding.right
  const answer = cut
    ? finalAnswer(last.content, thresholds['answer-tail-characters'])
    : facts.endsClosed === false
      ? openedAnswer(last.content)
      : null
  const affected = answer !== null && !holds(view.text({ start: segmentation.padding.left, end }), answer)
  const turn = segmentation.turns.at(-1) ?? null
  report.place(affected, { turn: turn?.ordinal ?? 0 })
  if (!affected) return
  const tail = { start: Math.max(segmentation.padding.left, end - 24), end }
  report.fault({
    turn,
    tokens: tail,
    affected: [],
    message: `Reward ${shown(facts.reward)} was given for an answer that the ids do not hold`,
    evidence: {
      answer,
      last_visible_text: view.text(tail),
      last_visible_ids: listOf(view.ids, tail.start, tail.end),
      reward: facts.reward,
      end: facts.endReason,
      ...(closedEarly === null ? lostAfterEnd(view) : { cut: 'right', lost_text: closedEarly.slice(0, 400) }),
    },
  })
}

/** Tokens by which most last turns show that they end as their message does. */
const LAST_WORDS = 8

/** What a last turn lacks of its message's end although it has an end token: a framework wrote that behind what a limit left. Null where it lacks nothing. */
function lostBeforeEnd(
  { segmentation, text, thresholds }: TrajectoryView,
  { content, toolCalls }: Message,
): string | null {
  const turn = segmentation?.turns.at(-1)
  if (turn === undefined || turn.kind !== 'assistant' || turn.endToken < 0 || content === null) return null
  if (toolCalls?.length) return null
  const { contentStart: start, contentEnd: end } = turn
  if (content.trimEnd().endsWith(text({ start: Math.max(start, end - LAST_WORDS), end }).trim())) return null
  const found = findCut(text({ start, end }), content, thresholds)
  return found?.side === 'right' ? found.lost : null
}

const ANSWER_FORMS: readonly ((content: string) => string | undefined)[] = [
  (content) => {
    const last = [...enclosed(content, '<answer>', '</answer>')].at(-1)
    return last === undefined ? undefined : content.slice(last.start, last.end)
  },
  (content) => content.match(/\\boxed\{[^{}]*\}/g)?.at(-1),
]

/** The last tagged or boxed answer with its marks, else the last `tail` characters of the text; whitespace-normalised; null where there is no text. */
export function finalAnswer(content: string | null, tail: number): string | null {
  if (content === null) return null
  for (const form of ANSWER_FORMS) {
    const found = form(content)
    if (found !== undefined) return normalised(found)
  }
  const near = nearEnd(content, tail)
  const end = normalised(content.slice(near))
  const text = near === 0 || end.length >= tail ? end : normalised(content)
  // A half word at the cut of the needle is harmless: it is searched as it stands.
  return text === '' ? null : text.slice(-tail)
}

/**
 * The last tagged or boxed answer without the mark that closes it, whitespace-normalised; null where there is none. A row without an end token that
 * is said to have stopped by itself may lack the string on which it was stopped, and nothing else.
 */
function openedAnswer(content: string): string | null {
  for (const form of ANSWER_FORMS) {
    const opened = form(content)?.replace(/(?:<\/answer>|\})$/, '')
    if (opened !== undefined) return /^(?:<answer>|\\boxed\{)\s*$/.test(opened) ? null : normalised(opened)
  }
  return null
}

/** Some way before the last `tail` characters, where what stands before changes nothing of how the rest is normalised: at a visible character of ASCII. */
function nearEnd(content: string, tail: number): number {
  for (let at = content.length - 2 * tail; at > 0; at--) {
    const unit = content.charCodeAt(at)
    if (unit > 0x20 && unit < 0x7f) return at
  }
  return 0
}

/** A normalised answer in a text as it is. */
function holds(text: string, answer: string): boolean {
  return isWritten(text, answer) || (mayHold(text, answer) && normalised(text).includes(answer))
}

/** The text has it as it stands, and nothing beside it would change how it is normalised. */
function isWritten(text: string, answer: string): boolean {
  const at = answer.charCodeAt(0) > 0x20 && answer.charCodeAt(0) < COMBINING ? text.indexOf(answer) : -1
  return at >= 0 && !(text.charCodeAt(at + answer.length) >= COMBINING)
}

/** The answer's longest word of ASCII is in the text: only U+212A becomes one of its letters in NFC. */
function mayHold(text: string, answer: string): boolean {
  let longest = ''
  for (const [word] of answer.matchAll(/[A-Za-z0-9]+/g)) if (word.length > longest.length) longest = word
  return text.includes(longest) || text.includes('\u212a')
}

/** Qwen's tokenizers normalise to NFC, and templates trim and re-wrap: neither is a loss. */
function normalised(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}
