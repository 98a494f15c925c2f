import { roleKind } from '../../model/roles.ts'
import type { Segmentation, Turn } from '../../model/tokens.ts'
import { TokenState } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { tokenCount } from '../oracles/edges.ts'
import { answerInsidePrompt, responseInsidePrompt, storedPromptEnd } from '../oracles/prompt-end.ts'
import { endsInLetters } from '../template/spelt-markers.ts'
import { missingPart, promptMessages } from './missing-part.ts'
import { type TornHeader, tornHeader } from './torn-header.ts'
import { tornSchema } from './torn-schemas.ts'

/** A turn of the prompt, and how it was cut; null where it is whole. */
export interface PromptTurn {
  readonly turn: Turn
  readonly role: string
  readonly fault: PromptFault | null
}

export interface PromptFault {
  readonly cut: 'right' | 'middle' | 'left'
  /** Token at which the cut shows. */
  readonly at: number
  readonly message: string
  readonly lost: string | null
  readonly lostTokens: number | null
}

const known = new OfLast<TrajectoryView, readonly PromptTurn[]>()

/** The turns before the first answer whose header is there, each with its cut. Found out once: A05 sets aside what C02 tells. */
export function promptTurns(view: TrajectoryView): readonly PromptTurn[] {
  let turns = known.get(view)
  if (turns === undefined) known.set(view, (turns = findTurns(view)))
  return turns
}

/** Its ids are not those that were asked: a turn was cut, or a control token that its message spells ended it. */
export function isPromptCut(view: TrajectoryView): boolean {
  return promptTurns(view).some(({ turn, fault }) => fault !== null || missingPart(view, turn)?.standsBehind === true)
}

function findTurns(view: TrajectoryView): readonly PromptTurn[] {
  const { segmentation } = view
  const found: PromptTurn[] = []
  if (segmentation === null) return found
  for (const turn of segmentation.turns) {
    if (turn.kind === 'assistant') break
    const header = tornHeader(view, turn)
    // A first turn that begins in its middle is C01's.
    if ((turn.kind === 'other' && header === null) || turn.header !== 'present') continue
    const fault =
      ofHeader(header) ??
      runsIntoCompletion(view, segmentation, turn) ??
      opensAndStops(view, segmentation, turn) ??
      glued(view, turn) ??
      endsAsQuestion(view, segmentation, turn) ??
      gluedInSchema(view, turn)
    found.push({ turn, role: header?.role ?? turn.role, fault })
  }
  return found
}

/** What is trained begins inside a turn of the prompt: its end and the assistant header are gone. */
function runsIntoCompletion(view: TrajectoryView, segmentation: Segmentation, turn: Turn): PromptFault | null {
  const answered = answerInsidePrompt(view.trajectory, view.mask, segmentation)
  const apart = answered === null ? responseInsidePrompt(view) : null
  const at = answered?.at ?? apart?.at ?? storedPromptEnd(view.trajectory, segmentation, segmentation.padding)
  if (at === null || at <= turn.contentStart || at >= turn.contentEnd) return null
  const wrote = apart !== null || view.states[at] === TokenState.trained || view.trajectory.sampled?.[at] === 1
  if (!wrote || view.states[at - 1] === TokenState.trained) return null
  const message = `The prompt ends inside a ${turn.role} turn: its end and the assistant header are cut, and the completion follows`
  return { cut: 'right', at, message, lost: null, lostTokens: null }
}

/** A turn that is not closed, with a header or the end of the row after it. */
function opensAndStops(view: TrajectoryView, segmentation: Segmentation, turn: Turn): PromptFault | null {
  const { turns, padding, parts } = segmentation
  // Some templates end no turn but the model's. An end in letters is T16's.
  if (view.tokenizer?.frame?.unclosed?.some((role) => role === turn.kind)) return null
  if (turn.endToken >= 0 || endsInLetters(view, turn)) return null
  const next = turns[turn.index + 1]
  // A row that holds a prompt alone and is cut; one that goes on without a header is T05's.
  if (next === undefined && turn.contentEnd < parts.length - padding.right) return null
  if (next !== undefined && next.header !== 'present') return null
  const after =
    next === undefined
      ? 'the row ends'
      : `the header of ${next.kind === 'assistant' ? 'an' : 'a'} ${next.role} turn follows`
  const missing = missingPart(view, turn)
  const many = missing?.lostTokens ? `: about ${tokenCount(missing.lostTokens)} are lost` : ''
  const message = `A ${turn.role} turn of the prompt is not closed, and ${after}${many}`
  return {
    cut: next === undefined ? 'right' : 'middle',
    at: turn.contentEnd,
    message,
    lost: missing?.lost ?? null,
    lostTokens: missing?.lostTokens ?? null,
  }
}

/** A whole turn whose message is longer: its end, its start or its middle is missing. */
function glued(view: TrajectoryView, turn: Turn): PromptFault | null {
  const missing = missingPart(view, turn)
  if (missing === null || missing.standsBehind) return null
  const { side, lost, lostTokens } = missing
  const where = { left: 'start', right: 'end', middle: 'middle' }[side]
  const many = lostTokens === null ? '' : `: about ${tokenCount(lostTokens)} are lost`
  return {
    cut: side,
    at: side === 'left' ? turn.contentStart : turn.contentEnd,
    message: `The ${turn.role} turn of the prompt lacks the ${where} of its message${many}`,
    lost,
    lostTokens,
  }
}

/** Of two halves that were glued, the first one ends inside a header. */
function ofHeader(header: TornHeader | null): PromptFault | null {
  if (header === null) return null
  const message = `The header of a ${header.role} turn is not closed, and other words follow it: the middle of the prompt is cut`
  return { cut: 'middle', at: header.at, message, lost: null, lostTokens: null }
}

/** A row that does not say what its prompt should be: that two halves were glued shows where a schema is no JSON. */
function gluedInSchema(view: TrajectoryView, turn: Turn): PromptFault | null {
  const torn = tornSchema(view, turn)
  if (torn === null) return null
  const message = `A schema among the tools of the ${turn.role} turn is no JSON: the middle of the prompt is cut`
  return { cut: 'middle', at: torn.end, message, lost: null, lostTokens: null }
}

/** A system turn that closes with the last words of the question, which has no turn: what lay between is gone, its header with it. */
function endsAsQuestion(view: TrajectoryView, { turns }: Segmentation, turn: Turn): PromptFault | null {
  if (turn.kind !== 'system' || turn.endToken < 0 || turns[turn.index + 1]?.kind !== 'assistant') return null
  const asked = promptMessages(view.trajectory).findLast(({ role }) => roleKind(role) === 'user')
  const question = asked?.content?.trim() ?? ''
  const text = view.text({ start: turn.contentStart, end: turn.contentEnd }).trimEnd()
  let same = 0
  while (same < question.length && question[question.length - 1 - same] === text[text.length - 1 - same]) same++
  // All of it may stand there on purpose, in a frame without a turn of its own for it.
  if (same < view.thresholds['cut-shorter-characters'] || same === question.length) return null
  return {
    cut: 'middle',
    at: turn.contentEnd,
    message: `The system turn ends with the last ${same} characters of the question, which has no turn of its own: the middle of the prompt is cut`,
    lost: question.slice(0, question.length - same),
    lostTokens: null,
  }
}
