import { Provenance, type Turn } from '../../model/tokens.ts'
import { decodeSpan } from '../../tokens/text.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { storedPromptEnd } from './prompt-end.ts'
import { countOf } from './spans.ts'

/** Tokens that an opening think tag and the newline after it take at the very start of a turn's content. */
export function openThinkLength(turn: Turn, ids: Int32Array, tokenizer: Tokenizer): number {
  if (tokenizer.frame?.sharedEnds !== undefined) {
    const length = emptyThoughtLength(turn, ids, tokenizer)
    if (length > 0) return length
  }
  if (!opensWithThought(turn)) return 0
  const longest = Math.min(turn.contentEnd, turn.contentStart + 8)
  let spelt = ''
  for (let end = turn.contentStart + 1; end <= longest; end++) {
    spelt += decodeSpan(tokenizer.table, ids, end - 1, end)
    // Pieces of one character are no text by themselves.
    const text = spelt.includes('\uFFFD') ? decodeSpan(tokenizer.table, ids, turn.contentStart, end) : spelt
    if (!/^\s*<think>/.test(text)) continue
    return end - turn.contentStart + (tokenizer.frame?.newlines.has(ids[end] ?? -1) ? 1 : 0)
  }
  return 0
}

/** GLM's empty thought at the start of a turn: the template's where it is asked for no thoughts, and the model's own where it has none. */
function emptyThoughtLength({ contentStart, contentEnd, spans }: Turn, ids: Int32Array, { table }: Tokenizer): number {
  const [thought] = spans
  if (thought?.part !== 'think' || thought.end > Math.min(contentEnd, contentStart + MOST_OF_EMPTY)) return 0
  const isEmpty = /^\n?(?:<think>)?<\/think>$/.test(decodeSpan(table, ids, contentStart, thought.end))
  return isEmpty ? thought.end - contentStart : 0
}

/** A newline and two tags. */
const MOST_OF_EMPTY = 3

function opensWithThought({ kind, contentStart, spans }: Turn): boolean {
  return kind === 'assistant' && spans.some(({ part, start }) => part === 'think' && start === contentStart)
}

/** A view before anything is kept of it. */
type OpenView = Omit<TrajectoryView, 'facts'>

/** What a rollout shows of the think tags that its turns begin with. */
export interface OpenTags {
  /** The turn whose tag the mask leaves out while it trains the words behind it: whoever made the mask took the tag for the template's. */
  readonly leftOut: { readonly turn: Turn; readonly length: number } | null
  /** Some tag is trained, of which nothing says who wrote it. */
  readonly trained: boolean
  /** The dump says of a tag that the model wrote it. */
  readonly own: boolean
}

const NONE: OpenTags = { leftOut: null, trained: false, own: false }

const known = new OfLast<OpenView, OpenTags>()

export function openTags(view: OpenView): OpenTags {
  let tags = known.get(view)
  if (tags === undefined) {
    tags = readTags(view)
    known.set(view, tags)
  }
  return tags
}

function readTags(view: OpenView): OpenTags {
  const { segmentation, mask, provenance, trajectory } = view
  if (segmentation === null || mask === null) return NONE
  const prompt = storedPromptEnd(trajectory, segmentation, segmentation.padding)
  let { leftOut, trained, own } = NONE
  for (const turn of segmentation.turns) {
    const { contentStart, contentEnd, headerEnd } = turn
    if (headerEnd < contentStart || contentStart === contentEnd || !opensWithThought(turn)) continue
    if (mask[contentStart] === 1) {
      trained = true
      // What the response begins with the model wrote; unless where it begins is known of the mask alone, and the flags leave the tag open.
      const isOpen = trajectory.sampled !== null && provenance?.[contentStart] === Provenance.silent
      own ||= (contentStart === prompt && !isOpen) || provenance?.[contentStart] === Provenance.sampled
    } else leftOut ??= leftOutOf(view, turn, mask)
  }
  return { leftOut, trained, own }
}

/** How many tokens of the tag the mask leaves out, where it trains all behind it that may be the tag's, and the words. */
function leftOutOf({ ids, tokenizer, provenance, text }: OpenView, turn: Turn, mask: Uint8Array): OpenTags['leftOut'] {
  const { contentStart } = turn
  const tag = tokenizer === null ? 0 : openThinkLength(turn, ids, tokenizer)
  let length = 0
  while (length < tag && mask[contentStart + length] === 0) length++
  if (length === 0 || mask[contentStart + length] !== 1) return null
  if (provenance !== null && countOf(provenance, Provenance.sampled, contentStart, contentStart + length) > 0)
    return null
  return text({ start: contentStart, end: contentStart + length }).includes('<think>') ? { turn, length } : null
}

/**
 * Token after the think tag that a turn begins with, where masks show that the template writes it: this rollout's own in another turn, or those of the
 * rollouts beside it. Null where they do not, or something says that the model writes such tags itself.
 */
export function templatesTagEnd(view: TrajectoryView, turn: Turn): number | null {
  const { ids, tokenizer, tagsBeside, trajectory, thresholds } = view
  if (tokenizer === null || turn.headerEnd < turn.contentStart || !opensWithThought(turn)) return null
  const { leftOut, own } = openTags(view)
  const { contentStart } = turn
  if (own) return null
  // What others show is asked of tags that are trained, and of no mask that goes another way with them.
  const isTrained = view.mask?.[contentStart] === 1
  if (isTrained && tagsBeside === 'model') return null
  if (leftOut === null && !(isTrained && tagsBeside === 'template')) return null
  const length = leftOut?.length ?? openThinkLength(turn, ids, tokenizer)
  if (leftOut !== null) {
    const from = leftOut.turn.contentStart
    for (let i = 0; i < length; i++) if (ids[contentStart + i] !== ids[from + i]) return null
  }
  const { sampler, trainer } = trajectory.logprobs
  // Both engines were certain of it, which they are of what the model writes at the beginning of each turn.
  const end = contentStart + length
  const least = -thresholds['not-certain']
  return sampler !== null && trainer?.subarray(contentStart, end).every((logprob) => logprob >= least) ? null : end
}
