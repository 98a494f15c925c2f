import { clipped } from '../../model/clipped.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { AuditSettings, Check, DumpReporter, DumpView, FaultAt, Reporter, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { answerRows, answerSpan, paidForReplies, untoldAnswers, valueIn } from '../grouping/answer-contrast.ts'
import { shown } from '../groups/statistics.ts'
import { type KlInReturns, klInReturns } from './kl-in-returns.ts'
import { lookAtRestarts } from './restarted-returns.ts'
import { type TurnCredit, turnCredits } from './turn-credits.ts'
import { isUncredited, lookAtUncredited } from './uncredited-turns.ts'

/**
 * M18. Credit that goes past the mask: a reward for an answer that only a reply holds, returns that start anew behind every reply, or
 * returns that hold the KL of what the environment wrote.
 */
export const M18: Check = {
  code: 'M18',
  name: 'credit-ignores-mask',
  title: 'Reward or advantage is computed past the mask',
  hypotheses: ['H02', 'H05'],
  severity: 'error',
  unit: 'trajectory',
  // How far returns reach, the advantages tell by themselves; of whom a reward pays, nothing is known without it.
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'rollouts whose expected answer a reply alone holds, or whose advantages differ from token to token',
  why: 'The policy is rewarded for what a tool wrote, the turns before a tool reply get no credit at all, or they pay for the KL of what a tool wrote.',
  fix: 'Score the text of assistant turns alone, carry returns over masked tokens instead of restarting them, and leave the KL of masked tokens out of them.',
  cite: 'verl#6392, verl#6376, slime#1370, miles#557',
  trajectory: lookAtReturns,
  *dump(view, report) {
    yield* within(0, 0.2, lookAtUncredited(view, report))
    const untold = yield* within(0.2, 0.4, lookAtRestarts(view, report))
    yield* within(0.4, 1, lookAtAnswers(view, report, untold))
    if (!view.streams.has('rewards')) report.abstain('not-checkable', WITHOUT_REWARDS)
  },
  *unproved(_tally, view) {
    const untold = untoldKl(view.facts) ?? (view.streams.has('rewards') ? null : WITHOUT_REWARDS)
    return untold ?? (yield* untoldAnswers(view))
  },
}

const WITHOUT_REWARDS = 'the dump does not carry rewards'

/** Why rollouts whose returns change across replies by more than the dump tells are not sound, where most are such. */
function untoldKl(facts: readonly TrajectoryFacts[]): string | null {
  const rows = new FactColumns(facts).having('earlierCredit')
  const untold = rows.filter(({ earlierCredit }) => earlierCredit?.isKlUntold === true)
  if (untold.length * 2 <= rows.length) return null
  return 'returns hold a KL of each token, and change across replies by something that the dump does not store: nothing tells whether it is the KL of these'
}

/** Advantages by token that change across replies by the KL of these. What turns get none at all, other rollouts tell about (`lookAtUncredited`). */
function lookAtReturns(view: TrajectoryView, { policy }: AuditSettings, report: Reporter): void {
  if (policy.id === 'last-turn') return
  const earlier = turnCredits(view).slice(0, -1)
  if (earlier.length === 0 || isUncredited(view.facts)) return
  const kl = klInReturns(view)
  const isCharged = kl?.isForeign === true
  report.place(isCharged)
  if (isCharged) tellKl(kl, earlier, report)
}

function tellKl(kl: KlInReturns, earlier: readonly TurnCredit[], report: Reporter): void {
  report.fault({
    ...reach(earlier),
    message: `The advantage changes by ${shown(kl.change)} across what the environment wrote between the turns: the KL of these tokens makes ${shown(kl.foreign)} of it, and that of the model’s own ${shown(kl.own)}. The ${earlier.length === 1 ? 'turn' : `${earlier.length} turns`} before the last pay for text that the model did not write`,
    evidence: {
      kl: kl.formula,
      factor: kl.factor,
      stretches: kl.stretches,
      change: kl.change,
      of_the_environment: kl.foreign,
      of_the_model: kl.own,
    },
  })
}

function reach(earlier: readonly TurnCredit[]): Pick<FaultAt, 'scope' | 'tokens' | 'affected'> {
  const spans = earlier.map(({ turn }) => ({ start: turn.contentStart, end: turn.end }))
  return { scope: 'trajectory', tokens: { start: spans[0]!.start, end: spans.at(-1)!.end }, affected: spans }
}

/**
 * Rewards that follow the answer's words (rollouts whose model wrote them have it, those without them do not) and that rollouts get as
 * well where only a reply holds them.
 *
 * @param untold rollouts whose credit, the same throughout, tells nothing of how far it reaches
 */
function* lookAtAnswers(view: DumpView, report: DumpReporter, untold: ReadonlySet<TrajectoryFacts>): Steps<void> {
  const { streams } = view
  if (!streams.has('answer')) {
    const lacks = streams.has('advantages')
      ? 'the dump does not carry expected answers, and no advantages that differ from token to token'
      : 'the dump carries neither answers nor advantages'
    report.abstain('not-checkable', lacks)
  }
  const rows = yield* within(0, 0.3, answerRows(view))
  const paid = yield* within(0.3, 0.5, paidForReplies(rows, view))
  const part = paid?.part ?? null
  const isByToken = hasReturns(view)
  const isPaid = (facts: TrajectoryFacts) => paid !== null && valueIn(facts, part) >= paid.full
  const look = (facts: TrajectoryFacts) => {
    const affected = isPaid(facts)
    // Where returns are looked at, rollouts are counted for these.
    if (!affected && isByToken) return
    report.unit(affected)
    report.place(affected)
    if (!affected) return
    report.fault({
      member: facts,
      tokens: answerSpan(facts),
      affectedTokens: facts.trained ?? 0,
      affectedWeight: facts.weight ?? 0,
      message: `Only a masked reply holds the answer, and ${part === null ? 'the reward' : clipped(part, 40)} is ${shown(valueIn(facts, part))} as where the model gives it`,
      evidence: {
        reward: facts.reward,
        ...(part === null ? {} : { part_of_the_reward: part, part: valueIn(facts, part) }),
        rollouts: Object.fromEntries(Object.entries(rows).map(([place, each]) => [place, each.length])),
        rewarded: Object.fromEntries(Object.entries(rows).map(([place, each]) => [place, each.filter(isPaid).length])),
      },
    })
  }
  yield* within(0.5, 0.7, forEachOf(rows.environment, look))
  if (!isByToken) return
  const told = new Set(rows.environment.filter(isPaid))
  for (const each of untold) told.add(each)
  yield* within(0.7, 1, lookAtWholeCredit(view, report, told))
}

/**
 * Beside rows whose advantages differ, one whose credit is the same throughout had it reach its first turn; without any, nothing shows.
 *
 * @param told of which something else is said
 */
function* lookAtWholeCredit(view: DumpView, report: DumpReporter, told: ReadonlySet<TrajectoryFacts>): Steps<void> {
  if (!hasReturns(view)) return
  yield* forEachOf(view.facts, (facts) => {
    if (facts.advantage === null || facts.advantage === 0 || facts.assistantTurns < 2 || told.has(facts)) return
    report.unit(false)
    report.place(false)
  })
}

/** Whether tokens of any rollout have advantages that differ. */
function hasReturns({ facts }: DumpView): boolean {
  const columns = new FactColumns(facts)
  if (columns.isEmpty('maxAdvantage')) return false
  const single = columns.present('advantage')
  return columns.present('maxAdvantage').some((has, at) => has === 1 && single[at] !== 1)
}
