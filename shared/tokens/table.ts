import { BYTE_OF_CHARACTER } from './byte-alphabet.ts'
import { type TokenizerFiles, TokenKind, type TokenTable } from './tokenizer.ts'
import { readVocabulary, type Spelling, type Vocabulary } from './vocabulary.ts'

const encoder = new TextEncoder()
const BYTE_FALLBACK = /^<0x([0-9A-Fa-f]{2})>$/

/** The exact bytes of every id of a `tokenizer.json`. Throws `TokenizerError` where it is none. */
export function buildTokenTable(files: TokenizerFiles): TokenTable {
  return tableOf(readVocabulary(files))
}

/** As `buildTokenTable`, from a vocabulary that was read already. */
export function tableOf(vocabulary: Vocabulary): TokenTable {
  const { size, entries, added, spelling } = vocabulary
  const kinds = new Uint8Array(size)
  for (let id = 0; id < size; id++) if (entries[id] !== null) kinds[id] = TokenKind.ordinary
  for (const { id, special } of added) kinds[id] = special ? TokenKind.special : TokenKind.added

  const offsets = new Uint32Array(size + 1)
  let bytes = new Uint8Array(size * 8)
  let at = 0
  for (let id = 0; id < size; id++) {
    const entry = entries[id] as string | null
    if (entry !== null) {
      // No spelling needs more than three bytes for a UTF-16 code unit.
      if (at + entry.length * 3 > bytes.length) bytes = grow(bytes, at + entry.length * 3)
      // Added tokens are their literal content: they never pass through the alphabet.
      at = write(entry, kinds[id] === TokenKind.ordinary ? spelling : 'plain', bytes, at)
    }
    offsets[id + 1] = at
  }
  return { size, bytes: bytes.slice(0, at), offsets, kinds }
}

function grow(bytes: Uint8Array<ArrayBuffer>, needed: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.max(needed, bytes.length * 2))
  larger.set(bytes)
  return larger
}

function write(entry: string, spelling: Spelling, bytes: Uint8Array, at: number): number {
  if (spelling === 'byte-level') {
    const start = at
    for (let i = 0; i < entry.length; i++) {
      const byte = BYTE_OF_CHARACTER[entry.charCodeAt(i)] ?? -1
      // An entry outside the alphabet (an unlisted control token) is its own text.
      if (byte < 0) return start + encoder.encodeInto(entry, bytes.subarray(start)).written
      bytes[at++] = byte
    }
    return at
  }
  let text = entry
  if (spelling === 'metaspace') {
    const fallback = BYTE_FALLBACK.exec(entry)
    if (fallback !== null) {
      bytes[at] = Number.parseInt(fallback[1] as string, 16)
      return at + 1
    }
    text = entry.replaceAll('▁', ' ')
  } else if (spelling === 'word-piece') {
    text = entry.startsWith('##') ? entry.slice(2) : entry
  }
  return at + encoder.encodeInto(text, bytes.subarray(at)).written
}

/** The ids of added and special tokens, ascending. */
export function addedIds({ kinds }: TokenTable): number[] {
  const ids: number[] = []
  // A vocabulary has few of them, and the engine's own search goes over the others in no time.
  for (const kind of [TokenKind.added, TokenKind.special]) {
    for (let id = kinds.indexOf(kind); id >= 0; id = kinds.indexOf(kind, id + 1)) ids.push(id)
  }
  return ids.sort((a, b) => a - b)
}

/** The bytes of one id; empty for an id that the table does not have. */
export function bytesOf(table: TokenTable, id: number): Uint8Array {
  if (!(id >= 0 && id < table.size)) return table.bytes.subarray(0, 0)
  return table.bytes.subarray(table.offsets[id], table.offsets[id + 1])
}
