import { Provenance, type Turn } from '../../model/tokens.ts'
import { learnedTemplateOf } from '../../tokens/template/rerender.ts'
import type { TrajectoryView } from '../check.ts'
import { LONGEST_PREFILL } from './prompt-end.ts'

const TAG = '<think>'
const WHOLE_TAG = /^\s*<think>\s*$/

/**
 * Token after what the template writes behind the header of a turn, where a prompt that ends before token `at` ends inside of it and neither loss nor
 * logprobs begin there: its last tokens are then left to the response, and nobody sampled them. Null where they may be the model's, which goes on
 * behind `<think>` by itself, closes an empty thought, or writes the newline behind a tag. A prompt that ends before all of it counts it as response, which
 * is a convention.
 */
export function splitPrefillEnd(view: TrajectoryView, turn: Turn, at: number): number | null {
  const { headerEnd, contentStart, contentEnd } = turn
  const { mask, provenance, text } = view
  const last = Math.min(contentEnd, headerEnd + LONGEST_PREFILL)
  if (at <= headerEnd || at >= last) return null
  const { sampled, notSampled } = Provenance
  for (let i = headerEnd; i < at; i++) if (mask?.[i] === 1 || provenance?.[i] === sampled) return null
  const written = text({ start: headerEnd, end: at }).trimStart()
  // No model goes on inside a tag, so that there the mask is enough.
  const isInTag = written !== '' && written.length < TAG.length && TAG.startsWith(written)
  if (provenance === null && !isInTag) return null
  let isSaid = true
  for (let end = at + 1; end < last; end++) {
    const told = provenance?.[end - 1]
    if (mask?.[end - 1] === 1 || told === sampled) return null
    isSaid &&= told === notSampled
    // Where nothing says outright that nobody sampled it, the loss must begin right behind it, and thoughts must not be the model's own.
    const begins = isSaid ? provenance?.[end] === sampled : mask?.[end] === 1 && (isInTag || !view.writesBlocks)
    if (!begins) continue
    const words = text({ start: headerEnd, end })
    const isPrefill = isInTag ? WHOLE_TAG.test(words) : end === contentStart || isTemplates(view, words)
    return isPrefill ? end : null
  }
  return null
}

/** What the template's own generation prompt adds to the header, be it with thinking or without. */
function isTemplates({ tokenizer }: TrajectoryView, words: string): boolean {
  const learned = tokenizer === null ? null : learnedTemplateOf(tokenizer)
  return learned !== null && (words === learned.prefill || words === learned.prefillWithoutThinking)
}
