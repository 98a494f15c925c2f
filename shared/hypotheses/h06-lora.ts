import { FactColumns } from '../checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { ofTwoEngines, oneArrayIn } from '../checks/logprobs/one-array.ts'
import { digits } from '../checks/logprobs/text.ts'
import { type GapTrend, gapTrendsOf } from '../checks/logprobs/trend.ts'
import { counted } from '../model/number-text.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import { type Bounds, gapBounds, gapRankBounds, offRolloutsBounds } from './bounds.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { besideLog, loggedLine } from './logged.ts'
import {
  type Argument,
  checkOf,
  compared,
  conclude,
  deciding,
  having,
  holds,
  type Judgement,
  leftOut,
  lesserFaults,
  notCheckable,
  notRun,
  restingOn,
  stated,
} from './verdict.ts'
import { boundText } from './would-change.ts'

/** LoRA weight synchronisation: the sampler does not run the weights that the trainer updates. */
export const H06_LORA: Hypothesis = {
  id: 'H06-lora',
  title: 'LoRA weight synchronization',
  claim: 'Updates do not reach the sampler, so that its logprobs and those of the trainer drift apart with every step.',
  sees: (input) => having(input, 'gap'),
  judge: (input) =>
    conclude(
      H06_LORA,
      input,
      besideLog(decide(input), loggedLine(input.logs, 'sampler-gap', 'gap of sampler and trainer')),
    ),
}

function decide(input: HypothesisInput): Judgement {
  const needed = ['logprobs.sampler', 'logprobs.trainer'] as const
  const missing = needed.filter((stream) => !input.streams.has(stream))
  if (missing.length > 0) return notCheckable(missing)
  const { facts, settings } = input.dump
  const { thresholds } = settings
  const oneArray = oneArrayIn(input.dump)
  if (oneArray !== null) return notCheckable([oneArray])
  const scored = ofTwoEngines(facts, thresholds)
  const gap = meanGap(scored)
  if (gap === null) return notCheckable(['trained tokens that both sampler and trainer scored'])
  const bounds = gapBounds(thresholds)
  const stale = checkOf(input, 'L08')
  // A warning alone is a gap that grows though the versions of the rollouts follow the step.
  const frozen = stale?.status === 'fail' && stale.severity === 'error'
  // Several runs lie in a folder: one whose gap grows is enough, and stands first; then one in which it begins to.
  const [trend = null] = gapTrendsOf(input.dump)
  if (trend === null && !frozen) return tooFewSteps(input, gap)
  const grows = trend?.grows === true
  const follows = trend?.follows === true
  const supported = frozen || (grows && !follows && holds(gap, bounds.supported))
  const off = offRollouts(scored, thresholds)
  const ofSome = offRolloutsBounds(thresholds)
  // A sampler that never moves may show in copies alone, whatever the gap.
  const unlooked = notRun(input, ['L08'])
  const contradicted =
    !supported &&
    unlooked.length === 0 &&
    trend !== null &&
    trend.rank !== null &&
    // Weights that never arrive begin as a gap that is still small: what rises is no word against them.
    !trend.rises &&
    holds(gap, bounds.contradicted) &&
    holds(off, ofSome.contradicted)
  return {
    verdict: supported ? 'supported' : contradicted ? 'contradicted' : 'inconclusive',
    because: [
      ...(frozen ? staleLine(stale.places.affected) : []),
      ...restingOn('logprob-gap', gapLines(gap, trend, bounds)),
      ...(trend === null ? [] : trendLines(trend, gapRankBounds(thresholds))),
      ...(trend === null ? [] : restingOn('logprob-gap', offLines(off, ofSome))),
      ...lesserFaults(H06_LORA, input, frozen ? ['L08'] : []),
    ],
    missing: [
      ...leftOut(unlooked),
      ...(!supported && trend?.rank === null ? [AT_EQUAL_LAG] : []),
      ...(!supported && trend?.rises && !grows ? [moreSteps(trend, thresholds)] : []),
    ],
    firm: supported || contradicted,
  }
}

const AT_EQUAL_LAG =
  'enough training steps at which the sampler lags no further behind, by the policy versions, than at earlier ones'

/** What tells a gap that has only begun to grow from one that stays where numerics leave it. */
function moreSteps({ steps, first, last }: GapTrend, { 'engines-differ': differ }: Thresholds): string {
  const rose = `over ${counted(steps.length, 'step')} the gap rose from ${digits(first)} to ${digits(last)}`
  return `more training steps: ${rose}, and only from ${differ} on do engines surely differ`
}

/** A gap may be told from few steps, a trend may not: neither that there is one nor that there is none. */
function tooFewSteps(input: HypothesisInput, gap: number): Judgement {
  const steps = new Set(input.dump.facts.flatMap(({ step }) => step ?? [])).size
  const least = input.dump.settings.thresholds['trend-steps']
  const there =
    steps === 0
      ? 'this dump does not say which step a rollout is of'
      : `this dump has ${steps}${steps < least ? '' : ' in all, and no run among its files has as many'}`
  return {
    verdict: 'not-checkable',
    because: restingOn('logprob-gap', stated('mean gap of sampler and trainer logprobs, in nats', gap, ['L01'])),
    missing: [`rollouts of at least ${least} training steps, for a trend (${there})`],
    firm: false,
  }
}

function meanGap(facts: readonly TrajectoryFacts[]): number | null {
  let [count, absolute] = [0, 0]
  for (const part of new FactColumns(facts).parts()) {
    const hasGap = part.present('gap')
    const [counts, sums] = [part.numbers('gap', 'count'), part.numbers('gap', 'absolute')]
    for (let i = 0; i < counts.length; i++) {
      if (hasGap[i] === 0) continue
      count += counts[i] as number
      absolute += sums[i] as number
    }
  }
  return count === 0 ? null : absolute / count
}

/** Share of the rollouts whose own gap is surely that of engines that differ: one engine of many is lost in a mean over all of them. */
function offRollouts(facts: readonly TrajectoryFacts[], thresholds: Thresholds): number {
  const { 'engines-differ': differ, 'gap-standard-errors': errors } = thresholds
  let [scored, off] = [0, 0]
  for (const part of new FactColumns(facts).parts()) {
    const counts = part.numbers('gap', 'count')
    const [sums, squares] = [part.numbers('gap', 'absolute'), part.numbers('gap', 'squares')]
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i] as number
      if (!(count > 0)) continue
      const own = (sums[i] as number) / count
      const error = Math.sqrt(Math.max(0, (squares[i] as number) / count - own * own) / count)
      scored++
      if (own - errors * error >= differ) off++
    }
  }
  return scored === 0 ? 0 : off / scored
}

function staleLine(affected: number): Argument[] {
  const some = { comparison: '>', threshold: 0 } as const
  const none = { comparison: '=', threshold: 0 } as const
  return compared('rollouts that the sampler scores with weights it should have left behind', affected, some, none, [
    'L08',
  ])
}

function gapLines(gap: number, trend: GapTrend | null, bounds: Bounds): Argument[] {
  const name = 'mean gap of sampler and trainer logprobs, in nats'
  // That it is large is L01; that it grows, without which its size supports nothing, is L08.
  if (trend?.grows && !trend.follows) return compared(name, gap, bounds.supported, bounds.contradicted, ['L01', 'L08'])
  // A large gap that does not grow has another cause, and one that grows though new weights arrive may have.
  const large = holds(gap, bounds.supported)
  const condition = trend?.follows ? ', and the policy versions do not follow it' : ''
  const told = large ? `${name}; it counts only where it grows with the step${condition}` : name
  const supported = `the gap grows with the step, and is ${boundText(name, bounds.supported)}`
  return deciding({ supported }, compared(told, gap, bounds.supported, bounds.contradicted, ['L01'])).map((line) =>
    line.speaksFor === 'supported' ? { ...line, speaksFor: null } : line,
  )
}

/** That some are off supports nothing: which engine sampled a rollout, a dump does not say. */
function offLines(share: number, bounds: Bounds): Argument[] {
  const name = 'share of rollouts whose sampler and trainer surely differ, as with one engine that misses the weights'
  return deciding({ supported: null }, compared(name, share, bounds.supported, bounds.contradicted, ['L01'])).map(
    (line) => (line.speaksFor === 'supported' ? { ...line, speaksFor: null } : line),
  )
}

function trendLines({ rank, rankOf, first, last, steps, follows }: GapTrend, bounds: Bounds): Argument[] {
  const of = rankOf === 'gap' ? 'the gap' : 'the gap per nat of surprise'
  const over = `${steps.length} steps${follows ? ', where the later lags no further behind by its policy versions' : ''}`
  const ranked = compared(
    `rank correlation of ${of} with the step, over ${over}`,
    rank,
    bounds.supported,
    bounds.contradicted,
    ['L08'],
  )
  // What says that new weights arrive stands against a growth that says they do not.
  const told = ranked.map((line) => (follows && line.speaksFor === 'supported' ? { ...line, speaksFor: null } : line))
  return [
    ...restingOn('logprob-gap-by-step', [
      ...deciding({ supported: null }, told),
      ...stated('mean gap in the first third of the steps', first),
    ]),
    ...restingOn('logprob-gap-of-last-steps', stated('mean gap in the last third of the steps', last)),
  ]
}
