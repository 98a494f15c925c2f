import { bytesOf } from '../tokens/table.ts'
import { TokenKind, type TokenTable } from '../tokens/tokenizer.ts'

const found = new WeakMap<TokenTable, ReadonlyMap<string, number>>()
const decoder = new TextDecoder()

/** Ids of the added and special tokens of a vocabulary by their text, read once per vocabulary. */
export function specialIds(table: TokenTable): ReadonlyMap<string, number> {
  let ids = found.get(table)
  if (ids === undefined) {
    const byText = new Map<string, number>()
    for (let id = 0; id < table.size; id++) {
      const kind = table.kinds[id]
      if (kind === TokenKind.added || kind === TokenKind.special) byText.set(decoder.decode(bytesOf(table, id)), id)
    }
    ids = byText
    found.set(table, ids)
  }
  return ids
}
