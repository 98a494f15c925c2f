import { BYTE_OF_CHARACTER } from '../byte-alphabet.ts'
import { type AddedToken, isFields } from '../vocabulary.ts'
import { MergeTable } from './merge-table.ts'
import { WholeTable } from './whole-table.ts'

/** A byte-level byte-pair encoding, ready to encode. */
export interface ByteLevelModel {
  /** Id of each of the 256 bytes. */
  readonly byteIds: Int32Array
  readonly merges: MergeTable
  /** Ids of whole pieces that are taken before any merge; null where merges decide. */
  readonly wholes: WholeTable | null
}

/**
 * The model of a `tokenizer.json`; null where it is of another kind, or where its ids alone could not tell what the
 * library makes of the entries' text: a merge whose parts or result are no entries, a byte without entry, two entries
 * with one id.
 */
export function readByteLevelModel(model: unknown, added: readonly AddedToken[]): ByteLevelModel | null {
  if (!isFields(model) || model.type !== 'BPE' || !isFields(model.vocab) || !Array.isArray(model.merges)) return null
  const asks = [model.dropout, model.byte_fallback, model.fuse_unk, model.continuing_subword_prefix]
  if ([...asks, model.continuing_subword_suffix, model.end_of_word_suffix].some(Boolean)) return null
  const ids = new Map(Object.entries(model.vocab as Record<string, number>))
  if (new Set(ids.values()).size !== ids.size) return null
  // The library's id of an entry is the added token's of the same text.
  for (const { content, id } of added) {
    if ((ids.get(content) ?? id) !== id) return null
    ids.set(content, id)
  }
  const byteIds = readByteIds(ids)
  const merges = byteIds === null ? null : readMerges(model.merges, ids)
  if (byteIds === null || merges === null) return null
  return { byteIds, merges, wholes: model.ignore_merges ? new WholeTable(ids) : null }
}

function readByteIds(ids: ReadonlyMap<string, number>): Int32Array | null {
  const byteIds = new Int32Array(256)
  for (const [code, byte] of BYTE_OF_CHARACTER.entries()) {
    if (byte < 0) continue
    const id = ids.get(String.fromCharCode(code))
    if (id === undefined) return null
    byteIds[byte] = id
  }
  return byteIds
}

/** Merges are pairs (`["a", "b"]`) or, in older files, one string (`"a b"`); which of them, the first one tells. */
function readMerges(listed: readonly unknown[], ids: ReadonlyMap<string, number>): MergeTable | null {
  const merges = new MergeTable(listed.length)
  const inPairs = Array.isArray(listed[0])
  for (const [rank, merge] of listed.entries()) {
    const parts: unknown = inPairs ? merge : typeof merge === 'string' ? merge.split(' ') : null
    if (!Array.isArray(parts) || parts.length !== 2) return null
    const left = ids.get(parts[0])
    const right = ids.get(parts[1])
    const joined = ids.get(`${parts[0]}${parts[1]}`)
    if (left === undefined || right === undefined || joined === undefined) return null
    merges.set(left, right, rank, joined)
  }
  return merges
}
