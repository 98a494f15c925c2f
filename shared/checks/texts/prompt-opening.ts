import type { Segmentation } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { decodeSpan } from '../../tokens/text.ts'
import type { TokenTable } from '../../tokens/tokenizer.ts'
import { LONGEST_PREFILL, storedPromptEnd } from '../oracles/prompt-end.ts'

/** How a text begins: with thoughts, with the empty block that a template puts there where thinking is off, with other words, of which the first is told, or with none. */
type Beginning = 'think' | 'no-think' | `${typeof WORDS}${string}` | 'plain'

const PLAIN = 'plain'
const WORDS = 'words:'
const BEFORE_WRITTEN = ' '

/**
 * What the prompt writes of the model's first turn, and where that is nothing, how the model itself begins: `think`, `no-think`, `words:let`, or
 * `plain` and behind it what the model writes. Null where the dump does not store how long the prompt is, where it ends before that turn or far
 * inside it, and where it writes words that are the model's, or may be: those in the loss, and what stands behind a block of thoughts.
 */
export function promptOpening(
  trajectory: Pick<Trajectory, 'promptLength' | 'ids' | 'mask'>,
  segmentation: Segmentation | null,
  table: TokenTable | null,
): string | null {
  const { ids, mask } = trajectory
  const first = segmentation?.turns.find(({ kind }) => kind === 'assistant')
  if (first?.header !== 'present' || ids === null || segmentation === null || table === null) return null
  const end = storedPromptEnd(trajectory, segmentation, segmentation.padding)
  const { headerEnd } = first
  if (end === null || end < headerEnd || end > headerEnd + LONGEST_PREFILL) return null
  const written = decodeSpan(table, ids, end, Math.min(first.end, end + LONGEST_PREFILL))
  const opening = openingOf(decodeSpan(table, ids, headerEnd, end), written)
  // A mask that is aligned to targets marks the first sampled token one place early.
  const isTrained = mask?.subarray(headerEnd, end - 1).includes(1) ?? false
  return opening !== null && isPrefill(opening) && isTrained ? null : opening
}

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

/** Whether two openings put the same before the model: a block that one run has in its prompt may be written by the model in the other. */
export function areSameOpenings(a: string, b: string): boolean {
  const [own, ownWritten] = a.split(BEFORE_WRITTEN)
  const [other, otherWritten] = b.split(BEFORE_WRITTEN)
  return own === other || own === otherWritten || ownWritten === other
}
