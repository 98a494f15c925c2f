import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers'
import type { ByteLevelEncoding } from '../bpe/encoding.ts'
import { mergeIds } from '../bpe/merge.ts'
import { MergeTable } from '../bpe/merge-table.ts'
import { readEncoding } from '../bpe/read-encoding.ts'
import { spellBytes } from '../byte-alphabet.ts'
import { chatTemplate } from '../chat-template.ts'
import { ordinaryOf } from '../encoder.ts'
import { turnFrame } from '../frame.ts'
import { textMarks } from '../frame-lookup.ts'
import { bytesOf, tableOf } from '../table.ts'
import { learnedTemplateOf } from '../template/rerender.ts'
import { type TokenizerFiles, TokenKind, type TokenTable } from '../tokenizer.ts'
import { TokenizerError } from '../tokenizer-error.ts'
import { readVocabulary, type Vocabulary } from '../vocabulary.ts'
import { aligned, type CompactHeader, HEADER_AT, MAGIC, sectionsOf } from './layout.ts'

const LONGEST = 0xffff

/**
 * The compact form of a byte-level tokenizer, held id by id against what the library reads from the same files. Made when the
 * application is built. Throws `TokenizerError` where the tokenizer has something that this form has no place for.
 */
export function writeCompact(files: TokenizerFiles): Uint8Array {
  const vocabulary = readVocabulary(files)
  const table = tableOf(vocabulary)
  const template = chatTemplate(files.config)
  const frame = turnFrame(vocabulary, table, files.config, template)
  const ordinary = ordinaryOf(vocabulary.added)
  const encoding = readEncoding(files, vocabulary, ordinary)
  if (encoding === null) refuse('its steps are not those of our encoder')
  if (frame?.style === 'learned') refuse('its turns are read off its template')
  if (encoding.wholes !== null && ordinary.length > 0) refuse('added tokens may be whole pieces')
  if (!isSpeltByBytes(vocabulary, table)) refuse('an entry is not spelt in the byte alphabet, or too long')
  holdAgainstLibrary(files, vocabulary)

  const { merges } = encoding
  const wholes = encoding.wholes === null ? null : notReached(table, encoding)
  const header: CompactHeader = {
    size: table.size,
    byteCount: table.bytes.length,
    merges: merges.joined.length,
    pattern: encoding.pattern.source,
    composes: encoding.composes,
    wholes: wholes?.length ?? null,
    added: vocabulary.added,
    template,
    learned: learnedTemplateOf({ template, frame }),
    frame: frame === null ? null : { ...frame, newlines: [...frame.newlines] },
  }
  const text = new TextEncoder().encode(JSON.stringify(header))
  const sizes = sectionsOf(header)
  const total = Object.values(sizes).reduce((sum, size) => sum + aligned(size), HEADER_AT + aligned(text.length))
  const file = new Uint8Array(total)
  const start = new DataView(file.buffer)
  start.setUint32(0, MAGIC, true)
  start.setUint32(4, text.length, true)
  file.set(text, HEADER_AT)
  const contents: Record<keyof typeof sizes, ArrayBufferView> = {
    lengths: Uint16Array.from({ length: table.size }, (_, id) => bytesOf(table, id).length),
    kinds: table.kinds,
    marks: textMarks(table),
    byteIds: encoding.byteIds,
    left: merges.left,
    right: merges.right,
    // Nearly all are 0 or 1, which packs well.
    joinedSteps: merges.joined.map((id, rank) => id - (merges.joined[rank - 1] ?? 0)),
    wholes: wholes ?? new Int32Array(0),
    bytes: table.bytes,
  }
  let at = HEADER_AT + aligned(text.length)
  for (const [name, size] of Object.entries(sizes) as [keyof typeof sizes, number][]) {
    const { buffer, byteOffset, byteLength } = contents[name]
    if (byteLength !== size) throw new TokenizerError(`the section ${name} has ${byteLength} bytes, not ${size}.`)
    file.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += aligned(size)
  }
  return file
}

function refuse(why: string): never {
  throw new TokenizerError(`this tokenizer has no compact form: ${why}.`)
}

/** Ordinary ids whose bytes the merges do not join into them: the only ones for which it matters that they are taken whole. */
function notReached(table: TokenTable, { byteIds, merges }: ByteLevelEncoding): Int32Array {
  const mergeTable = new MergeTable(merges)
  return Int32Array.from(table.kinds.keys()).filter((id) => {
    if (table.kinds[id] !== TokenKind.ordinary) return false
    const ids = Int32Array.from(bytesOf(table, id), (byte) => byteIds[byte] as number)
    return mergeIds(ids, ids.length, mergeTable) !== 1 || ids[0] !== id
  })
}

function isSpeltByBytes({ entries }: Vocabulary, table: TokenTable): boolean {
  return entries.every((entry, id) => {
    const bytes = bytesOf(table, id)
    const isOrdinary = table.kinds[id] === TokenKind.ordinary
    return bytes.length <= LONGEST && (!isOrdinary || spellBytes(bytes) === entry)
  })
}

function holdAgainstLibrary(files: TokenizerFiles, { entries }: Vocabulary): void {
  const library = new LibraryTokenizer(files.tokenizer as object, files.config as object)
  for (const [id, entry] of entries.entries()) {
    const theirs = library.id_to_token(id) ?? null
    const back = entry === null ? id : library.token_to_id(entry)
    if (theirs === entry && back === id) continue
    refuse(
      `the library reads id ${id} as ${JSON.stringify(theirs)} and back as ${back}, we as ${JSON.stringify(entry)}`,
    )
  }
}
