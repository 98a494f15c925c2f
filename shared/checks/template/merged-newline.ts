import { Provenance, type Turn } from '../../model/tokens.ts'
import type { TurnFrame } from '../../tokens/tokenizer.ts'
import type { Check, Reporter, TrajectoryView } from '../check.ts'
import { edgeBefore, writtenTurns } from '../oracles/edges.ts'
import { plainTurns } from '../oracles/plain-turns.ts'
import { storedPromptEnd } from '../oracles/prompt-end.ts'

export const T18: Check = {
  code: 'T18',
  name: 'newline-merged',
  title: 'A newline of the header is merged with the answer, or missing',
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'headers of assistant turns',
  why: 'The sampler continued after a newline of its own; one token for that and the answer’s first newline, or none at all, exists only after re-encoding: the header is one that the model never saw.',
  fix: 'Join ids and not text: append the sampled ids to the ids of the generation prompt.',
  cite: 'verifiers#180, verifiers#37',
  trajectory(view, { policy }, report) {
    const { segmentation, trajectory } = view
    // Data for supervised training is encoded from text, and so it should be.
    if (segmentation === null || policy.id === 'sft') return
    const promptEnd = storedPromptEnd(trajectory, segmentation, segmentation.padding)
    const plain = promptEnd === null ? plainTurns(view) : null
    if (
      plain !== null &&
      !writtenTurns(segmentation).some((turn) => mergedNewlines(view, turn) !== null || lacksNewline(view, turn))
    )
      return report.sound(plain.written)
    for (const turn of writtenTurns(segmentation)) {
      // Turns of the prompt were rendered as text, and a text may begin with newlines.
      const history = promptEnd !== null && turn.end <= promptEnd
      if (turn.header !== 'present' || history) continue
      const merged = mergedNewlines(view, turn)
      const lacks = merged === null && lacksNewline(view, turn)
      report.place(merged !== null || lacks, { turn: turn.ordinal, boundary: edgeBefore(segmentation, turn) })
      if (lacks) reportLack(view, turn, report)
      if (merged === null) continue
      const { at, newlines, own } = merged
      const due = newlines - own
      const before = at < turn.headerEnd ? 'newline of the header' : 'newlines behind the empty thought'
      report.fault({
        turn,
        tokens: { start: at, end: at + 1 },
        message: `One token holds the ${before} of assistant turn ${turn.ordinal} and ${own === 1 ? 'the first newline' : `the first ${own} newlines`} of its text`,
        evidence: {
          id: view.ids[at],
          newlines,
          [at < turn.headerEnd ? 'newlines_of_the_header' : 'newlines_of_the_block']: due,
        },
      })
    }
  },
}

function reportLack(view: TrajectoryView, turn: Turn, report: Reporter): void {
  const at = turn.headerEnd - 1
  report.fault({
    turn,
    tokens: { start: at, end: at + 1 },
    message: `The header of assistant turn ${turn.ordinal} has no newline: its text follows directly, and the headers of others have theirs`,
    evidence: { id: view.ids[at], newlines: 0 },
  })
}

/** Its first words follow the header without a newline, and a header of another's turn has its own. */
function lacksNewline({ ids, tokenizer, segmentation }: TrajectoryView, turn: Turn): boolean {
  const frame = tokenizer?.frame
  if (!frame || !hasLines(frame) || turn.contentStart >= turn.contentEnd) return false
  const { newlines } = frame
  if (turn.headerEnd - turn.start < 2 || newlines.has(ids[turn.headerEnd - 1] as number)) return false
  const table = tokenizer.table
  // One with which spaces of the text are merged is there.
  if (table.bytes[table.offsets[ids[turn.headerEnd] as number] as number] === NEWLINE) return false
  return (segmentation?.turns ?? []).some(
    ({ kind, header, headerEnd }) =>
      kind !== 'assistant' && kind !== 'other' && header === 'present' && newlines.has(ids[headerEnd - 1] as number),
  )
}

const NEWLINE = 0x0a

/** Its headers end with newlines, by which they are known. */
function hasLines({ style }: TurnFrame): boolean {
  return style === 'chatml' || style === 'llama'
}

interface Merged {
  readonly at: number
  readonly newlines: number
  /** Of the text. */
  readonly own: number
}

/** Newlines in the last token of the header, or of a block that the template wrote behind it, where they are more than it writes; null where not. */
function mergedNewlines(view: TrajectoryView, turn: Turn): Merged | null {
  const { ids, tokenizer } = view
  const frame = tokenizer?.frame
  if (!frame || !hasLines(frame) || turn.headerEnd - turn.start < 2) return null
  const mergedAt = (at: number, due: number) => {
    const newlines = frame.newlines.get(ids[at] as number) ?? 0
    return newlines > due ? { at, newlines, own: newlines - due } : null
  }
  const inHeader = mergedAt(turn.headerEnd - 1, frame.style === 'chatml' ? 1 : 2)
  return inHeader ?? (isTemplatesBlock(view, turn) ? mergedAt(turn.contentStart - 1, NEWLINES_BEHIND_BLOCK) : null)
}

/** What templates write behind an empty thought. */
const NEWLINES_BEHIND_BLOCK = 2

/** A block that has no loss before a text that has: the model did not write it, and no text of its own begins in it. */
function isTemplatesBlock(
  { mask, provenance }: TrajectoryView,
  { headerEnd, contentStart, contentEnd }: Turn,
): boolean {
  if (mask === null || contentStart === headerEnd || contentStart >= contentEnd || mask[contentStart] !== 1)
    return false
  for (let at = headerEnd; at < contentStart; at++)
    if (mask[at] !== 0 || provenance?.[at] === Provenance.sampled) return false
  return true
}
