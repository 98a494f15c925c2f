import type { TrajectoryFacts } from '../checks/facts.ts'
import { counted } from '../model/number-text.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { loggedOf } from './logged.ts'
import { withoutKnownTurns } from './multi-step.ts'
import { type RewardTrend, rewardTrend, trendOf } from './reward-trend.ts'
import { fewerRollouts } from './run-likeness.ts'
import { type Argument, conclude, deciding, type Judgement, notCheckable, restingOn, stated } from './verdict.ts'

const SINGLE = 'the single-turn run'

/** Library functionality validation: does the trainer learn anything at all, on a task of one turn? */
export const H06_LIBRARY: Hypothesis = {
  id: 'H06-library',
  title: 'Library functionality validation',
  claim: 'The trainer itself is broken: not even a single-turn task improves with it.',
  judge: (input) => conclude(H06_LIBRARY, input, decide(input)),
}

function decide(input: HypothesisInput): Judgement {
  const { against } = input
  if (!against) return notCheckable(['a second run, of a single-turn task with the same trainer (--against)'])
  const runs: readonly Run[] = [
    { facts: input.dump.facts, logs: input.logs, streams: input.streams },
    { facts: against.dump.facts, logs: against.logs, streams: against.streams },
  ]
  const simple = runs.find(isSingleTurn) ?? taken(runs)
  if (simple === null) return notCheckable(lackOfSingle(runs))
  const { thresholds } = input.dump.settings
  const steps = thresholds['trend-steps']
  const trend = trendOfRun(simple, thresholds)
  if (trend === null) return notCheckable([lackOfTrend(SINGLE, simple, steps)])
  const [second] = runs.filter((run) => run !== simple)
  const other = second === undefined ? null : trendOfRun(second, thresholds)
  // A trainer that improves the harder task is not broken, whatever keeps the simple one flat; whether it does must be known.
  const flat = trend.course === 'level' && other?.course === 'level'
  const verdict = trend.course === 'rises' ? 'contradicted' : flat ? 'supported' : 'inconclusive'
  return {
    verdict,
    because: [
      ...linesOf(SINGLE, trend, SPEAKS[trend.course], thresholds),
      ...(other === null ? [] : linesOf('the other run', other, null, thresholds)),
      ...(simple.facts.length === 0
        ? stated('which run is the single-turn one', 'taken to be the one of which only a log was given')
        : []),
    ],
    missing:
      trend.course === 'rises'
        ? []
        : [
            ...lackOfCertainty(SINGLE, trend, thresholds),
            ...(other !== null
              ? lackOfCertainty('the other run', other, thresholds)
              : second === undefined
                ? []
                : [lackOfTrend('the other run', second, steps)]),
          ],
    firm: simple.facts.length > 0,
    rollouts: fewerRollouts(input, against),
  }
}

const SPEAKS = { rises: 'contradicted', level: 'supported', open: null } as const

/** What it would take to tell whether a run rises that does not show it. */
function lackOfCertainty(
  whose: string,
  { course, steps, gain, error, rank }: RewardTrend,
  thresholds: Thresholds,
): string[] {
  const { 'h06-library-steps': enough, 'h06-library-rise': rise, 'h06-library-rank': order } = thresholds
  if (course !== 'open') return []
  if (steps < enough)
    return [`at least ${enough} training steps in ${whose}, which has ${steps}, before it can be called level`]
  if (gain >= thresholds['run-standard-errors'] * error && rank < order)
    return [
      `more steps in ${whose}: its rewards gain ${gain.toFixed(3)} over all, and do not rise in order (rank correlation ${rank.toFixed(2)}, ${order} is needed)`,
    ]
  return [
    `more steps, or more rollouts in each, in ${whose}: its rewards scatter too much to rule out that it gains ${rise}`,
  ]
}

/** What of the steps and rewards a run lacks for a trend. */
function lackOfTrend(whose: string, { facts, logs }: Run, steps: number): string {
  const needed = `at least ${steps} training steps`
  const rewarded = facts.filter(({ reward }) => reward !== null && Number.isFinite(reward))
  if (rewarded.length === 0 && loggedOf(logs, 'reward') === null) return `rewards of ${whose}, over ${needed}`
  const known = new Set(rewarded.flatMap(({ step }) => step ?? [])).size
  const count = Math.max(known, loggedOf(logs, 'reward')?.values.length ?? 0)
  return count === 0
    ? `step of the rollouts of ${whose}, which have rewards and do not say the step: ${needed}`
    : `${needed} in ${whose}, which has ${count}`
}

interface Run {
  readonly facts: readonly TrajectoryFacts[]
  readonly logs: HypothesisInput['logs']
  readonly streams: HypothesisInput['streams']
}

/** Beside rollouts of several turns, a run of which there is nothing but a log was given as the single-turn one. */
function taken(runs: readonly Run[]): Run | null {
  const [logged, ...more] = runs.filter(({ facts }) => facts.length === 0)
  return logged !== undefined && more.length === 0 && runs.some(hasSeveralTurns) ? logged : null
}

/** What it takes to tell which run is the single-turn one: a run of open turns may be it. */
function lackOfSingle(runs: readonly Run[]): string[] {
  const open = runs.filter((run) => run.facts.length > 0 && !hasSeveralTurns(run))
  if (open.length === 0) return ['a single-turn run: both have rollouts of several assistant turns']
  return open.map((run) => {
    const whose = run === runs[0] ? 'the open run' : 'the second run'
    const unknown = withoutKnownTurns(run.facts)
    if (unknown.length === 0) return `assistant turns in ${whose}, which has none`
    if (unknown.some(({ idsHash }) => idsHash === null))
      return `ids of ${whose}, whose texts may hold several turns each: ${NOTHING_ELSE}`
    return run.streams.has('tokenizer')
      ? `turns in the ids of ${counted(unknown.length, 'rollout')} of ${whose}, where its tokenizer finds none: ${NOTHING_ELSE}`
      : `tokenizer of ${whose}, without which its turns are not known: ${NOTHING_ELSE}`
  })
}

const NOTHING_ELSE = 'nothing else tells whether it is the single-turn run'

function hasSeveralTurns({ facts }: Run): boolean {
  return facts.some(({ assistantTurns }) => assistantTurns > 1)
}

/** By the rollouts where they have steps, else by what the run logged. */
function trendOfRun({ facts, logs }: Run, thresholds: Thresholds): RewardTrend | null {
  const own = rewardTrend(facts, thresholds)
  const logged = own === null ? loggedOf(logs, 'reward') : null
  return logged === null ? own : trendOf(logged.values, thresholds)
}

function isSingleTurn({ facts }: Run): boolean {
  return (
    facts.some(({ assistantTurns }) => assistantTurns === 1) &&
    facts.every(({ assistantTurns }) => assistantTurns <= 1) &&
    withoutKnownTurns(facts).length === 0
  )
}

function linesOf(
  whose: string,
  { first, last, steps, rank, gain, error, course, falls }: RewardTrend,
  speaksFor: Argument['speaksFor'],
  thresholds: Thresholds,
) {
  const chance = thresholds['run-standard-errors'] * error
  const by = `${signed(gain)} ± ${chance.toFixed(3)} by the line through all of them`
  const word = falls ? 'falls, ' : { rises: 'rises, ', level: 'is level, ', open: 'may rise or be level, ' }[course]
  const summary = `${word}from ${first.toFixed(3)} to ${last.toFixed(3)}; ${by}`
  const trend = `the mean reward of ${whose}`
  const decides = {
    supported: falls
      ? `${trend} does not rise, and that of the other run neither`
      : `${trend} is level, and that of the other run too`,
    contradicted: `${trend} rises by more than chance`,
  }
  const line = restingOn('both-runs', stated(`mean reward of ${whose}, first to last third of ${steps} steps`, summary))
  return [
    ...(whose === SINGLE ? deciding(decides, line) : line).map((each): Argument => ({ ...each, speaksFor })),
    ...restingOn('both-runs', stated(`rank correlation of reward and step in ${whose}`, rank)),
  ]
}

function signed(value: number): string {
  return value < 0 ? `−${(-value).toFixed(3)}` : `+${value.toFixed(3)}`
}
