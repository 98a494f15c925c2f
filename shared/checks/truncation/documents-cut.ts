import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { AuditSettings, Check, DumpReporter, DumpView, Reporter, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { limitOfRow } from '../limits/limits.ts'
import { tokenCount } from '../oracles/edges.ts'
import { encoded } from '../texts/encoded.ts'
import { documentFates } from '../texts/supporting-documents.ts'
import { type CutReply, cutReplies, repliesOf } from './cut-replies.ts'
import { findingReplyPile } from './kind-pile.ts'
import { limitOf } from './limit-of.ts'
import { nameOfKind } from './reply-kinds.ts'
import { atPile } from './reply-pile.ts'
import { namedParts } from './what-was-lost.ts'

/** C08. A limit on replies cut what the model was given to read: an end, a start or the middle of it is gone. */
export const documentsCut: Check = {
  code: 'C08',
  name: 'documents-cut',
  title: 'Tool replies are cut',
  hypotheses: ['H04'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'tool replies',
  why: 'The model is asked about passages that it was not shown, so the same behaviour is rewarded one time and not the next.',
  fix: 'Raise the limit of tool replies (verl: max_tool_response_length, 256 by default), or return fewer, whole documents.',
  cite: 'Search-R1#127, inspect_ai#2193, OpenHands#2540',
  trajectory: lookAtReplies,
  dump: stateLimit,
}

/** The limit that the cut replies share shows only once all of them are known. */
function* stateLimit(view: DumpView, report: DumpReporter): Steps<void> {
  const { limits, facts } = view
  const has = new FactColumns(facts).present('cutReplies')
  const cut = has.includes(1) ? facts.flatMap(({ cutReplies }) => cutReplies ?? []) : []
  if (cut.length === 0) {
    yield* reportPile(view, report)
    return
  }
  report.context({ max_tool_response_length: limits.max_tool_response_length, cut_replies: cut.length })
}

/** Where nothing marks a cut, replies of one length show it. */
function* reportPile(view: DumpView, report: DumpReporter): Steps<void> {
  const { facts, limits } = view
  const pile = yield* within(0, 0.8, findingReplyPile(view))
  if (pile === null) return
  const { unit, side, length, kind, replies, rollouts, texts } = pile
  const amount = unit === 'tokens' ? tokenCount(length) : counted(length, 'character')
  const shape = side === null ? 'has' : side === 'right' ? 'ends in mid-sentence at' : 'begins in mid-sentence and has'
  const others = side === null ? 'have' : 'do'
  const none = kind === null ? 'none is longer' : `none ${nameOfKind(kind)} is longer`
  const where = side === null ? '; nothing in it shows where it was cut' : ''
  const message = `A tool reply ${shape} exactly ${amount}, as ${count(replies)} replies of ${counted(rollouts, 'rollout')} ${others}, and ${none}${where}`
  const reportAt = (member: TrajectoryFacts) => {
    const there = atPile(member, pile)
    const [first] = there
    if (first === undefined) return
    const own = limitOfRow('max_tool_response_length', view, member)
    report.unitAfterAll()
    report.fault({
      member,
      scope: 'tokens',
      tokens: { start: first.start, end: first.end },
      // One text for all findings, of which there may be as many as rollouts.
      message,
      evidence: {
        cut: side ?? 'somewhere',
        shown_by: 'pile-up',
        limit: limits.max_tool_response_length ?? (own === null ? null : { value: own, origin: 'metadata' }),
        ...(kind === null ? {} : { only_of: kind }),
        replies_cut: there.length,
        replies_at_this_length: replies,
        rollouts_at_this_length: rollouts,
        different_texts: texts,
        tokens_left: first.tokens,
        characters_left: first.characters,
      },
    })
  }
  yield* within(0.8, 1, forEachOf(facts, reportAt))
}

function lookAtReplies(view: TrajectoryView, settings: AuditSettings, report: Reporter): void {
  const { segmentation, trajectory } = view
  if (segmentation === null) return
  const cut = cutReplies(trajectory, view)
  for (const { turn, start, end } of repliesOf(segmentation)) {
    const affected = cut.some(({ span }) => span.start >= start && span.end <= end)
    report.place(affected, { turn: turn.ordinal })
  }
  const turns = new Set<number>()
  for (const reply of cut) {
    // Replies spliced into one assistant turn are one finding.
    if (turns.has(reply.turn.index)) continue
    turns.add(reply.turn.index)
    reportCut(view, settings, reply, cut.filter(({ turn }) => turn === reply.turn).length, report)
  }
}

/** Tokens shown at either side of the cut. */
const SHOWN_TOKENS = 24

function reportCut(
  view: TrajectoryView,
  settings: AuditSettings,
  reply: CutReply,
  replies: number,
  report: Reporter,
): void {
  const { turn, span, side, shownBy, characters, lost } = reply
  const tokens = span.end - span.start
  const lostTokens = lost === null || view.tokenizer === null ? null : (encoded(view.tokenizer, lost)?.length ?? null)
  const where = { left: 'at its start', right: 'at its end', middle: 'in its middle' }[side]
  const amount = lostTokens === null ? '' : `, about ${tokenCount(lostTokens)} are lost`
  const fates = documentFates(view.trajectory, view)
  report.fault({
    turn,
    tokens: span,
    // What is wrong is what is missing.
    affected: [],
    message: `A tool reply is cut ${where}: ${counted(characters, 'character')} in ${tokenCount(tokens)} are left${amount}`,
    evidence: {
      cut: side,
      shown_by: shownBy,
      limit: limitOf('max_tool_response_length', settings, view.trajectory),
      replies_cut_in_turn: replies,
      characters_left: characters,
      tokens_left: tokens,
      lost_tokens: lostTokens,
      lost_text: lost?.slice(0, 400) ?? null,
      lost_parts: lost === null ? null : namedParts(view.trajectory, lost),
      start: view.text({ start: span.start, end: Math.min(span.end, span.start + SHOWN_TOKENS) }),
      end: view.text({ start: Math.max(span.start, span.end - SHOWN_TOKENS), end: span.end }),
      supporting_documents_not_visible: fates?.flatMap(({ id, visible }) => (visible ? [] : [id])) ?? null,
    },
  })
}
