import { partitionPoint } from '../model/partition-point.ts'
import { SPLICE_TAGS } from '../model/tokens.ts'
import { addedIds, bytesOf } from './table.ts'
import { TokenKind, type TokenTable } from './tokenizer.ts'

const TAG_NAMES = ['think', 'tool_call', 'tool_response', ...SPLICE_TAGS] as const
export type TagName = (typeof TAG_NAMES)[number]

/** A tag found in a sequence: `[start, end)` are the tokens that it touches, `byte` where it begins in the first of them. */
export interface FoundTag {
  readonly name: TagName
  readonly open: boolean
  readonly start: number
  readonly end: number
  readonly byte: number
}

interface Tag {
  readonly name: TagName
  readonly open: boolean
  readonly bytes: Uint8Array
}

/** The tags of one vocabulary: those that are one id, and those that text spells. */
export interface TagTable {
  readonly byId: ReadonlyMap<number, Tag>
  readonly spelt: readonly Tag[]
  /** Ids with which a tag can begin. */
  readonly candidates: ReadonlySet<number>
}

const LESS_THAN = 0x3c
const encoder = new TextEncoder()

/**
 * A tag that the vocabulary has as one id is only that id: the same letters spelt by ordinary pieces are text about the
 * tag. Only `<tool_response>` is read both ways, because it decides whose turn it is.
 */
export function tagTable(table: TokenTable): TagTable {
  const ids = new Map<string, number>()
  const decoder = new TextDecoder()
  for (const id of addedIds(table)) ids.set(decoder.decode(bytesOf(table, id)), id)
  const byId = new Map<number, Tag>()
  const spelt: Tag[] = []
  for (const name of TAG_NAMES) {
    for (const open of [true, false]) {
      const text = open ? `<${name}>` : `</${name}>`
      const tag: Tag = { name, open, bytes: encoder.encode(text) }
      const id = ids.get(text)
      if (id !== undefined) byId.set(id, tag)
      if (id === undefined || name === 'tool_response') spelt.push(tag)
    }
  }
  return { byId, spelt, candidates: new Set([...byId.keys(), ...spellingIds(table, spelt)]) }
}

/**
 * The letters of tags that the vocabulary has as one id: what spells them is text about the tag, or a frame whose tokens were lost. Null
 * where it has none of them.
 */
export function lettersOfTags(table: TokenTable, { byId }: Pick<TagTable, 'byId'>): TagTable | null {
  const spelt = [...byId.values()]
  return spelt.length === 0 ? null : { byId: new Map(), spelt, candidates: new Set(spellingIds(table, spelt)) }
}

/** Ordinary ids that hold the beginning of a spelt tag, or all of it. */
function spellingIds(table: TokenTable, tags: readonly Tag[]): number[] {
  const { size, bytes, offsets, kinds } = table
  const ids: number[] = []
  for (let at = bytes.indexOf(LESS_THAN); at >= 0; at = bytes.indexOf(LESS_THAN, at + 1)) {
    // Few have one, and going through all others to find it would take longer than everything else here.
    const id = partitionPoint(size, (each) => (offsets[each + 1] as number) <= at)
    const end = offsets[id + 1] as number
    if (kinds[id] === TokenKind.ordinary && ids.at(-1) !== id && tags.some((tag) => agrees(tag, bytes, at, end))) {
      ids.push(id)
    }
  }
  return ids
}

function agrees(tag: Tag, bytes: Uint8Array, at: number, end: number): boolean {
  const length = Math.min(tag.bytes.length, end - at)
  for (let i = 0; i < length; i++) if (bytes[at + i] !== tag.bytes[i]) return false
  return true
}

/** The tag that begins in token `at`, reading no further than token `end`; null where none does. */
export function findTag(table: TokenTable, tags: TagTable, ids: Int32Array, at: number, end: number): FoundTag | null {
  const id = ids[at] as number
  const single = tags.byId.get(id)
  if (single !== undefined) return { name: single.name, open: single.open, start: at, end: at + 1, byte: 0 }
  if (!(id >= 0 && id < table.size)) return null
  const from = table.offsets[id] as number
  const length = (table.offsets[id + 1] as number) - from
  for (let byte = 0; byte < length; byte++) {
    if (table.bytes[from + byte] !== LESS_THAN) continue
    for (const tag of tags.spelt) {
      const tagEnd = speltEnd(table, tag, ids, at, byte, end)
      if (tagEnd >= 0) return { name: tag.name, open: tag.open, start: at, end: tagEnd, byte }
    }
  }
  return null
}

/** Index after the token in which the tag ends, -1 where the bytes are others. */
function speltEnd(table: TokenTable, tag: Tag, ids: Int32Array, at: number, byte: number, end: number): number {
  let matched = 0
  for (let token = at; token < end; token++) {
    const id = ids[token] as number
    if (table.kinds[id] !== TokenKind.ordinary) return -1
    const to = table.offsets[id + 1] as number
    for (let i = (table.offsets[id] as number) + (token === at ? byte : 0); i < to; i++) {
      if (table.bytes[i] !== tag.bytes[matched]) return -1
      if (++matched === tag.bytes.length) return token + 1
    }
  }
  return -1
}
