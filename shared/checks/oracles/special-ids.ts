import { addedIds, bytesOf } from '../../tokens/table.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'

const found = new WeakMap<TokenTable, ReadonlyMap<string, number>>()
const decoder = new TextDecoder()

/** Ids of the added and special tokens of a vocabulary by their text, read once per vocabulary. */
export function specialIds(table: TokenTable): ReadonlyMap<string, number> {
  let ids = found.get(table)
  if (ids === undefined) {
    ids = new Map(addedIds(table).map((id) => [decoder.decode(bytesOf(table, id)), id]))
    found.set(table, ids)
  }
  return ids
}
