import { count, counted } from '../../model/number-text.ts'
import { roleKind } from '../../model/roles.ts'
import type { Steps } from '../../model/steps.ts'
import type { Turn } from '../../model/tokens.ts'
import type { Check, DumpReporter, DumpView, Reporter, TrajectoryView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { beginsDocument } from '../oracles/document-start.ts'
import { paddingOf } from '../oracles/padding.ts'
import { isForged } from '../template/forged-control.ts'
import { isSystemMessage } from '../template/repeated-system.ts'
import { normalised } from '../texts/normalised-text.ts'
import { haveSameContent } from '../texts/system-text.ts'
import { toolsInText } from '../texts/tools-in-text.ts'
import { lookAtSiblings } from './packed-siblings.ts'
import { wholeConversations } from './whole-conversations.ts'

/** S01. A packed row whose documents are told apart by nothing that the forward pass gets. */
export const S01: Check = {
  code: 'S01',
  name: 'packing-leakage',
  title: 'Packed sequences see each other',
  hypotheses: [],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids'],
  looksAt: 'starts of further documents in packed rows',
  why: 'A document that can attend to the one before it is trained in a context that was never sampled from.',
  fix: 'Restart the position ids at every document and give the attention the lengths of the documents.',
  cite: 'TRL#3526, nanoVLM#204, torchtune#875',
  trajectory(view, _settings, report) {
    const { positionIds, sequenceIds, parted } = view.trajectory
    if (parted !== undefined) lookAtBeginning(view, parted, report)
    if (positionIds === null && sequenceIds === null) {
      for (const _ of wholeConversations(view)) report.place(false, { boundary: MAY_START })
      return
    }
    // A row is only cut at its sequence ids where the positions do not run on over them: the cut is a start that was looked at, and sound.
    if (sequenceIds !== null && view.trajectory.place.part > 0) report.place(false)
    const starts = documentStarts(view)
    if (starts.length === 0) for (const _ of secondConversations(view)) report.place(false, { boundary: MAY_START })
    const leaking = starts.filter((at) => leaks(view, at))
    for (const at of starts) report.place(leaking.includes(at))
    const first = leaking[0]
    if (first === undefined) return
    report.fault({
      scope: 'trajectory',
      tokens: { start: first, end: leaking[1] ?? view.ids.length - (view.segmentation?.padding.right ?? 0) },
      affected: [],
      message:
        positionIds === null
          ? `A new document begins at token ${count(first)} and has the sequence id of the one before it`
          : `The position ids run on over ${count(leaking.length)} of ${count(starts.length)} document starts: token ${count(first)} begins a document at position ${count(positionIds[first] as number)}`,
      evidence: {
        document_starts: starts.slice(0, 16),
        leaking: leaking.slice(0, 16),
        positions:
          positionIds === null ? null : leaking.slice(0, 16).map((at) => [positionIds[at - 1], positionIds[at]]),
        sequence_ids:
          sequenceIds === null ? null : leaking.slice(0, 16).map((at) => [sequenceIds[at - 1], sequenceIds[at]]),
      },
    })
  },
  unproved({ byBoundary }, { streams }) {
    const halfParted = byBoundary[HALF_PARTED]?.checked ?? 0
    if (halfParted > 0)
      return `position ids and lengths of sequences do not agree on where ${counted(halfParted, 'further sequence')} of packed rows ${halfParted === 1 ? 'begins' : 'begin'}: which of the two parts them from what stands before depends on the code of the model, and the dump does not tell it`
    const places = byBoundary[MAY_START]?.checked ?? 0
    if (places === 0) return null
    const which =
      places === 1
        ? 'a second conversation begins with a system turn'
        : `${places} further conversations begin with system turns`
    if (!streams.has('position_ids') && !streams.has('sequence_ids'))
      return `${which} in packed rows, and the dump carries neither position ids nor sequence ids`
    return `${which}, and the positions run on: a packed row without sequence ids looks like that, and so does a system turn that is there again (T09), or another one within a conversation`
  },
  dump: lookOverDump,
}

/** A sequence that its format has cut out of a packed row: of what stood before it nothing is left here, but whether it is parted from that. */
function lookAtBeginning(view: TrajectoryView, parted: 'always' | 'never' | 'by-model', report: Reporter): void {
  report.place(parted === 'never', parted === 'by-model' ? { boundary: HALF_PARTED } : undefined)
  if (parted !== 'never') return
  const { left, right } = paddingOf(view)
  const first = view.trajectory.positionIds?.[left] ?? null
  report.fault({
    scope: 'trajectory',
    tokens: { start: left, end: view.ids.length - right },
    affected: [],
    message: `A further sequence of a packed row begins here at position ${first === null ? 'unknown' : count(first)}, and nothing but a position of 0 would part it from the one before`,
    evidence: { sequence: view.trajectory.place.part, first_position: first },
  })
}

function* lookOverDump(view: DumpView, report: DumpReporter): Steps<void> {
  const { streams } = view
  if (!streams.has('position_ids') && !streams.has('sequence_ids')) {
    report.abstain('not-checkable', 'the dump carries neither position ids nor sequence ids')
  }
  yield* lookAtSiblings(view, report)
}

/**
 * Where documents after the first begin: the sequence id grows, or a begin-of-sequence token follows a closed turn. Headers of system
 * turns count only where the positions restart at one of them: a conversation may have several system turns. And where the messages end before it, or a
 * text does, or the turns show whole conversations.
 */
function documentStarts(view: TrajectoryView): number[] {
  const { ids, segmentation } = view
  const { sequenceIds, positionIds } = view.trajectory
  const { left, right } = paddingOf(view)
  const starts = new Set<number>()
  if (sequenceIds !== null) {
    for (let i = left + 1; i < ids.length - right; i++) {
      if ((sequenceIds[i] as number) > (sequenceIds[i - 1] as number)) starts.add(i)
    }
  }
  const ends = new Set(segmentation?.turns.map(({ end }) => end))
  // No document begins with a reply: a BOS before one is a message that was encoded by itself (T01).
  const replies = new Set(segmentation?.turns.flatMap(({ kind, start }) => (kind === 'tool' ? [start] : [])))
  for (const at of segmentation?.bos ?? []) if (at > left && ends.has(at) && !replies.has(at + 1)) starts.add(at)
  const systems = segmentation?.turns.filter(({ kind, index }) => kind === 'system' && index > 0) ?? []
  const after = (start: number) => segmentation?.bos.includes(start - 1) ?? false
  const headers = systems.map(({ start }) => start).filter((start) => !after(start))
  if (positionIds !== null && headers.some((at) => positionIds[at] === 0)) for (const at of headers) starts.add(at)
  for (const { start } of conversationsBehind(view)) starts.add(start)
  for (const at of textsBehind(view)) starts.add(at)
  for (const { index, start } of wholeConversations(view)) {
    const answer = segmentation?.turns[index - 1] as Turn
    // Behind an answer that was cut, the token that begins the next text stands where its end would.
    const at = answer.endToken < 0 ? start - 1 : partedAt(view, answer.endToken, start)
    if (!after(at)) starts.add(at)
  }
  return [...starts].sort((a, b) => a - b)
}

/** The turn edge at which a document may begin that nothing but its text tells of. */
const MAY_START = 'assistant>system'

/** Where a sequence of a packed row begins that only some models part from the one before. */
const HALF_PARTED = 'sequence>sequence'

/**
 * Where the system turn of a row is there again, behind an answer and before a question: another document begins there, or a message that
 * was rendered by itself, with the system turn of the template before it. Messages or a prompt beside the ids are those of one conversation.
 */
function secondConversations(view: TrajectoryView): Turn[] {
  const { messages, promptLength } = view.trajectory
  if (messages !== null || promptLength !== null) return []
  const [again, others] = [systemTurnsAgain(view), otherSystemTurns(view)]
  return again.length > 0 ? again : others.filter((turn) => mayBeginText(view, turn))
}

/**
 * Whether another system turn behind an answer looks as if it began a document: an end of a text stands before it, or it describes tools where the
 * first describes none. One that only says something else may as well be a message that the environment put in.
 */
function mayBeginText(view: TrajectoryView, turn: Turn): boolean {
  const { segmentation, text } = view
  if (textEndBefore(view, turn) !== null) return true
  const describesTools = (each: Turn | undefined) =>
    each !== undefined && toolsInText(text({ start: each.contentStart, end: each.contentEnd })) !== null
  return describesTools(turn) && !describesTools(segmentation?.turns[0])
}

/**
 * Where another text begins with a system turn: the answer before it is closed, and an end of a text stands behind that. Where such an end stands behind
 * other answers as well, whoever wrote the row closes every turn with it. The conversation that the messages hold may have several system turns.
 */
function textsBehind(view: TrajectoryView): number[] {
  const { segmentation, trajectory } = view
  const turns = segmentation?.turns ?? []
  if ((trajectory.messages ?? []).filter(isSystemMessage).length > 1) return []
  const found = otherSystemTurns(view)
    .concat(systemTurnsAgain(view))
    .filter((turn) => {
      const end = textEndBefore(view, turn)
      return end !== null && end !== turns[turn.index - 1]?.endToken && !isForged(view, turn)
    })
  if (found.length === 0 || turns.some((turn) => isWithinText(turn, turns) && textEndBefore(view, turn) !== null))
    return []
  return found.map((turn) => partedAt(view, (turns[turn.index - 1] as Turn).endToken, turn.start))
}

/** A turn that follows an answer and is no system turn goes on with the conversation. */
function isWithinText({ kind, index }: Turn, turns: readonly Turn[]): boolean {
  return kind !== 'system' && turns[index - 1]?.kind === 'assistant'
}

/** The token that ends a text before a turn, with nothing but newlines between; null where there is none. */
function textEndBefore({ ids, tokenizer }: TrajectoryView, { start }: Turn): number | null {
  const frame = tokenizer?.frame ?? null
  let at = start - 1
  while (at >= 0 && frame?.newlines.has(ids[at] as number)) at--
  return at >= 0 && frame?.textEnds.includes(ids[at] as number) ? at : null
}

/** Where the row parts a document from the answer that ends at `end`, at its system turn or before; that turn where it does not. */
function partedAt({ trajectory }: TrajectoryView, end: number, start: number): number {
  const { attentionMask } = trajectory
  for (let at = end + 1; at < start; at++) {
    if (beginsDocument(trajectory, at) || (attentionMask !== null && attentionMask[at] !== attentionMask[at - 1]))
      return at
  }
  return start
}

/**
 * Where the system turn is there again and begins another document: the messages are all of what stands before, to the answer that ends it and that
 * nothing parts from it. A template that writes a system turn before each message of a conversation has more messages, and mostly a newline.
 */
function conversationsBehind(view: TrajectoryView): Turn[] {
  const { segmentation, trajectory, text } = view
  const messages = trajectory.messages ?? []
  const last = messages.at(-1)
  if (last === undefined || roleKind(last.role) !== 'assistant') return []
  const again = systemTurnsAgain(view)
  const first = again[0]
  const turns = segmentation?.turns ?? []
  const answer = first === undefined ? undefined : turns[first.index - 1]
  if (first === undefined || answer === undefined || answer.endToken !== first.start - 1) return []
  const before = turns.slice(0, first.index)
  const isAll = (kind: string) =>
    before.filter((turn) => turn.kind === kind).length === messages.filter(({ role }) => roleKind(role) === kind).length
  if (!isAll('assistant') || !isAll('system') || !isAll('user')) return []
  const said = normalised(last.content ?? '')
  const isLast = normalised(text({ start: answer.contentStart, end: answer.contentEnd })).includes(said)
  return said !== '' && isLast ? again : []
}

/** System turns that say what the first does, behind an answer and before a question, over which the positions run on. */
function systemTurnsAgain(view: TrajectoryView): Turn[] {
  return furtherSystemTurns(view)
    .filter(({ again }) => again)
    .map(({ turn }) => turn)
}

/** The same of those that say something else. */
function otherSystemTurns(view: TrajectoryView): Turn[] {
  return furtherSystemTurns(view)
    .filter(({ again }) => !again)
    .map(({ turn }) => turn)
}

/**
 * What a row tells of the others of its dump (`packed-siblings.ts`). Of one whose positions restart at some of these turns and run on over others the row
 * itself tells, and where different things stand before them, nothing does.
 */
export function systemAgainFact(view: TrajectoryView): Pick<TrajectoryFacts, 'systemAgain'> | null {
  const { segmentation, trajectory, ids } = view
  const { positionIds } = trajectory
  if (positionIds === null || segmentation === null) return null
  const restarting = furtherSystemTurns(view, true).flatMap(({ turn, again }) => (again ? [turn] : []))
  const running = systemTurnsAgain(view)
  if (running.length > 0 && (documentStarts(view).length > 0 || secondConversations(view).length === 0)) return null
  const again = running.length > 0 ? running : restarting
  const gaps = new Set(again.map(({ start, index }) => start - (segmentation.turns[index - 1] as Turn).separatorStart))
  const [gap] = gaps
  if (gap === undefined || gaps.size > 1) return null
  const starts = again.map(({ start }) => start)
  const positions = starts.map((at) => positionIds[at] as number)
  return { systemAgain: { gap, starts, positions, end: ids.length - segmentation.padding.right } }
}

function furtherSystemTurns(
  { ids, segmentation, trajectory }: TrajectoryView,
  restart = false,
): { turn: Turn; again: boolean }[] {
  const { positionIds, sequenceIds } = trajectory
  if (positionIds === null || sequenceIds !== null) return []
  const turns = segmentation?.turns ?? []
  const [first] = turns
  if (first?.kind !== 'system' || first.header !== 'present') return []
  const further = turns.filter(
    (turn, at) =>
      at > 0 &&
      turn.kind === 'system' &&
      turns[at - 1]?.kind === 'assistant' &&
      turns[at + 1]?.kind === 'user' &&
      (restart
        ? beginsDocument(trajectory, turn.start)
        : positionIds[turn.start] === (positionIds[turn.start - 1] as number) + 1),
  )
  return further.map((turn) => ({ turn, again: haveSameContent(ids, first, turn) }))
}

/** Neither the positions nor the sequence ids nor numbered attention masks part the document from the one before it. */
function leaks({ trajectory }: TrajectoryView, at: number): boolean {
  const { positionIds, sequenceIds, attentionMask } = trajectory
  if (attentionMask !== null && attentionMask[at] !== attentionMask[at - 1]) return false
  if (positionIds !== null) return positionIds[at] === (positionIds[at - 1] as number) + 1
  return sequenceIds !== null && sequenceIds[at] === sequenceIds[at - 1]
}
