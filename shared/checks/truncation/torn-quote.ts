import type { Segmentation } from '../../model/tokens.ts'
import { decodeSpan } from '../../tokens/text.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'
import { FORGED, type Reply } from './cut-replies.ts'

/**
 * Whether a reply that is written as a JSON string, as Llama's template does, ends before its closing quote, which stands at the end of another turn. From
 * one quote to the other all is one string, with the tokens between as the texts that they were born from: no header that a template writes could be in
 * it, as its newlines are not escaped. Null where no quote opens the reply.
 */
export function isTornQuote(
  table: TokenTable,
  ids: Int32Array,
  { turns }: Segmentation,
  { turn, start, end }: Reply,
): boolean | null {
  if (turn.kind !== 'tool' || end <= start || !decodeSpan(table, ids, start, start + 1).startsWith('"')) return null
  if (turn.endToken < 0 || isQuoted(table, ids, end)) return false
  return turns
    .slice(turn.index + 1, turn.index + 1 + FORGED)
    .some(
      ({ contentEnd, endToken }) =>
        endToken >= 0 && isQuoted(table, ids, contentEnd) && isJsonString(decodeSpan(table, ids, start, contentEnd)),
    )
}

function isQuoted(table: TokenTable, ids: Int32Array, end: number): boolean {
  return decodeSpan(table, ids, end - 1, end).endsWith('"')
}

function isJsonString(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'string'
  } catch {
    return false
  }
}
