import { byteLevelEncoder } from '../bpe/byte-level-encoder.ts'
import type { ByteLevelEncoding, SpeltIds } from '../bpe/encoding.ts'
import { spellBytes } from '../byte-alphabet.ts'
import { type Encoder, ordinaryOf, withSpecials } from '../encoder.ts'
import { bytesOf } from '../table.ts'
import { type Tokenizer, type TokenizerName, TokenKind, type TokenTable } from '../tokenizer.ts'
import { TokenizerError } from '../tokenizer-error.ts'
import { aligned, type CompactHeader, HEADER_AT, MAGIC, sectionsOf } from './layout.ts'

/**
 * A tokenizer from its compact form, the same as from its `tokenizer.json`. What is in the file is copied, so that it can be let go.
 * The first `encode` lays the merges out to be looked up. Throws `TokenizerError` where the bytes are of something else.
 */
export function compactTokenizer(file: Uint8Array, name: TokenizerName): Tokenizer {
  const { header, section } = openCompact(file)
  const table = readTable(header, section)
  const contents = new Map(header.added.map(({ id, content }) => [id, content]))
  let encoding: (() => ByteLevelEncoding) | null = readCompactEncoding(header, section, table)
  let encoder: Encoder | null = null
  return {
    ...name,
    table,
    frame: header.frame === null ? null : { ...header.frame, newlines: new Map(header.frame.newlines) },
    template: header.template,
    learned: header.learned,
    raw: (id) => contents.get(id) ?? (table.kinds[id] === TokenKind.ordinary ? spellBytes(bytesOf(table, id)) : null),
    encode(text, options) {
      if (encoding !== null) {
        encoder = withSpecials(byteLevelEncoder(encoding()), header.added)
        encoding = null
      }
      return (encoder as Encoder)(text, options?.specials === true)
    },
  }
}

type SectionName = keyof ReturnType<typeof sectionsOf>
/** A copy of a section's bytes. */
type Sections = (name: SectionName) => ArrayBuffer

function openCompact(file: Uint8Array): { readonly header: CompactHeader; readonly section: Sections } {
  const start = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (file.length < HEADER_AT || start.getUint32(0, true) !== MAGIC) refuse('it begins with something else')
  const headerLength = start.getUint32(4, true)
  const text = file.subarray(HEADER_AT, HEADER_AT + headerLength)
  if (text.length < headerLength) refuse('it ends within its header')
  const header = JSON.parse(new TextDecoder().decode(text)) as CompactHeader
  const places = new Map<string, readonly [number, number]>()
  let at = HEADER_AT + aligned(headerLength)
  for (const [name, size] of Object.entries(sectionsOf(header))) {
    places.set(name, [at, at + size])
    at += aligned(size)
  }
  if (at !== file.length) refuse(`it has ${file.length} bytes and not ${at}`)
  return {
    header,
    section: (name) => {
      const [from, to] = places.get(name) as readonly [number, number]
      return new Uint8Array(file.subarray(from, to)).buffer
    },
  }
}

function refuse(why: string): never {
  throw new TokenizerError(`not a tokenizer in compact form: ${why}. Build the application again, or install it again.`)
}

function readTable({ size }: CompactHeader, section: Sections): TokenTable {
  const lengths = new Uint16Array(section('lengths'))
  const offsets = new Uint32Array(size + 1)
  for (let id = 0, at = 0; id < size; id++) offsets[id + 1] = at += lengths[id] as number
  const bytes = (name: SectionName) => new Uint8Array(section(name))
  return { size, bytes: bytes('bytes'), offsets, kinds: bytes('kinds'), textMarks: bytes('marks') }
}

/** Copies the sections at once; what has to be worked out waits until it is called. */
function readCompactEncoding(header: CompactHeader, section: Sections, table: TokenTable): () => ByteLevelEncoding {
  const joined = new Int32Array(section('joinedSteps'))
  const merges = { left: new Int32Array(section('left')), right: new Int32Array(section('right')), joined }
  const byteIds = new Int32Array(section('byteIds'))
  const wholes = new Int32Array(section('wholes'))
  return () => {
    for (let rank = 1; rank < joined.length; rank++) {
      joined[rank] = (joined[rank] as number) + (joined[rank - 1] as number)
    }
    return {
      pattern: new RegExp(header.pattern, 'gu'),
      composes: header.composes,
      added: ordinaryOf(header.added),
      byteIds,
      merges,
      wholes: header.wholes === null ? null : speltIds(table, wholes),
    }
  }
}

function speltIds(table: TokenTable, ids: Int32Array): SpeltIds {
  const offsets = new Uint32Array(ids.length + 1)
  for (const [i, id] of ids.entries()) offsets[i + 1] = (offsets[i] as number) + bytesOf(table, id).length
  const bytes = new Uint8Array(offsets[ids.length] as number)
  for (const [i, id] of ids.entries()) bytes.set(bytesOf(table, id), offsets[i])
  return { bytes, offsets, ids }
}
