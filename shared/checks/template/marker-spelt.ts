import type { Turn } from '../../model/tokens.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { plainTurns } from '../oracles/plain-turns.ts'
import { lengthOf, listOf } from '../oracles/spans.ts'
import { foreignEnd, foreignEnds } from './foreign-ends.ts'
import { toldOfNoEnds } from './no-ends.ts'
import { openReply } from './open-reply.ts'
import { lookAtOpenTurns } from './open-turns.ts'
import { type RemovedMarker, removedMarker } from './removed-markers.ts'
import { markersIn, type SpeltMarker, START_IN_LETTERS } from './spelt-markers.ts'
import { wordsOfOthers } from './words-of-others.ts'

export const T16: Check = {
  code: 'T16',
  name: 'marker-spelt',
  title: 'Markers are spelt by ordinary tokens, or removed',
  hypotheses: ['H02'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'assistant turns, other turns whose markers are spelt or gone, and rows without turns',
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
    const found = markersIn(view, segmentation)
    // An end token that is there was not removed, and a thought is known of by its message alone.
    const isPlain = found.size === 0 && view.trajectory.messages === null && foreignEnds(view).size === 0
    const plain = isPlain ? plainTurns(view) : null
    if (plain !== null) return report.sound(plain.written, false)
    const written = writtenTurns(segmentation)
    const others = wordsOfOthers(view)
    let next = 0
    for (const turn of segmentation.turns) {
      const isWritten = written[next] === turn
      if (isWritten) next++
      const markers = found.get(turn) ?? []
      const [first] = markers
      const removed =
        first === undefined ? (isWritten ? removedMarker(view, turn, settings) : removedFromOthers(view, turn)) : null
      const faulty = first !== undefined || removed !== null || turn === others?.turn
      if (isWritten || faulty) report.place(faulty, { turn: turn.ordinal })
      if (removed !== null) {
        const { start, end, what } = removed
        const around = listOf(view.ids, Math.max(0, start - 4), end + 4)
        report.fault({ turn, tokens: { start, end }, message: what, evidence: { ids: around } })
      }
      if (turn === others?.turn) {
        const [start, end] = [others.spans[0]!.start, others.spans.at(-1)!.end]
        const count = others.spans.length
        report.fault({
          turn,
          tokens: { start, end },
          affected: others.spans,
          message: `${count} ${count === 1 ? 'turn' : 'turns'} of others stand${count === 1 ? 's' : ''} in assistant turn ${turn.ordinal} without markers: role names stand alone, as decoding with skip_special_tokens leaves them`,
          evidence: { first_text: view.text({ start, end: Math.min(end, start + OPENING) }) },
        })
        continue
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
        message: `${words.join(', ')} ${words.length === 1 ? 'is' : 'are'} spelt by ${count} ordinary tokens in ${isWritten ? `assistant turn ${turn.ordinal}` : `a ${turn.kind} turn`}${mayBeOwn ? ', if the model did not write the letters itself' : ''}`,
        evidence: { ids: markers.flatMap(({ start, end }) => listOf(view.ids, start, end)) },
      })
    }
  },
  dump: lookAtOpenTurns,
  unproved: (_tally, view) => toldOfNoEnds(view),
}

function removedFromOthers(view: TrajectoryView, turn: Turn): RemovedMarker | null {
  return foreignEnd(view, turn) ?? openReply(view, turn)
}

/** Tokens at the start of a row that show whether it is a chat. */
const OPENING = 24

/** A chat of which no marker is left as an id: spelt, or removed with only the role names standing. */
function lookAtUnframed(view: TrajectoryView, report: Parameters<NonNullable<Check['trajectory']>>[2]): void {
  const { left, right } = view.segmentation?.padding ?? { left: 0, right: 0 }
  const end = view.ids.length - right
  if (end <= left) return
  // A BOS that is there as an id has the letters of one too.
  const bos = view.tokenizer?.frame?.bos ?? []
  let start = left
  while (start < end && bos.includes(view.ids[start] as number)) start++
  const span = { start, end: Math.min(end, start + OPENING) }
  const text = view.text(span)
  const spelt = START_IN_LETTERS.exec(text)?.[0].trim()
  const removed = spelt === undefined && /^\s*(?:system|user)\n/.test(text) && hasAnswer(view, left, end)
  report.place(spelt !== undefined || removed)
  if (spelt === undefined && !removed) return
  report.fault({
    tokens: span,
    affected: [{ start, end }],
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
