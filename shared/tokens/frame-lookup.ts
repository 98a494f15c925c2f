import { type IdSet, idSet } from './id-set.ts'
import { lettersOfTags, type TagTable, tagTable } from './tags.ts'
import { type Tokenizer, TokenKind, type TokenTable, type TurnFrame } from './tokenizer.ts'

/** What an id can mean to a frame; bits of `FrameLookup.marks`. */
export const Mark = {
  turnStart: 1,
  turnEnd: 2,
  headerEnd: 4,
  bos: 8,
  textEnd: 16,
  /** A tag may begin in it, or it is `<|python_tag|>`. */
  tag: 32,
  /** Its first byte is a newline. */
  newline: 64,
  /** Not text: white space only, or a special token. */
  blank: 128,
} as const

/** Opens a turn, and ends the model's before it. It has `Mark.turnStart`, and no mark of its own: a byte has no room for a ninth. */
export function isSharedEnd({ frame: { sharedEnds } }: FrameLookup, id: number): boolean {
  return sharedEnds?.includes(id) === true
}

/** A tokenizer's frame, laid out for one pass over ids. */
export interface FrameLookup {
  readonly frame: TurnFrame
  readonly table: TokenTable
  readonly tags: TagTable
  /** Tags that the vocabulary has as one id, by their letters; null where it has none of them. */
  readonly letters: TagTable | null
  /** Bits of `Mark`, one byte per id. */
  readonly marks: Uint8Array
  /** No id below it stands for a start or an end of anything. */
  readonly lowestStop: number
  /** Those ids, those in which a tag may begin, and those in which the letters of one may. */
  readonly stopsAndTags: IdSet
  /** Roles that one token spells, by its id, as they were met. */
  readonly roles: Map<number, string>
}

const lookups = new WeakMap<TokenTable, FrameLookup>()

/** Made once per tokenizer; null where its vocabulary frames no turns. */
export function frameLookup({ table, frame }: Pick<Tokenizer, 'table' | 'frame'>): FrameLookup | null {
  if (frame === null) return null
  let lookup = lookups.get(table)
  if (lookup === undefined) {
    const tags = tagTable(table)
    const letters = lettersOfTags(table, tags)
    const stops = [...turnStarts(frame), ...frame.turnEnds, ...frame.bos, ...frame.textEnds].filter((id) => id >= 0)
    lookup = {
      frame,
      table,
      tags,
      letters,
      marks: marksOf(frame, table, tags),
      lowestStop: Math.min(table.size, ...stops),
      stopsAndTags: idSet(table.size, [...stops, ...tags.candidates, ...(letters?.candidates ?? []), frame.pythonTag]),
      roles: new Map(),
    }
    lookups.set(table, lookup)
  }
  return lookup
}

/** Ids that open a turn. */
export function turnStarts({ turnStart, openers = [] }: TurnFrame): number[] {
  return [turnStart, ...openers.map(({ id }) => id)]
}

/** What the texts of ids tell of them, whatever the frame: `newline` and `blank` of `Mark`, a byte per id. */
export function textMarks({ size, bytes, offsets, kinds }: TokenTable): Uint8Array {
  const marks = new Uint8Array(size)
  for (let id = 0; id < size; id++) {
    const from = offsets[id] as number
    const to = offsets[id + 1] as number
    const kind = kinds[id]
    if (kind === TokenKind.special) marks[id] = Mark.blank
    // Most begin with a letter, which says nothing.
    if (to > from && !isSpace(bytes[from] as number)) continue
    let at = from
    while (at < to && isSpace(bytes[at] as number)) at++
    if (kind !== TokenKind.ordinary && (kind !== TokenKind.added || at < to)) continue
    marks[id] = (bytes[from] === 0x0a && to > from ? Mark.newline : 0) | (at === to ? Mark.blank : 0)
  }
  return marks
}

function marksOf(frame: TurnFrame, table: TokenTable, tags: TagTable): Uint8Array {
  const marks = table.textMarks?.slice() ?? textMarks(table)
  const { size } = table
  const mark = (ids: Iterable<number>, bit: number) => {
    for (const id of ids) if (id >= 0 && id < size) marks[id] = (marks[id] as number) | bit
  }
  mark(turnStarts(frame), Mark.turnStart)
  mark(frame.turnEnds, Mark.turnEnd)
  mark([frame.headerEnd], Mark.headerEnd)
  mark(frame.bos, Mark.bos)
  mark(frame.textEnds, Mark.textEnd)
  mark(tags.candidates, Mark.tag)
  mark([frame.pythonTag], Mark.tag)
  return marks
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}
