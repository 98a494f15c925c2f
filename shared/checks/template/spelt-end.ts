import type { Span, Turn } from '../../model/tokens.ts'
import { decodeSpan } from '../../tokens/text.ts'
import { TokenKind, type TokenTable, type TurnFrame } from '../../tokens/tokenizer.ts'
import type { PreparedTokens } from '../facts/create-facts.ts'

/** What of a row is read to find letters in it. */
export type ReadableTokens = Pick<PreparedTokens, 'ids' | 'tokenizer' | 'text'>

/** Tokens that the letters of a marker take at most. */
export const LONGEST_MARKER = 12

/** The end token in letters at the end of a turn; the newline that follows it is then the turn's last token. */
export function speltEnd(view: ReadableTokens, turn: Turn): Span | null {
  const { contentStart } = turn
  const newline = turn.endToken < 0 && view.tokenizer?.frame?.newlines.has(view.ids[turn.contentEnd - 1] ?? -1)
  const contentEnd = newline ? turn.contentEnd - 1 : turn.contentEnd
  const { table, frame } = view.tokenizer ?? {}
  return table && frame && closes(table, view.ids[contentEnd - 1] ?? -1)
    ? speltMarker(view, table, frame, contentStart, contentEnd)
    : null
}

/** A function of its own: hardly any turn gets so far, and what calls it for each would be compiled again when one does. */
function speltMarker(
  view: ReadableTokens,
  table: TokenTable,
  frame: TurnFrame,
  contentStart: number,
  contentEnd: number,
): Span | null {
  const from = Math.max(contentStart, contentEnd - LONGEST_MARKER)
  const tail = view.text({ start: from, end: contentEnd })
  const marker = frame.turnEnds.map((id) => decodeSpan(table, Int32Array.of(id))).find((each) => tail.endsWith(each))
  if (!marker) return null
  for (let start = contentEnd - 2; start >= from; start--) {
    if (view.text({ start, end: contentEnd }).endsWith(marker)) return { start, end: contentEnd }
  }
  return null
}

const GREATER_THAN = 0x3e

/** Whether an ordinary token ends as a marker does. */
function closes({ bytes, kinds, offsets }: TokenTable, id: number): boolean {
  if (kinds[id] !== TokenKind.ordinary) return false
  const end = offsets[id + 1] as number
  return offsets[id] !== end && bytes[end - 1] === GREATER_THAN
}
