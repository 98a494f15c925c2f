import { BYTE_OF_CHARACTER } from '../byte-alphabet.ts'
import { type AddedToken, isFields } from '../vocabulary.ts'
import type { ByteLevelEncoding, Merges, SpeltIds } from './encoding.ts'

type ByteLevelModel = Pick<ByteLevelEncoding, 'byteIds' | 'merges' | 'wholes'>

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
  return { byteIds, merges, wholes: model.ignore_merges ? readWholes(ids) : null }
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
function readMerges(listed: readonly unknown[], ids: ReadonlyMap<string, number>): Merges | null {
  const count = listed.length
  const merges = { left: new Int32Array(count), right: new Int32Array(count), joined: new Int32Array(count) }
  const inPairs = Array.isArray(listed[0])
  for (const [rank, merge] of listed.entries()) {
    const parts: unknown = inPairs ? merge : typeof merge === 'string' ? merge.split(' ') : null
    if (!Array.isArray(parts) || parts.length !== 2) return null
    const left = ids.get(parts[0])
    const right = ids.get(parts[1])
    const joined = ids.get(`${parts[0]}${parts[1]}`)
    if (left === undefined || right === undefined || joined === undefined) return null
    merges.left[rank] = left
    merges.right[rank] = right
    merges.joined[rank] = joined
  }
  return merges
}

/** Entries that leave the byte alphabet are never a piece and are left out. */
function readWholes(entries: ReadonlyMap<string, number>): SpeltIds {
  let length = 0
  for (const entry of entries.keys()) length += entry.length
  const bytes = new Uint8Array(length)
  const offsets = new Uint32Array(entries.size + 1)
  const ids = new Int32Array(entries.size).fill(-1)
  let at = 0
  let end = 0
  for (const [entry, id] of entries) {
    const start = end
    end = writeBytes(entry, bytes, start)
    if (end - start === entry.length) ids[at] = id
    offsets[++at] = end
  }
  return { bytes, offsets, ids }
}

/** Writes the bytes of an entry up to the first character outside the alphabet; returns where they end. */
function writeBytes(entry: string, bytes: Uint8Array, start: number): number {
  for (let i = 0; i < entry.length; i++) {
    const byte = BYTE_OF_CHARACTER[entry.charCodeAt(i)] ?? -1
    if (byte < 0) return start + i
    bytes[start + i] = byte
  }
  return start + entry.length
}
