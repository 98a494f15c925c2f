import { Provenance, type Segmentation, type Span, type Turn } from '../../model/tokens.ts'
import { frameLookup } from '../../tokens/frame-lookup.ts'
import { type FoundTag, findTag } from '../../tokens/tags.ts'
import { type Tokenizer, TokenKind, type TokenTable } from '../../tokens/tokenizer.ts'
import type { TrajectoryView } from '../check.ts'
import { pairsOf } from '../logprobs/scored.ts'
import { OfLast } from '../of-last.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { countOf } from '../oracles/spans.ts'
import { LONGEST_MARKER, speltEnd } from './spelt-end.ts'

/** Letters that stand where the frame of a turn has a marker. */
export interface SpeltMarker extends Span {
  /** `start`: of a turn that has no other header. `tag`: of a thought, a call or a reply. */
  readonly kind: 'start' | 'tag' | 'end'
  /** A tag in what the model wrote, of which nothing tells whether the letters are its own. */
  readonly mayBeOwn: boolean
}

const remembered = new OfLast<Segmentation, ReadonlyMap<Turn, readonly SpeltMarker[]>>()

/**
 * Markers of a turn that ordinary tokens spell, in order. Letters that the model wrote itself are its own, and so are letters inside a
 * text that has its markers.
 */
export function speltMarkers(view: TrajectoryView, turn: Turn): readonly SpeltMarker[] {
  return view.segmentation === null ? [] : (markersIn(view, view.segmentation).get(turn) ?? [])
}

/** Those of each turn that has any. */
export function markersIn(view: TrajectoryView, segmentation: Segmentation): ReadonlyMap<Turn, readonly SpeltMarker[]> {
  let found = remembered.get(segmentation)
  if (found === undefined) remembered.set(segmentation, (found = findAll(view, segmentation)))
  return found
}

/** Whether the end token of a turn stands there in letters: the turn was neither cut nor left open. */
export function endsInLetters(view: TrajectoryView, turn: Turn): boolean {
  return speltMarkers(view, turn).some(({ kind }) => kind === 'end')
}

/** Whether the header of a turn stands there in letters: it is not missing, and nothing before it was cut. */
export function startsInLetters(view: TrajectoryView, turn: Turn): boolean {
  return speltMarkers(view, turn).some(({ kind }) => kind === 'start')
}

function findAll(view: TrajectoryView, segmentation: Segmentation): ReadonlyMap<Turn, readonly SpeltMarker[]> {
  const { tokenizer } = view
  const found = new Map<Turn, SpeltMarker[]>()
  if (tokenizer === null) return found
  const written = writtenTurns(segmentation)
  const { letters } = segmentation
  let letter = 0
  let next = 0
  let hasTagIds: boolean | null = null
  const add = (turn: Turn, isWritten: boolean, kind: SpeltMarker['kind'], span: Span | null) => {
    if (span === null || isOwn(view, span)) return
    const mayBeOwn = kind === 'tag' && isWritten && isNobodysWord(view, span)
    const marker = { kind, start: span.start, end: span.end, mayBeOwn }
    const others = found.get(turn)
    if (others === undefined) found.set(turn, [marker])
    else others.push(marker)
  }
  for (const turn of segmentation.turns) {
    const isWritten = written[next] === turn
    if (isWritten) next++
    if (turn.header !== 'present') add(turn, isWritten, 'start', speltStart(view, tokenizer, turn))
    if (isWritten) {
      const from = letter
      while (letter < letters.length && (letters[letter] as number) < turn.contentEnd) letter++
      if (letter > from)
        for (const tag of speltTags(view, tokenizer, turn, letters.slice(from, letter)))
          add(turn, isWritten, 'tag', tag)
    } else if (turn.kind === 'tool' && turn.role === 'user' && (hasTagIds ??= hasIdsOfTags(view, tokenizer)))
      for (const tag of replyTags(view, tokenizer, turn)) add(turn, isWritten, 'tag', tag)
    // A turn of the environment has its end spelt only where it has no other, and another turn follows.
    const mayEnd = isWritten || (turn.endToken < 0 && turn.index < segmentation.turns.length - 1)
    if (mayEnd) add(turn, isWritten, 'end', speltEnd(view, turn))
  }
  return found
}

/** The letters that open a turn, where nothing else does. */
export const START_IN_LETTERS = /^\s*(?:<\|im_start\|>|<\|begin_of_text\|>|<\|start_header_id\|>)/

function speltStart(view: TrajectoryView, { table }: Tokenizer, { start, end }: Turn): Span | null {
  if (!mayOpen(table, view.ids, start, end)) return null
  const opening = view.text({ start, end: Math.min(end, start + 2 * LONGEST_MARKER) })
  const marker = START_IN_LETTERS.exec(opening)?.[0]
  if (marker === undefined) return null
  let past = start + 1
  while (past < end && view.text({ start, end: past }).length < marker.length) past++
  return { start, end: past }
}

const [SPACE, LESS_THAN, NOT_ASCII] = [0x20, 0x3c, 0x80]

/** Whether tokens can be the first of such letters: most turns begin with a word, behind white space at most, and need not be decoded to tell. */
function mayOpen({ bytes, kinds, offsets }: TokenTable, ids: Int32Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const id = ids[i] as number
    if (kinds[id] !== TokenKind.ordinary) return true
    for (let at = offsets[id] as number; at < (offsets[id + 1] as number); at++) {
      const byte = bytes[at] as number
      if (byte > SPACE) return byte === LESS_THAN || byte >= NOT_ASCII
    }
  }
  return false
}

/**
 * Tags in letters that take the place of those the turn lacks: around a thought at its beginning, or around a call on lines of its own.
 * `places`: where their letters may begin.
 */
function speltTags(view: TrajectoryView, tokenizer: Tokenizer, turn: Turn, places: readonly number[]): FoundTag[] {
  const letters = frameLookup(tokenizer)?.letters ?? null
  if (letters === null) return []
  const tags: FoundTag[] = []
  const { contentStart, contentEnd } = turn
  const open = {
    think: turn.spans.some(({ part, closed }) => part === 'think' && !closed),
    call: turn.spans.some(({ part, closed }) => part === 'tool_call' && !closed),
  }
  let past = contentStart
  for (const at of places) {
    const tag = at < past ? null : findTag(tokenizer.table, letters, view.ids, at, contentEnd)
    if (tag === null) continue
    const within = turn.spans.find(({ start, end }) => start < tag.start && tag.end < end)
    if (tag.name === 'think') {
      if (tag.open ? at !== contentStart : !open.think || within?.part === 'tool_call') continue
      open.think = tag.open
    } else if (tag.name === 'tool_call') {
      if (tag.open ? within !== undefined || !opensCall(view, tag, turn) : !open.call) continue
      open.call = tag.open
    } else continue
    tags.push(tag)
    past = tag.end
  }
  return tags
}

/** On a line of its own, with a call behind it: prose that speaks of the tag has neither. */
function opensCall(view: TrajectoryView, { start, end, byte }: FoundTag, { contentStart, contentEnd }: Turn): boolean {
  const before =
    view.text({ start: Math.max(contentStart, start - 1), end: start }) +
    view.text({ start, end: start + 1 }).slice(0, byte)
  if (start > contentStart && !/\n\s*$/.test(before)) return false
  return /^\s*(?:\{|<function=)/.test(view.text({ start: end, end: Math.min(contentEnd, end + 4) }))
}

/** A row without any id of thoughts and replies may be of a model whose vocabulary lacks them all. */
function hasIdsOfTags({ ids }: TrajectoryView, { frame }: Tokenizer): boolean {
  const own = [frame?.think?.open, frame?.think?.close, frame?.toolResponse?.open]
  return own.some((tag) => tag?.length === 1 && ids.includes(tag[0] as number))
}

/** The two tags between which a reply stands, where the vocabulary has them as ids and the turn has not. */
function replyTags(view: TrajectoryView, tokenizer: Tokenizer, { contentStart, contentEnd }: Turn): FoundTag[] {
  const { table } = tokenizer
  const letters = frameLookup(tokenizer)?.letters ?? null
  if (letters === null) return []
  let first = contentStart
  while (first < contentEnd && view.text({ start: first, end: first + 1 }).trim() === '') first++
  const opening = findTag(table, letters, view.ids, first, contentEnd)
  if (opening?.name !== 'tool_response' || !opening.open) return []
  for (let at = contentEnd - 1; at >= Math.max(opening.end, contentEnd - LONGEST_MARKER); at--) {
    const closing = letters.candidates.has(view.ids[at] as number)
      ? findTag(table, letters, view.ids, at, contentEnd)
      : null
    if (closing?.name === 'tool_response' && !closing.open) return [opening, closing]
  }
  return [opening]
}

/**
 * The dump says of some letter that the model wrote it, and of none that it did not: of the others it may say nothing. An exact 0.0 that the
 * trainer contradicts says that the token was forced.
 */
function isOwn(view: TrajectoryView, { start, end }: Span): boolean {
  const { provenance } = view
  if (provenance === null || countOf(provenance, Provenance.sampled, start, end) === 0) return false
  if (countOf(provenance, Provenance.notSampled, start, end) > 0) return false
  return !(pairsOf(view)?.placeholders.some((token) => token >= start && token < end) ?? false)
}

/** Neither provenance nor the mask says who wrote the letters: a model may spell a tag that it has as an id. */
function isNobodysWord({ mask, provenance }: TrajectoryView, { start, end }: Span): boolean {
  if (provenance !== null && countOf(provenance, Provenance.silent, start, end) < end - start) return false
  return mask === null || countOf(mask, 1, start, end) > 0 || !mask.includes(1)
}
