import { Provenance, type Span, type Turn } from '../../model/tokens.ts'
import { decodeSpan } from '../../tokens/text.ts'
import { TokenKind } from '../../tokens/tokenizer.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { writtenTurns } from '../edges.ts'
import { countOf, listOf } from '../spans.ts'

export const T16: Check = {
  code: 'T16',
  name: 'marker-spelt',
  title: 'Markers are spelt by ordinary tokens, or removed',
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'assistant turns, other turns that are left open, and rows without turns',
  why: 'The model does not know the letters of a marker as the marker: it is trained on a frame it was never given.',
  fix: 'Keep special tokens when sampled ids are decoded, or do not decode them; encode rendered text with its special tokens.',
  cite: 'minimind#850, TRL#3425',
  trajectory(view, _settings, report) {
    const { segmentation } = view
    if (segmentation === null || view.tokenizer === null) return
    if (segmentation.turns.length === 0) {
      lookAtUnframed(view, report)
      return
    }
    const written = writtenTurns(segmentation)
    for (const turn of segmentation.turns) {
      const isWritten = written.includes(turn)
      // A turn of the environment has its end spelt only where it has no other, and another turn follows.
      if (!isWritten && (turn.endToken >= 0 || turn.index === segmentation.turns.length - 1)) continue
      const spelt = (isWritten ? speltThought(view, turn) : null) ?? speltEnd(view, turn)
      if (isWritten || spelt !== null) report.place(spelt !== null, { turn: turn.ordinal })
      if (spelt === null) continue
      report.fault({
        turn,
        tokens: spelt,
        message: `${JSON.stringify(view.text(spelt).trim())} is spelt by ${spelt.end - spelt.start} ordinary tokens in ${isWritten ? `assistant turn ${turn.ordinal}` : `a ${turn.kind} turn`}`,
        evidence: { ids: listOf(view.ids, spelt.start, spelt.end) },
      })
    }
  },
}

/** Tokens at the start of a row that show whether it is a chat. */
const OPENING = 24

/** A chat of which no marker is left as an id: spelt, or removed with only the role names standing. */
function lookAtUnframed(view: TrajectoryView, report: Parameters<NonNullable<Check['trajectory']>>[2]): void {
  const { left, right } = view.segmentation?.padding ?? { left: 0, right: 0 }
  const end = view.ids.length - right
  if (end <= left) return
  const span = { start: left, end: Math.min(end, left + OPENING) }
  const text = view.text(span)
  const spelt = /^\s*(?:<\|im_start\|>|<\|begin_of_text\|>|<\|start_header_id\|>)/.exec(text)?.[0].trim()
  const removed = spelt === undefined && /^\s*(?:system|user)\n/.test(text) && hasAnswer(view, left, end)
  report.place(spelt !== undefined || removed)
  if (spelt === undefined && !removed) return
  report.fault({
    tokens: span,
    affected: [{ start: left, end }],
    message:
      spelt === undefined
        ? 'The row is a chat without markers: role names stand alone, as decoding with skip_special_tokens leaves them'
        : `The row spells its markers by ordinary tokens: it begins with the letters of ${spelt}`,
    evidence: { first_ids: listOf(view.ids, span.start, span.start + 12), first_text: text },
  })
}

/** Llama writes no newline before a header and two after it. */
function hasAnswer(view: TrajectoryView, start: number, end: number): boolean {
  return /\nassistant\n|assistant\n\n/.test(view.text({ start, end }))
}

/** Tokens that the letters of a marker take at most. */
const LONGEST_MARKER = 12

/** `<think>` in letters at the start of a turn, where the vocabulary has it as one id. */
function speltThought(view: TrajectoryView, { contentStart, contentEnd }: Turn): Span | null {
  if (view.tokenizer?.frame?.think?.open.length !== 1 || !isOf(view, contentStart, 'opening')) return null
  for (let end = contentStart + 2; end <= Math.min(contentEnd, contentStart + LONGEST_MARKER); end++) {
    const text = view.text({ start: contentStart, end })
    if (text.startsWith('<think>')) return own(view, { start: contentStart, end })
    if (!'<think>'.startsWith(text)) return null
  }
  return null
}

/** The end token in letters at the end of a turn; the newline that follows it is then the turn's last token. */
function speltEnd(view: TrajectoryView, turn: Turn): Span | null {
  const { contentStart } = turn
  const newline = turn.endToken < 0 && view.tokenizer?.frame?.newlines.has(view.ids[turn.contentEnd - 1] ?? -1)
  const contentEnd = newline ? turn.contentEnd - 1 : turn.contentEnd
  if (!isOf(view, contentEnd - 1, 'closing')) return null
  const from = Math.max(contentStart, contentEnd - LONGEST_MARKER)
  const tail = view.text({ start: from, end: contentEnd })
  const { table, frame } = view.tokenizer ?? {}
  const marker =
    table && frame?.turnEnds.map((id) => decodeSpan(table, Int32Array.of(id))).find((each) => tail.endsWith(each))
  if (!marker) return null
  for (let start = contentEnd - 2; start >= from; start--) {
    if (view.text({ start, end: contentEnd }).endsWith(marker)) return own(view, { start, end: contentEnd })
  }
  return null
}

/** Null where the dump says of any of the letters that the model itself wrote it: of others it may say nothing. */
function own({ provenance }: TrajectoryView, span: Span): Span | null {
  return provenance !== null && countOf(provenance, Provenance.sampled, span.start, span.end) > 0 ? null : span
}

const LESS_THAN = 0x3c
const GREATER_THAN = 0x3e

/** Whether an ordinary token begins, or ends, as a marker does. */
function isOf({ tokenizer, ids }: TrajectoryView, at: number, edge: 'opening' | 'closing'): boolean {
  const id = ids[at] ?? -1
  if (tokenizer === null || tokenizer.table.kinds[id] !== TokenKind.ordinary) return false
  const { bytes, offsets } = tokenizer.table
  const [from, to] = [offsets[id] as number, offsets[id + 1] as number]
  if (from === to) return false
  return edge === 'opening' ? bytes[from] === LESS_THAN : bytes[to - 1] === GREATER_THAN
}
