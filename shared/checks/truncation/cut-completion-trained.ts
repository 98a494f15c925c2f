import { counted, count as inThousands } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import { TokenState } from '../../model/tokens.ts'
import type { AuditSettings, Check, DumpReporter, DumpView, Reporter, TrajectoryView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { shown } from '../groups/statistics.ts'
import { countOf } from '../oracles/spans.ts'
import {
  endingOf,
  type LimitsAtEnd,
  limitsOfRun,
  limitsSoFar,
  NO_LIMITS,
  openTurnOf,
  reachedLimit,
  tailOf,
} from './ending.ts'
import { limitsInForce } from './limit-of.ts'
import { findingOpenStops, stopsOpen, untoldStops } from './open-stops.ts'
import { rewardByEnd } from './reward-splits.ts'
import { findingToldEnds } from './told-ends.ts'
import { lostAfterEnd } from './what-was-lost.ts'

/**
 * C03. A rollout that a limit ended is trained and keeps its reward. Rows whose own fields tell why they ended are decided
 * one by one; rows that merely lack an end token are decided at the end, against the rest of the dump.
 */
export const cutCompletionTrained: Check = {
  code: 'C03',
  name: 'cut-completion-trained',
  title: 'Cut completion is trained and rewarded',
  hypotheses: ['H04'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'rewards', 'tokenizer'],
  looksAt: 'last assistant turns',
  why: 'A completion without its end token that still earns a reward teaches the model never to stop.',
  fix: 'Mask cut rollouts, or give them no reward; raise the limit if many are cut.',
  cite: 'TRL#3248, SkyRL#111, open-instruct#1876, verifiers#637',
  ofRowEnd: true,
  trajectory: lookAtLastTurn,
  dump: lookAtOthers,
  unproved: (_tally, view) => untoldStops(view, isPaidFor),
}

function lookAtLastTurn(view: TrajectoryView, settings: AuditSettings, report: Reporter): void {
  const { facts, segmentation } = view
  // A bare generation prompt at the end is no turn that anything was written in.
  const turn = segmentation?.turns.findLast(({ contentStart, contentEnd }) => contentEnd > contentStart)
  if (turn === undefined || turn.kind !== 'assistant' || facts.reward === null) return
  const ending = endingOf(facts, limitsSoFar(settings), settings.thresholds)
  if (ending === null || ending === 'open' || stopsOpen(facts)) return
  const trained = countOf(view.states, TokenState.trained, turn.contentStart, turn.end)
  const affected = ending === 'cut' && !facts.excluded && trained > 0 && facts.reward > 0
  report.place(affected, { turn: turn.ordinal })
  if (!affected) return
  report.fault({
    turn,
    tokens: { start: turn.contentStart, end: turn.end },
    message: `The last turn has no end token; its ${counted(trained, 'token')} are trained with reward ${shown(facts.reward)}`,
    evidence: () => ({
      ...endEvidence(facts, limitsSoFar(settings), settings.thresholds),
      ...lostAfterEnd(view),
      trained_tokens: trained,
      tail: view.text(tailOf({ start: turn.contentStart, end: turn.end })),
    }),
  })
}

/** Rows that only the rest of the dump can tell of. */
function* lookAtOthers(view: DumpView, report: DumpReporter): Steps<void> {
  yield* within(0, 0.4, lookAtOpenStops(view, report))
  yield* within(0.4, 1, lookAtOpenRows(view, report))
}

/** Rows that are said to have stopped, and that a limit cut (C05). */
function* lookAtOpenStops(view: DumpView, report: DumpReporter): Steps<void> {
  const stops = yield* within(0, 0.6, findingOpenStops(view))
  if (stops === null) return
  const limits = limitsOfRun(view)
  const look = (facts: TrajectoryFacts) => {
    const limit = stops.cutBy(facts)
    const affected = limit !== null && isPaidFor(facts)
    report.unit(affected)
    report.place(affected, { turn: facts.assistantTurns })
    if (!affected) return
    report.fault({
      member: facts,
      ...lastTurnOf(facts),
      message: `The last turn has no end token and stands at ${limit.name} ${inThousands(limit.value)}; it is trained with reward ${shown(facts.reward as number)}`,
      evidence: {
        ...endEvidence(facts, limits, view.settings.thresholds),
        trained_tokens: facts.trained,
        rollouts_closed: stops.closed,
        rollouts: stops.closed + stops.rows.length,
      },
    })
  }
  const isRewarded = ({ reward }: TrajectoryFacts) => reward !== null
  yield* within(0.6, 1, forEachOf(stops.rows.filter(isRewarded), look))
}

function isPaidFor({ excluded, trained, reward }: TrajectoryFacts): boolean {
  return !excluded && (trained ?? 0) > 0 && (reward ?? 0) > 0
}

/** What is affected of a row that is known by its facts alone: the rest of it is trained as it should be. */
function lastTurnOf(facts: TrajectoryFacts) {
  const affectedTokens = facts.assistantLengths.at(-1) ?? 0
  return { tokens: openTurnOf(facts), affectedTokens, affectedWeight: Math.min(facts.weight ?? 0, affectedTokens) }
}

/** Rows without an end token and without a word about it: cut where the dump's other rows do end theirs. */
function* lookAtOpenRows(view: DumpView, report: DumpReporter): Steps<void> {
  const { settings } = view
  const { thresholds } = settings
  const limits = limitsOfRun(view)
  const told = yield* findingToldEnds(view)
  const split = rewardByEnd(view.facts, told)
  if (split.length > 0) report.context({ limits: limitsInForce(view), mean_reward_by_end: split })
  let closed = 0
  let ended = 0
  let open = 0
  yield 0.1
  const count = (facts: TrajectoryFacts) => {
    const ending = endingOf(facts, NO_LIMITS, thresholds)
    if (ending === null) return
    ended++
    if (ending === 'closed') closed++
    const known = { ...limits.values, ...facts.limits }
    if (ending === 'open' && known.max_seq_len == null && known.max_completion_length == null) open++
  }
  yield* within(0.1, 0.4, forEachOf(view.facts, count))
  const othersClose = closed >= thresholds['closed-share-for-contrast'] * ended
  let cutRows = 0
  const look = (facts: TrajectoryFacts) => {
    // The very rows that the first part left alone.
    if (facts.reward === null || endingOf(facts, limitsSoFar(settings), thresholds) !== 'open') return
    const cut = (othersClose && !told.open.has(facts)) || endingOf(facts, limits, thresholds) === 'cut'
    if (cut) cutRows++
    const affected = cut && isPaidFor(facts)
    const at = { turn: facts.assistantTurns }
    report.unit(affected)
    report.place(affected, at)
    if (!affected) return
    report.fault({
      member: facts,
      ...lastTurnOf(facts),
      message: `The last turn has no end token, where ${inThousands(closed)} of ${counted(ended, 'rollout')} end theirs with one; it is trained with reward ${shown(facts.reward)}`,
      evidence: {
        ...endEvidence(facts, limits, thresholds),
        trained_tokens: facts.trained,
        rollouts_closed: closed,
        rollouts: ended,
      },
    })
  }
  yield* within(0.4, 1, forEachOf(view.facts, look))
  // Stop strings end turns like this, and so does a limit that all rollouts ran into.
  if (ended > 0 && open === ended && cutRows === 0) {
    report.abstain(
      'not-checkable',
      'no rollout ends with an end token, and nothing tells what ended them: declare the limit of a completion or of a row',
    )
  }
}

function endEvidence(facts: TrajectoryFacts, limits: LimitsAtEnd, thresholds: Thresholds): Record<string, unknown> {
  return {
    end: facts.endReason,
    finish_reason: facts.finishReason,
    is_truncated: facts.isTruncated,
    limit: reachedLimit(facts, limits, thresholds),
    length: facts.realLength,
    last_turn_tokens: facts.assistantLengths.at(-1) ?? null,
    reward: facts.reward,
  }
}
