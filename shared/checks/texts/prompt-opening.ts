import { Provenance, type Segmentation, type Turn } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { decodeSpan } from '../../tokens/text.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'
import { LONGEST_PREFILL, storedPromptEnd } from '../oracles/prompt-end.ts'

/** How a text begins: with thoughts, with the empty block that a template puts there where thinking is off, with other words, of which the first is told, or with none. */
type Beginning = 'think' | 'no-think' | `${typeof WORDS}${string}` | 'plain'

const PLAIN = 'plain'
const WORDS = 'words:'
const BEFORE_WRITTEN = ' '
/** The ids of the prompt are compared to their end, and what they begin the answer with is in them. */
const WHOLE = 'whole'
/** Behind an opening whose header lacks the newline that those of other turns have. */
const NO_NEWLINE = '|no-newline'

type Streams = Pick<Trajectory, 'promptLength' | 'ids' | 'mask'>

/** What tells who wrote a token: `mask` 1 where it is trained, aligned to tokens; `provenance` one `Provenance` per token. Null where the dump has none. */
export interface Writers {
  readonly mask: Uint8Array | null
  readonly provenance: Uint8Array | null
}

/**
 * What the prompt writes of the model's first turn, and where that is nothing, how the model itself begins: `think`, `no-think`, `words:let`, or
 * `plain` and behind it what the model writes; `whole` where the prompt ends in no first turn of the model. Null where nothing tells how long the
 * prompt is, where it ends far inside that turn, and where it writes words that are the model's, or may be: those in the loss, and what stands
 * behind a block of thoughts.
 */
export function promptOpening(
  trajectory: Streams,
  segmentation: Segmentation | null,
  table: TokenTable | null,
  writers: Writers,
): string | null {
  const { ids, promptLength } = trajectory
  if (ids === null) return null
  const first = segmentation?.turns.find(({ kind }) => kind === 'assistant')
  if (segmentation === null || first === undefined) return promptLength === null ? null : WHOLE
  const stored = storedPromptEnd(trajectory, segmentation, segmentation.padding)
  if (stored !== null && stored > first.contentStart + LONGEST_PREFILL) return WHOLE
  if (first.header !== 'present' || table === null) return null
  const opening =
    stored === null || stored < first.headerEnd
      ? openingByWriters(ids, first, table, writers)
      : openingByLength(trajectory, first, table, stored)
  return opening !== null && lacksNewline(ids, segmentation, first, table) ? `${opening}${NO_NEWLINE}` : opening
}

function openingByLength({ ids, mask }: Streams, first: Turn, table: TokenTable, end: number): string | null {
  const { headerEnd } = first
  if (ids === null || end > headerEnd + LONGEST_PREFILL) return null
  const opening = openingAt(ids, first, table, end)
  // A mask that is aligned to targets marks the first sampled token one place early.
  const isTrained = mask?.subarray(headerEnd, end - 1).includes(1) ?? false
  return opening !== null && isPrefill(opening) && isTrained ? null : opening
}

function openingAt(ids: Int32Array, { headerEnd, end }: Turn, table: TokenTable, at: number): string | null {
  const written = decodeSpan(table, ids, at, Math.min(end, at + LONGEST_PREFILL))
  return openingOf(decodeSpan(table, ids, headerEnd, at), written)
}

/**
 * The same where no length is stored: what nobody sampled behind the header is the prompt's. A mask alone tells it of nothing, since thoughts may be
 * left out of the loss; nor do placeholders that may be logprobs tell it of words, of whose first the model may be certain in all rollouts.
 */
function openingByWriters(ids: Int32Array, first: Turn, table: TokenTable, writers: Writers): string | null {
  const end = sampledFrom(first, writers)
  if (end === null) return null
  const { provenance } = writers
  const opening = openingAt(ids, first, table, end)
  if (opening === null) return null
  if (isPrefill(opening)) return provenance?.subarray(first.headerEnd, end).includes(Provenance.silent) ? null : opening
  // Of an empty block of which no token has a logprob that tells, it may be either that writes it (decision 56).
  const isUntold = opening === `${PLAIN}${BEFORE_WRITTEN}no-think` && !blockIsSampled(first, provenance)
  return isUntold ? null : opening
}

/** Token from which on the model wrote its first turn, `LONGEST_PREFILL` behind the header at most; null where that is not told. */
function sampledFrom({ headerEnd, end }: Turn, { mask, provenance }: Writers): number | null {
  const last = Math.min(end - 1, headerEnd + LONGEST_PREFILL)
  let isSure = true
  for (let at = headerEnd; at <= last; at++) {
    const told = provenance?.[at] ?? Provenance.silent
    if (told === Provenance.sampled) return isSure || mask?.[at] === 1 ? at : null
    if (told === Provenance.silent) {
      if (mask?.[at] === 1) return at
      if (mask === null || provenance === null) return null
      isSure = false
    }
  }
  return null
}

function blockIsSampled({ headerEnd, contentStart, end }: Turn, provenance: Uint8Array | null): boolean {
  const to = contentStart > headerEnd ? contentStart : Math.min(end, headerEnd + EMPTY_BLOCK)
  return provenance?.subarray(headerEnd, to).includes(Provenance.sampled) ?? false
}

/** Tokens of an empty block of thoughts, as Qwen3 writes it: two tags and the newlines behind each. */
const EMPTY_BLOCK = 4

/** A header of another's turn ends with a newline, and the model's does not, nor does the token behind it begin with one. */
function lacksNewline(ids: Int32Array, { turns }: Segmentation, first: Turn, table: TokenTable): boolean {
  const byteAt = (offset: number) => table.bytes[offset]
  const endsLine = (at: number) => byteAt((table.offsets[(ids[at] as number) + 1] as number) - 1) === NEWLINE
  const other = turns.find(({ kind, header }) => kind !== 'assistant' && kind !== 'other' && header === 'present')
  if (other === undefined || !endsLine(other.headerEnd - 1) || endsLine(first.headerEnd - 1)) return false
  return first.headerEnd >= first.end || byteAt(table.offsets[ids[first.headerEnd] as number] as number) !== NEWLINE
}

const NEWLINE = 0x0a

/** The same of texts: what stands behind the header of the model's turn in the prompt, and what the model wrote. */
export function openingOf(prefill: string, written: string): string | null {
  if (prefill.trim() === '') return `${PLAIN}${BEFORE_WRITTEN}${beginningOf(written)}`
  const opened = beginningOf(prefill)
  if (isPrefill(opened)) return opened
  const rest = prefill.trim().replace(/^<think>\s*(?:<\/think>)?/, '')
  return opened === PLAIN || rest !== '' ? null : opened
}

function beginningOf(text: string): Beginning {
  const block = /^\s*<think>\s*(<\/think>)?/.exec(text)
  if (block !== null) return block[1] === undefined ? 'think' : 'no-think'
  const word = /[\p{L}\p{N}]{1,16}/u.exec(text)?.[0].toLowerCase()
  return word === undefined ? PLAIN : `${WORDS}${word}`
}

/** Whether an opening is of words that the prompt writes, of which other rollouts tell whether they are the model's. */
export function isPrefill(opening: string): boolean {
  return opening.startsWith(WORDS)
}

/** Whether an opening tells of the words with which a run begins its answers. */
export function tellsWords(opening: string): boolean {
  return opening !== WHOLE
}

/** Whether two openings put the same before the model: a block that one run has in its prompt may be written by the model in the other. */
export function areSameOpenings(a: string, b: string): boolean {
  if (a === WHOLE || b === WHOLE) return true
  if (a.endsWith(NO_NEWLINE) !== b.endsWith(NO_NEWLINE)) return false
  const [own, ownWritten] = a.replace(NO_NEWLINE, '').split(BEFORE_WRITTEN)
  const [other, otherWritten] = b.replace(NO_NEWLINE, '').split(BEFORE_WRITTEN)
  return own === other || own === otherWritten || ownWritten === other
}
