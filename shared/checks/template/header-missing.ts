import { Provenance, type Segmentation, type Span, type Turn } from '../../model/tokens.ts'
import type { Check, Reporter, TrajectoryView } from '../check.ts'
import { edgeBefore, sampledSpan, writtenTurns } from '../oracles/edges.ts'
import { plainTurns } from '../oracles/plain-turns.ts'
import { hidesEdges, hidesTurns, isSwallowed, shapeOf } from '../oracles/shape.ts'
import { countOf, listOf } from '../oracles/spans.ts'
import { wordsInside } from '../texts/words-inside.ts'
import { startsInLetters } from './spelt-markers.ts'

export const T05: Check = {
  code: 'T05',
  name: 'assistant-header-missing',
  title: 'Assistant header is missing',
  hypotheses: ['H02', 'H07'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'assistant turns',
  why: 'The model sampled after a generation prompt that the trained ids do not have: every later turn is trained in a context it never saw.',
  fix: 'Add the generation prompt between the environment turn and the sampled ids of the next turn.',
  cite: 'verifiers#476',
  ofRoles: true,
  trajectory(view, _settings, report) {
    if (view.segmentation === null) return
    const plain = plainTurns(view)
    if (plain !== null) return report.sound(plain.written)
    let inside = 0
    for (const turn of view.segmentation.turns) {
      if (isNobodys(view, turn)) reportNobodys(view, turn, report)
      else if (isBeheaded(view, turn)) reportBeheaded(view, turn, report)
      const answer = answerInside(view, turn) ?? answerAlone(view, turn)
      if (answer !== null) reportInside(view, turn, answer, turn.ordinal + ++inside, report)
    }
    for (const turn of writtenTurns(view.segmentation)) {
      if (turn.header === 'cut') continue
      // A header in letters is there, and is T16's.
      const missing = turn.header === 'missing' && isModels(view, turn) && !startsInLetters(view, turn)
      report.place(missing, { turn: turn.ordinal, boundary: edgeBefore(view.segmentation, turn) })
      if (!missing) continue
      const before = view.segmentation.turns[turn.index - 1]
      report.fault({
        turn,
        tokens: sampledSpan(turn),
        message: () =>
          `Assistant turn ${turn.ordinal} has no header: its text follows the ${before === undefined ? 'start of the row' : `${before.kind} turn`} directly`,
        evidence: () => ({
          first_ids: listOf(view.ids, turn.contentStart, Math.min(turn.contentEnd, turn.contentStart + 6)),
          ids_before: listOf(view.ids, Math.max(0, turn.start - 4), turn.start),
        }),
      })
    }
  },
}

/** A header of which only the marks are left, and a text behind it that is trained or was sampled. */
function isNobodys(view: TrajectoryView, turn: Turn): boolean {
  const { tokenizer, mask, provenance } = view
  const { kind, header, role, contentStart, contentEnd, start, index } = turn
  // The mark alone, amid the words of a turn that nothing ends: the model sampled it.
  const before = view.segmentation?.turns[index - 1]
  const isAmid = before?.kind === 'assistant' && before.endToken < 0 && mask?.[start - 1] === 1
  if (isAmid && (provenance === null ? mask?.[start] === 1 : provenance[start] === Provenance.sampled)) return false
  if (kind !== 'other' || header !== 'present' || role !== '' || tokenizer?.frame?.style === 'learned') return false
  if (provenance !== null && countOf(provenance, Provenance.sampled, contentStart, contentEnd) > 0) return true
  if (mask === null || hidesTurns(view) || isSwallowed(view, turn)) return false
  return provenance === null && countOf(mask, 1, contentStart, contentEnd) > 0
}

function reportNobodys(view: TrajectoryView, turn: Turn, report: Reporter): void {
  const { start, headerEnd } = turn
  const ordinal = turn.ordinal + 1
  report.place(true, { turn: ordinal, boundary: edgeBefore(view.segmentation as Segmentation, turn) })
  report.fault({
    turn: { ...turn, ordinal },
    tokens: { start, end: sampledSpan(turn).end },
    message: 'A turn of the model has a header without a role: nothing says that it is the assistant’s',
    evidence: {
      header_ids: listOf(view.ids, start, headerEnd),
      ids_before: listOf(view.ids, Math.max(0, start - 4), start),
    },
  })
}

/**
 * A turn of another that begins with its words behind a closed turn of the model, ends as that one does, and is followed by one with its header: the ids of
 * the reply lost their first tokens when they were joined. Words that no end token closes were never a turn.
 */
function isBeheaded(view: TrajectoryView, turn: Turn): boolean {
  const { kind, header, index, endToken, start } = turn
  if (kind !== 'other' || header !== 'missing' || endToken < 0) return false
  const { segmentation, tokenizer, ids } = view
  const before = segmentation?.turns[index - 1]
  const next = segmentation?.turns[index + 1]
  if (before?.kind !== 'assistant' || before.endToken < 0 || before.end !== start) return false
  if (next?.header !== 'present' || ids[before.endToken] !== ids[endToken]) return false
  const { frame } = tokenizer ?? {}
  if (frame == null || frame.style === 'learned' || frame.unclosed !== undefined) return false
  return !isModels(view, turn) && !startsInLetters(view, turn)
}

function reportBeheaded(view: TrajectoryView, turn: Turn, report: Reporter): void {
  const { start, contentEnd, ordinal } = turn
  report.place(true, { turn: ordinal, boundary: edgeBefore(view.segmentation as Segmentation, turn) })
  report.fault({
    turn,
    severity: 'warning',
    tokens: { start, end: sampledSpan(turn).end },
    message: `The turn of the environment behind assistant turn ${ordinal} has no header: its first tokens are lost`,
    evidence: {
      first_ids: listOf(view.ids, start, Math.min(contentEnd, start + 6)),
      ids_before: listOf(view.ids, Math.max(0, start - 4), start),
    },
  })
}

/** Words of the model at the end of a turn of another that an end token closes, in a template that ends none of those with one. */
function answerInside(view: TrajectoryView, turn: Turn): Span | null {
  const { mask, provenance } = view
  if (turn.kind !== 'other' || turn.endToken < 0) return null
  if (provenance === null && (mask === null || hidesEdges(view))) return null
  return wordsInside(view, turn)
}

/** A turn of the user that ends a row without any of the model, and all of which was sampled: the question and the header of the answer are gone. */
function answerAlone({ segmentation, provenance }: TrajectoryView, turn: Turn): Span | null {
  const { kind, contentStart, contentEnd, endToken } = turn
  if (kind !== 'user' || provenance === null || segmentation?.turns.at(-1) !== turn || contentEnd === contentStart)
    return null
  if (writtenTurns(segmentation).length > 0) return null
  const end = endToken >= 0 ? endToken + 1 : contentEnd
  return countOf(provenance, Provenance.sampled, contentStart, end) === end - contentStart
    ? { start: contentStart, end }
    : null
}

function reportInside(view: TrajectoryView, turn: Turn, tokens: Span, ordinal: number, report: Reporter): void {
  const { start, end } = tokens
  report.place(true, { turn: ordinal, boundary: edgeBefore(view.segmentation as Segmentation, turn) })
  report.fault({
    turn: { ...turn, ordinal },
    tokens,
    message: `Words of the model have no header: they stand ${start === turn.contentStart ? 'where those' : 'at the end'} of a ${turn.role} turn${start === turn.contentStart ? ' belong' : ''}`,
    evidence: {
      first_ids: listOf(view.ids, start, Math.min(end, start + 6)),
      ids_before: listOf(view.ids, Math.max(0, start - 4), start),
    },
  })
}

/** Text without a header is the model's where it was sampled or is trained; a row that trains nothing cannot tell, and the place does. */
function isModels(view: TrajectoryView, turn: Turn): boolean {
  const { mask, provenance } = view
  const { contentStart, contentEnd } = turn
  if (provenance !== null) {
    if (countOf(provenance, Provenance.sampled, contentStart, contentEnd) > 0) return true
    if (countOf(provenance, Provenance.notSampled, contentStart, contentEnd) > 0) return false
  }
  return mask === null || shapeOf(view).allZero || countOf(mask, 1, contentStart, contentEnd) > 0
}
