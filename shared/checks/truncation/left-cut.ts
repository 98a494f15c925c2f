import type { Turn } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { PreparedTokens } from '../create-facts.ts'
import { encoded } from '../encoded.ts'
import { OfLast } from '../of-last.ts'
import { START_IN_LETTERS } from '../template/spelt-markers.ts'
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
  // A row that stores the completion alone begins with sampled text, by design.
  if (trajectory.promptLength === 0 || mask?.[start] === 1 || trajectory.sampled?.[start] === 1) return null
  // A row that spells its first markers is whole (T16).
  if (START_IN_LETTERS.test(prepared.text({ start, end: Math.min(start + 12, ids.length) }))) return null
  const turn = segmentation.turns[0] ?? null
  const end = turn === null ? Math.min(start + 1, ids.length) : Math.max(turn.end, start + 1)
  const before = turn === null ? null : textBefore(trajectory, prepared, turn)
  const lost = before === null ? null : { tokens: before.tokens, parts: lostParts(trajectory, prepared, before.text) }
  return { turn, start, end, lost }
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
  // From the very first token: where a header was cut, nothing tells its rest from content. The cut may fall inside a character.
  const visible = decode({ start: turn.start, end: turn.contentEnd })
    .replace(/^\uFFFD+/u, '')
    .slice(0, FIRST_TEXT)
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
