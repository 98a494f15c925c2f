import { roleKind } from '../../model/roles.ts'
import type { Span, Turn } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { PreparedTokens } from '../facts/create-facts.ts'
import { OfLast } from '../of-last.ts'
import { LONGEST_PREFILL } from '../oracles/prompt-end.ts'
import { START_IN_LETTERS } from '../template/spelt-markers.ts'
import { encoded } from '../texts/encoded.ts'
import { namedParts } from './what-was-lost.ts'

/** Ids that begin inside a turn. */
export interface LeftCut {
  /** The turn in which they begin; null where no turn is left. */
  readonly turn: Turn | null
  /** Half-open: the first token, and the end of what is left of that turn. */
  readonly start: number
  readonly end: number
  /** Tokens of the messages before the first visible text, and what was in them; null where the messages do not tell. */
  readonly lost: { readonly tokens: number; readonly parts: readonly string[] } | null
}

type Prepared = Pick<PreparedTokens, 'ids' | 'mask' | 'segmentation' | 'tokenizer' | 'text'>

const known = new OfLast<Trajectory, LeftCut | null>()

/** Where the start of a row was cut off; null where it was not, or where nothing tells. Facts and C01 ask the same. */
export function leftCut(trajectory: Trajectory, prepared: Prepared): LeftCut | null {
  let found = known.get(trajectory)
  if (found === undefined) {
    found = findLeftCut(trajectory, prepared)
    known.set(trajectory, found)
  }
  return found
}

function findLeftCut(trajectory: Trajectory, prepared: Prepared): LeftCut | null {
  const { segmentation, mask, ids } = prepared
  // Raw text without a single turn header is a base model's prompt, not a cut chat.
  if (segmentation === null || !segmentation.cutLeft) return null
  if (!segmentation.turns.some(({ header }) => header === 'present')) return null
  const start = segmentation.padding.left
  const [begun] = segmentation.turns
  if (begun?.header === 'present' && begun.start > start) return cutBetweenTurns(trajectory, prepared, begun, start)
  // A row that stores the completion alone begins with sampled text, by design, and with the beginning of it.
  if (isWrittenAt(start, trajectory, mask) && !beginsInsideMessage(trajectory, prepared)) return null
  // A row that spells its first markers is whole (T16).
  if (START_IN_LETTERS.test(prepared.text({ start, end: Math.min(start + 12, ids.length) }))) return null
  const turn = segmentation.turns[0] ?? null
  const end = turn === null ? Math.min(start + 1, ids.length) : Math.max(turn.end, start + 1)
  const before = turn === null ? null : textBefore(trajectory, prepared, turn)
  const lost = before === null ? null : { tokens: before.tokens, parts: lostParts(trajectory, prepared, before.text) }
  return { turn, start, end, lost }
}

/**
 * A row whose first turn is whole and follows what the template writes between two: a template may begin with an empty line as well, so only messages tell,
 * which have another before the question. One whose text stands in the turn of the question is not lost.
 */
function cutBetweenTurns(trajectory: Trajectory, prepared: Prepared, turn: Turn, start: number): LeftCut | null {
  const { messages } = trajectory
  const { tokenizer, text } = prepared
  if (turn.kind !== 'user' || messages === null || tokenizer === null) return null
  const content = text({ start: turn.contentStart, end: turn.contentEnd })
  const visible = content.trim().slice(0, FIRST_TEXT)
  const asked = visible === '' ? -1 : messages.findIndex((message) => message.content?.includes(visible))
  const before = messages.slice(0, Math.max(0, asked)).flatMap(({ content }) => content?.trim() || [])
  if (before.length === 0 || before.some((each) => content.includes(each.slice(0, FIRST_TEXT)))) return null
  const lost = before.join('\n')
  const tokens = encoded(tokenizer, lost)?.length ?? null
  const parts = lostParts(trajectory, prepared, lost)
  return tokens === null ? null : { turn, start, end: turn.start, lost: { tokens, parts } }
}

/** Whether the sequence may be a completion alone: what stands at its first token was sampled or is trained, or the dump says that there is no prompt. */
function isWrittenAt(start: number, { promptLength, sampled }: Trajectory, mask: Uint8Array | null): boolean {
  return promptLength === 0 || mask?.[start] === 1 || sampled?.[start] === 1
}

/** The first turn of a row that begins inside it, or that has no other, with what the model wrote; null where it begins otherwise. */
export function beginsWritten(trajectory: Trajectory, { ids, mask, segmentation }: Prepared): Span | null {
  if (segmentation === null) return null
  const { turns, padding, cutLeft } = segmentation
  const end = ids.length - padding.right
  if (padding.left >= end || !isWrittenAt(padding.left, trajectory, mask)) return null
  if (!cutLeft && turns.some(({ header }) => header === 'present')) return null
  return { start: padding.left, end: Math.min(end, turns[0]?.end ?? end) }
}

/** Characters of the first visible text from which on it tells the message that it stands in. */
const TELLING_TEXT = 20

/** The end of a call, and no beginning of one before it. */
function holdsRestOfCall(text: string): boolean {
  const end = text.indexOf('</tool_call>')
  return end >= 0 && !text.slice(0, end).includes('<tool_call>')
}

/**
 * Whether the row begins inside a call, or so far inside a message of the model's that no prefill explains it, and with no words that any message begins
 * with. A dump that says that there is no prompt may store what a resumed rollout has added.
 */
function beginsInsideMessage({ messages, promptLength }: Trajectory, prepared: Prepared): boolean {
  const turn = prepared.segmentation?.turns[0]
  if (turn === undefined || promptLength === 0 || prepared.tokenizer === null) return false
  if (holdsRestOfCall(prepared.text({ start: turn.start, end: turn.contentEnd }))) return true
  if (messages === null) return false
  const visible = firstText(prepared, turn)
  if (visible.trim().length < TELLING_TEXT) return false
  if (messages.some(({ content }) => content?.trimStart().startsWith(visible.trimStart()))) return false
  const first = messages.find(({ content }) => content?.includes(visible))
  if (first === undefined || first.content === null || roleKind(first.role) !== 'assistant') return false
  const missing = encoded(prepared.tokenizer, first.content.slice(0, first.content.indexOf(visible)))
  return missing !== null && missing.length > LONGEST_PREFILL
}

/** The tool schema is rendered and not in the messages: it is lost where its record has tools and no name of theirs is left in the prompt. */
function lostParts(trajectory: Trajectory, { segmentation, ids, text }: Prepared, before: string): string[] {
  const names = (trajectory.tools ?? []).flatMap((tool) => JSON.stringify(tool)?.match(/"name":"([^"]+)"/)?.[1] ?? [])
  const first = segmentation?.turns.find(({ kind }) => kind === 'assistant')?.start ?? ids.length
  const prompt = names.length === 0 ? '' : text({ start: segmentation?.padding.left ?? 0, end: first })
  const noSchema = names.length > 0 && !names.some((name) => prompt.includes(name))
  return [...namedParts(trajectory, before), ...(noSchema ? ['tool schema'] : [])]
}

/** Characters of the first visible text by which it is found in the messages. */
const FIRST_TEXT = 60

/** From the very first token: where a header was cut, nothing tells its rest from content. The cut may fall inside a character. */
function firstText({ text }: Pick<Prepared, 'text'>, { start, contentEnd }: Turn): string {
  const visible = text({ start, end: contentEnd })
  return visible.replace(/^\uFFFD+/u, '').slice(0, FIRST_TEXT)
}

/**
 * What of the messages stands before the first visible text; null where the messages do not hold that text. What the
 * template adds around messages (headers, tool schemas) is not in them, so more may be lost.
 */
function textBefore(
  { messages }: Trajectory,
  { tokenizer, text: decode }: Prepared,
  turn: Turn,
): { readonly tokens: number; readonly text: string } | null {
  if (messages === null || tokenizer === null) return null
  const visible = firstText({ text: decode }, turn)
  if (visible.trim() === '') return null
  let tokens = 0
  let text = ''
  for (const { content } of messages) {
    if (content === null) continue
    const at = content.indexOf(visible)
    const missing = at < 0 ? content : content.slice(0, at)
    const ids = encoded(tokenizer, missing)
    if (ids === null) return null
    tokens += ids.length
    text += `${missing}\n`
    if (at >= 0) return { tokens, text }
  }
  return null
}
