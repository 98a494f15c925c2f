import { count } from '../../model/number-text.ts'
import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Span } from '../../model/tokens.ts'
import type { AuditSettings, Check, CheckTally, DumpReporter, DumpView, Reporter, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { filledTurns } from '../oracles/edges.ts'
import { isCallStop, isLengthStop, saysCut } from '../oracles/end-reason.ts'
import { pairedTurns } from '../template/paired-turns.ts'
import { cutCall } from './cut-tool-call.ts'
import { endsInAnswer, type LimitsAtEnd, limitsOfRun, limitsSoFar, openTurnOf, reachedLimit, tailOf } from './ending.ts'
import { isFlagged, lookAtFlaggedEnds } from './flagged-ends.ts'
import { findingOpenFlags, untoldFlags } from './open-flags.ts'
import { findingOpenStops, stopsOpen, untoldStops } from './open-stops.ts'

/**
 * C05. What the dump says about truncation contradicts its ids. A row that is cut and flagged as whole is decided alone where its own fields or a limit
 * that is known while it is read tell; one that others must show to be cut, or that ends properly and is flagged as cut, with its neighbours, because
 * environments call a rollout truncated for reasons of their own.
 */
export const flagWrong: Check = {
  code: 'C05',
  name: 'truncation-flag-wrong',
  title: 'Truncation flag is wrong',
  hypotheses: ['H04'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'rollouts with a truncation flag or a finish reason',
  why: 'Masks, penalties and metrics go by the flag: cut rollouts are trained as if they had ended, or whole ones are thrown away.',
  fix: 'Compare the last token with every id that the model stops on, and take the finish reason of each turn into account.',
  cite: 'TRL#7039, SkyRL#1319, NeMo-RL#4042, NeMo-RL#3837, halo#14, verifiers#637 (defect V10)',
  trajectory: lookAtFlag,
  dump: lookAtFlags,
  unproved: untoldEnds,
}

function lookAtFlag(view: TrajectoryView, settings: AuditSettings, report: Reporter): void {
  const { facts, segmentation } = view
  if (segmentation === null || !isFlagged(facts)) return
  // Flagged as cut and closed, or as stopped and open: the other rows tell, at the end.
  if (saysCut(facts) && facts.endReason === 'stop') return
  if (stopsOpen(facts)) return
  const limits = limitsSoFar(settings)
  const contradiction = cutButNotFlagged(facts, limits, settings.thresholds)
  if (contradiction === null && mayReachLimit(facts)) return
  if (contradiction === null && nameCutCalls(view, settings, report)) return
  report.place(contradiction !== null)
  if (contradiction === null) return
  const last = filledTurns(segmentation).at(-1)
  if (last === undefined) return
  const end = last.contentEnd
  const tail = tailOf({ start: last.contentStart, end })
  report.fault({
    tokens: tail,
    // The flag is wrong; what is trained by it C03 tells.
    affected: [],
    message: notFlagged(contradiction),
    evidence: {
      ...flagEvidence(facts, limits, settings.thresholds),
      last_token: view.ids[end - 1] ?? null,
      last_text: view.text(tail),
    },
  })
}

/** Names the calls of turns before the last that were cut, and that are said to have stopped with a call. */
function nameCutCalls(view: TrajectoryView, settings: AuditSettings, report: Reporter): boolean {
  const { messages } = view.trajectory
  if (!messages?.some(({ finishReason = null }) => isCallStop(finishReason))) return false
  const cut = pairedTurns(view)
    .slice(0, -1)
    .flatMap(({ turn, message: { finishReason: reason = null } }) => {
      // A call that somebody closed is one that the model may have closed.
      const isOpen = turn.spans.findLast(({ part }) => part === 'tool_call')?.closed === false
      const call = isOpen && isCallStop(reason) ? cutCall(view, settings, turn) : null
      return call ? [{ turn, reason, tokens: call.span }] : []
    })
  for (const { turn, reason, tokens } of cut) {
    report.place(true, { turn: turn.ordinal })
    report.fault({
      turn,
      tokens,
      affected: [],
      message: `The finish reason of an earlier turn is ${reason} while its call is never closed`,
      evidence: { finish_reason_of_turn: reason, call: view.text(tokens).slice(0, 400) },
    })
  }
  return cut.length > 0
}

function* untoldEnds(_tally: CheckTally, view: DumpView): Steps<string | null> {
  const stops = yield* within(
    0,
    0.5,
    untoldStops(view, () => true),
  )
  return stops ?? (yield* within(0.5, 1, untoldFlags(view)))
}

function tailOfOpen(facts: TrajectoryFacts): Span | null {
  const open = openTurnOf(facts)
  return open === null ? null : tailOf(open)
}

function notFlagged(contradiction: string): string {
  return `The rollout is not flagged as truncated, and ${contradiction}`
}

function flagEvidence(facts: TrajectoryFacts, limits: LimitsAtEnd, thresholds: Thresholds) {
  return {
    is_truncated: facts.isTruncated,
    finish_reason: facts.finishReason,
    end: facts.endReason,
    limit: reachedLimit(facts, limits, thresholds),
  }
}

/** What shows that a row was cut though it is flagged as whole; null where nothing does. */
function cutButNotFlagged(facts: TrajectoryFacts, limits: LimitsAtEnd, thresholds: Thresholds): string | null {
  const { endReason, isTruncated, finishReason } = facts
  if (!endsInAnswer(facts) && !endsInOpenReply(facts)) return null
  if (isTruncated === false && isLengthStop(finishReason)) {
    return `its finish reason is ${finishReason} and its last turn has no end token`
  }
  if (endReason === 'cut-call' && isTruncated !== true && isCallStop(finishReason)) {
    return `its finish reason is ${finishReason} while the call is never closed`
  }
  if (facts.stopsInCall === true && isTruncated !== true) {
    return `its finish reason is ${finishReason} while it stops amid the JSON of a call, and its other turns have end tokens`
  }
  const limit = isTruncated === false ? reachedLimit(facts, limits, thresholds) : null
  if (limit !== null) {
    return `its last turn has no end token where ${limit.name} ${count(limit.value)} is reached`
  }
  return null
}

/** Nothing closes the reply that it ends in, and it is flagged as whole: an environment ends rollouts behind replies, and not inside one. */
function endsInOpenReply({ endReason, endsClosed, isTruncated }: TrajectoryFacts): boolean {
  return endReason === 'cut-reply' && endsClosed === false && isTruncated === false
}

/** Whether it reaches a limit, and what that limit counts, all rows together tell. */
function mayReachLimit(facts: TrajectoryFacts): boolean {
  return (facts.isTruncated === false && endsInAnswer(facts)) || endsInOpenReply(facts)
}

function* lookAtFlags(view: DumpView, report: DumpReporter): Steps<void> {
  const columns = new FactColumns(view.facts)
  if (columns.isEmpty('isTruncated') && columns.isEmpty('finishReason'))
    report.abstain('not-checkable', 'the dump carries neither truncation flags nor finish reasons')
  yield* within(0, 0.5, lookAtFlaggedEnds(view, report))
  yield* within(0.5, 0.65, lookAtLimitedRows(view, report))
  yield* within(0.65, 0.8, lookAtOpenFlags(view, report))
  yield* within(0.8, 1, lookAtOpenStops(view, report))
}

/** Rows that are flagged as whole and lack an end token, where nearly all others that are flagged so have one. */
function* lookAtOpenFlags(view: DumpView, report: DumpReporter): Steps<void> {
  const flags = yield* within(0, 0.7, findingOpenFlags(view))
  if (flags === null) return
  const { closed, rows } = flags
  const look = (facts: TrajectoryFacts) => {
    if (!flags.isException(facts)) return
    report.unitAfterAll()
    report.fault({
      member: facts,
      tokens: tailOfOpen(facts),
      // The token may have been lost alone.
      severity: 'warning',
      message: `The rollout is not flagged as truncated and its last turn has no end token, as ${count(closed)} of ${count(closed + rows.length)} rollouts that are flagged so have`,
      evidence: {
        is_truncated: facts.isTruncated,
        finish_reason: facts.finishReason,
        last_token: facts.lastToken ?? null,
        length: facts.realLength,
        last_turn_tokens: facts.assistantLengths.at(-1) ?? null,
        rollouts_with_end_token: closed,
        rollouts_without: rows.length,
      },
    })
  }
  yield* within(0.7, 1, forEachOf(rows, look))
}

/** Rows that are flagged as whole and lack an end token, by the limits that all rows show. */
function* lookAtLimitedRows(view: DumpView, report: DumpReporter): Steps<void> {
  const { settings } = view
  const limits = limitsOfRun(view)
  // The very rows that the first part left alone.
  const isLeft = (facts: TrajectoryFacts) =>
    mayReachLimit(facts) && cutButNotFlagged(facts, limitsSoFar(settings), settings.thresholds) === null
  const look = (facts: TrajectoryFacts) => {
    const contradiction = cutButNotFlagged(facts, limits, settings.thresholds)
    report.unit(contradiction !== null)
    report.place(contradiction !== null)
    if (contradiction === null) return
    report.fault({
      member: facts,
      tokens: tailOfOpen(facts),
      message: notFlagged(contradiction),
      evidence: {
        ...flagEvidence(facts, limits, settings.thresholds),
        last_token: facts.lastToken ?? null,
      },
    })
  }
  yield* within(0.5, 1, forEachOf(yield* within(0, 0.5, filtered(view.facts, isLeft)), look))
}

/** Rows that are said to have stopped and lack an end token, where the other rows that are said so have one, or a limit ended them. */
function* lookAtOpenStops(view: DumpView, report: DumpReporter): Steps<void> {
  const stops = yield* within(0, 0.7, findingOpenStops(view))
  if (stops === null) return
  const { rows, closed, piled } = stops
  const all = closed + rows.length
  const look = (facts: TrajectoryFacts) => {
    const limit = stops.cutBy(facts)
    const isDenied = stops.deniesCall(facts)
    const affected = stops.refutes(facts) || stops.isException(facts)
    report.unit(affected)
    report.place(affected)
    if (!affected) return
    const others = piled === 0 ? '' : `, as ${count(piled)} of the ${count(rows.length)} without one do`
    const without = isDenied ? 'calls nothing and has no end token' : 'has no end token'
    const where = limit === null ? '' : `; it stands at ${limit.name} ${count(limit.value)}${others}`
    report.fault({
      member: facts,
      tokens: tailOfOpen(facts),
      // Nothing but the missing token says so: it may have been lost, and not the rest of the text.
      ...(stops.refutes(facts) ? {} : { severity: 'warning' }),
      message: `The finish reason is ${facts.finishReason} and the last turn ${without}, as ${closed} of ${all} rollouts that end so have${where}`,
      evidence: {
        is_truncated: facts.isTruncated,
        finish_reason: facts.finishReason,
        last_token: facts.lastToken ?? null,
        limit,
        length: facts.realLength,
        last_turn_tokens: facts.assistantLengths.at(-1) ?? null,
        rollouts_with_end_token: closed,
        rollouts_without: rows.length,
      },
    })
  }
  yield* within(0.7, 1, forEachOf(rows, look))
}
