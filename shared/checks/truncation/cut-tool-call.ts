import { counted } from '../../model/number-text.ts'
import { Provenance, type SubSpan, type Turn } from '../../model/tokens.ts'
import type { AuditSettings, Check, Reporter, TrajectoryView } from '../check.ts'
import { isLengthStop } from '../oracles/end-reason.ts'
import { followsForgedEnd, isForged } from '../template/forged-control.ts'
import { endsInLetters } from '../template/spelt-markers.ts'
import { abstainUnreadCalls } from '../template/unread-calls.ts'
import { begunCall, stopsAmidCall } from './amid-call.ts'
import { isBracedCall, isCutJson } from './cut-json.ts'
import { limitOf } from './limit-of.ts'
import { isBehindZeros } from './zeros-before.ts'

/** C07. A tool call is opened and never closed, or its JSON stops in the middle and the environment answers all the same. */
export const cutToolCall: Check = {
  code: 'C07',
  name: 'cut-tool-call',
  title: 'Cut in the middle of a tool call',
  hypotheses: ['H04'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'assistant turns with a tool call',
  why: 'A call that a limit cut cannot be parsed: the rollout is punished, or goes on after an error, for a fault the model did not make.',
  fix: 'Raise the limit of tokens per turn, and mask turns that a limit cut.',
  cite: 'halo#14, mastra#15718, ironclaw#1631, mini-swe-agent#851',
  trajectory: lookAtCalls,
  dump: abstainUnreadCalls,
}

function lookAtCalls(view: TrajectoryView, settings: AuditSettings, report: Reporter): void {
  const turns = view.segmentation?.turns ?? []
  for (const [index, turn] of turns.entries()) {
    if (turn.kind !== 'assistant') continue
    const fault = cutCall(view, settings, turn)
    if (fault === undefined) continue
    report.place(fault !== null, { turn: turn.ordinal })
    if (fault === null) continue
    const { span, message } = fault
    const text = view.text(span)
    report.fault({
      turn,
      tokens: span,
      message,
      evidence: {
        call: text.slice(0, 400),
        closed: span.closed,
        end_token: turn.endToken >= 0,
        limit: limitOf('max_completion_length', settings, view.trajectory),
        turn_tokens: turn.contentEnd - turn.contentStart,
        next: turns[index + 1]?.role ?? null,
        reply: replyText(view, turns[index + 1]),
      },
    })
  }
}

/** The call of a turn that was cut; null where none was, and undefined where the turn calls nothing. */
export function cutCall(view: TrajectoryView, settings: AuditSettings, turn: Turn): CallFault | null | undefined {
  const begun = begunCall(view, turn)
  const calls = begun === null ? turn.spans.filter(({ part }) => part === 'tool_call') : [begun]
  const last = calls.at(-1)
  if (last === undefined) return undefined
  const open =
    last.closed || lostItsEnd(view, turn, last) || isLeftOpen(view, settings, turn, last)
      ? null
      : openAtTheEnd(turn, last)
  const fault = open ?? cutButAnswered(view, settings, turn, calls)
  // A document that spells a header or an end (T15) may quote a call as well: nobody called anything there.
  return fault !== null && (isForged(view, turn) || followsForgedEnd(view, turn)) ? undefined : fault
}

/** What the environment answered, where it did. */
function replyText(view: TrajectoryView, next: Turn | undefined): string | null {
  if (next === undefined || next.kind === 'assistant') return null
  const { contentStart, contentEnd } = next
  return view.text({ start: contentStart, end: Math.min(contentEnd, contentStart + REPLY_TOKENS) })
}

/** Tokens of the reply that evidence shows: an error says what it is at once. */
const REPLY_TOKENS = 48

interface CallFault {
  readonly span: SubSpan
  readonly message: string
}

/**
 * The whole call is there: the end token behind it is spelt (T16), or, where it alone closes a call as in Llama, is not there before another
 * turn. A call that opens with a tag needs the tag that closes it.
 */
function lostItsEnd(view: TrajectoryView, turn: Turn, call: SubSpan): boolean {
  if (endsInLetters(view, turn)) return true
  const text = view.text(call).trim()
  return view.segmentation?.turns.at(-1) !== turn && text.startsWith('{') && text.endsWith('}') && !isCutJson(text)
}

/**
 * The model forgot the tag, and no limit took it: it ended the turn itself, or the JSON is whole and the end is in the loss. A call that was cut has an
 * end as well where another wrote it, or put it behind a limit.
 */
function isLeftOpen(view: TrajectoryView, settings: AuditSettings, turn: Turn, call: SubSpan): boolean {
  const { provenance, mask, segmentation, trajectory } = view
  const { endToken } = turn
  if (endToken < 0 || provenance?.[endToken] === Provenance.notSampled) return false
  const isLast = segmentation?.turns.findLast(({ kind }) => kind === 'assistant') === turn
  if (isLast && (trajectory.isTruncated === true || isLengthStop(trajectory.finishReason))) return false
  if (comesToLimit(view, settings, turn, call)) return false
  return isSampledEnd(view, turn) || (mask?.[endToken] === 1 && !isCutJson(view.text(call)))
}

/** By the provenance of the end token; else by a logprob that the sampler has of what it sampled alone, or a 0.0 in the loss of which the trainer is as certain. */
function isSampledEnd(view: TrajectoryView, turn: Turn): boolean {
  const { provenance, mask, segmentation, trajectory, thresholds } = view
  const { endToken } = turn
  if (provenance?.[endToken] === Provenance.sampled) return true
  const { sampler, trainer } = trajectory.logprobs
  if (segmentation === null || sampler === null) return false
  const score = sampler[endToken] as number
  if (score < 0) return provenance === null && isBehindZeros(trajectory, segmentation, turn)
  return score === 0 && mask?.[endToken] === 1 && (trainer?.[endToken] ?? Number.NaN) >= -thresholds['not-certain']
}

function openAtTheEnd(turn: Turn, call: SubSpan): CallFault {
  const tokens = call.end - call.start
  const how = turn.endToken < 0 ? 'and the turn has no end token' : 'and the turn ends'
  return { span: call, message: `A tool call of ${counted(tokens, 'token')} is opened and not closed, ${how}` }
}

/**
 * Whoever closed a call that a limit had cut, the model did not. Where it wrote the tag, it counted its brackets wrong, and mostly so where a
 * brace stands last: there the turn must come to its limit, or the model must be known not to have closed this call, as it does others. An
 * environment that has no turn for the error of a call it could not read answers as the user, in whatever words: there the model must be known not to
 * have ended the turn.
 */
function cutButAnswered(
  view: TrajectoryView,
  settings: AuditSettings,
  turn: Turn,
  calls: readonly SubSpan[],
): CallFault | null {
  const next = view.segmentation?.turns[turn.index + 1]
  const byUser = next?.kind === 'user'
  if (next?.kind !== 'tool' && !byUser) return null
  const span = calls.find((call) => {
    if (!call.closed || closedBy(view, turn, call) === Provenance.sampled) return false
    const text = view.text(call)
    if (!isCutJson(text)) return false
    if (byUser) return !isBracedCall(text) && endedByAnotherAlone(view, turn, call)
    const isOpenText = !isBracedCall(text) && !mayHaveEnded(view, turn, call)
    return isOpenText || comesToLimit(view, settings, turn, call) || closesOthersItself(view, turn, call)
  })
  if (span === undefined) return null
  const after = byUser ? 'another than the model ended its turn' : 'the environment answered it'
  return { span, message: `The JSON of a tool call stops in the middle, and ${after}` }
}

/** Tokens that a closing tag is spelt with at most, with white space behind it. */
const MOST_OF_TAG = 24

/** Who wrote what closes a call: its tag, or where it has none the end token of its turn. */
function closedBy({ text, provenance }: TrajectoryView, turn: Turn, call: SubSpan): number | undefined {
  if (provenance === null) return undefined
  const hasTag = /<\/[^<>]*>\s*$/.test(text({ start: Math.max(call.start, call.end - MOST_OF_TAG), end: call.end }))
  return provenance[hasTag ? call.end - 1 : turn.endToken]
}

/**
 * Without a tag, a model that wrote the last words of a call may have ended the turn itself, where logprobs do not tell (0.0 is a legal one) or
 * no framework keeps the token. It did not where another did.
 */
function mayHaveEnded(view: TrajectoryView, turn: Turn, call: SubSpan): boolean {
  return view.provenance?.[call.end - 1] === Provenance.sampled && !endedByAnother(view, turn, call)
}

/** The end behind the last words of a call is known as another's or left out of the loss, and other ends of the row are not. */
function endedByAnother(view: TrajectoryView, turn: Turn, call: SubSpan): boolean {
  const { provenance, mask } = view
  const { endToken } = turn
  const others = otherEnds(view, turn)
  if (endToken < 0 || provenance?.[endToken] === Provenance.sampled) return false
  if (provenance?.[endToken] === Provenance.notSampled)
    return others.some((other) => provenance[other.endToken] === Provenance.sampled)
  return mask?.[endToken] === 0 && mask[call.end - 1] === 1 && others.some((other) => mask[other.endToken] === 1)
}

/** The same, and the loss leaves out no other end of the row but of calls that stop as well: a run that masks ends for other reasons says nothing of this one. */
function endedByAnotherAlone(view: TrajectoryView, turn: Turn, call: SubSpan): boolean {
  const { provenance, mask } = view
  if (!endedByAnother(view, turn, call)) return false
  if (provenance?.[turn.endToken] === Provenance.notSampled) return true
  return otherEnds(view, turn).every((other) => mask?.[other.endToken] === 1 || stopsAmidCall(view, other))
}

function otherEnds({ segmentation }: TrajectoryView, turn: Turn): readonly Turn[] {
  return (segmentation?.turns ?? []).filter(
    (other) => other.kind === 'assistant' && other.endToken >= 0 && other !== turn,
  )
}

function comesToLimit(
  view: TrajectoryView,
  settings: AuditSettings,
  { contentStart }: Turn,
  { end }: SubSpan,
): boolean {
  const limit = limitOf('max_completion_length', settings, view.trajectory)?.value
  return limit !== undefined && Math.abs(end - contentStart - limit) <= view.thresholds['near-limit-tokens']
}

/** A framework that stops on what closes a call writes it behind all of them. */
function closesOthersItself(view: TrajectoryView, turn: Turn, call: SubSpan): boolean {
  if (closedBy(view, turn, call) !== Provenance.notSampled) return false
  return (view.segmentation?.turns ?? []).some(
    (other) =>
      other.kind === 'assistant' &&
      other !== turn &&
      other.spans.some(
        (each) => each.part === 'tool_call' && each.closed && closedBy(view, other, each) === Provenance.sampled,
      ),
  )
}
