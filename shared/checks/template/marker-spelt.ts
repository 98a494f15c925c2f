import type { Check, TrajectoryView } from '../check.ts'
import { writtenTurns } from '../edges.ts'
import { lengthOf, listOf } from '../spans.ts'
import { removedMarker } from './removed-markers.ts'
import { type SpeltMarker, START_IN_LETTERS, speltMarkers } from './spelt-markers.ts'

export const T16: Check = {
  code: 'T16',
  name: 'marker-spelt',
  title: 'Markers are spelt by ordinary tokens, or removed',
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'assistant turns, other turns whose markers are spelt, and rows without turns',
  why: 'The model does not know the letters of a marker as the marker: it is trained on a frame it was never given.',
  fix: 'Keep special tokens when sampled ids are decoded, or do not decode them; encode rendered text with its special tokens.',
  cite: 'minimind#850, TRL#3425',
  trajectory(view, settings, report) {
    const { segmentation } = view
    if (segmentation === null || view.tokenizer === null) return
    if (segmentation.turns.length === 0) {
      lookAtUnframed(view, report)
      return
    }
    const written = writtenTurns(segmentation)
    for (const turn of segmentation.turns) {
      const markers = speltMarkers(view, turn)
      const [first] = markers
      const removed = first === undefined && written.includes(turn) ? removedMarker(view, turn, settings) : null
      const faulty = first !== undefined || removed !== null
      if (written.includes(turn) || faulty) report.place(faulty, { turn: turn.ordinal })
      if (removed !== null) {
        const { start, end, what } = removed
        const around = listOf(view.ids, Math.max(0, start - 4), end + 4)
        report.fault({ turn, tokens: { start, end }, message: what, evidence: { ids: around } })
      }
      if (first === undefined) continue
      const last = markers.at(-1) as SpeltMarker
      const words = markers.map((span) => JSON.stringify(view.text(span).trim()))
      const count = lengthOf(markers)
      const mayBeOwn = markers.every((marker) => marker.mayBeOwn)
      report.fault({
        turn,
        tokens: { start: first.start, end: last.end },
        affected: markers,
        ...(mayBeOwn ? { severity: 'info' } : {}),
        message: `${words.join(', ')} ${words.length === 1 ? 'is' : 'are'} spelt by ${count} ordinary tokens in ${written.includes(turn) ? `assistant turn ${turn.ordinal}` : `a ${turn.kind} turn`}${mayBeOwn ? ', if the model did not write the letters itself' : ''}`,
        evidence: { ids: markers.flatMap(({ start, end }) => listOf(view.ids, start, end)) },
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
  const spelt = START_IN_LETTERS.exec(text)?.[0].trim()
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
