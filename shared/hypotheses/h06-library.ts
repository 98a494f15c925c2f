import type { DumpView } from '../checks/check.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { counted } from '../model/number-text.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { loggedOf } from './logged.ts'
import { withoutKnownTurns } from './multi-step.ts'
import { type Contrast, type RewardTrend, rewardTrend, trendOf } from './reward-trend.ts'
import { fewerRollouts } from './run-likeness.ts'
import { type Argument, conclude, type Judgement, notCheckable, restingOn, stated } from './verdict.ts'

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
  const { thresholds } = input.dump.settings
  const runs = [
    runOf(input.dump, input.logs, input.streams, thresholds),
    runOf(against.dump, against.logs, against.streams, thresholds),
  ] as const
  const simple = simpleOf(runs)
  if (simple === null) return notCheckable(lackOfSingle(runs))
  const second = simple === runs[0] ? runs[1] : runs[0]
  const bothSingle = runs.every(isSingleTurn)
  const [whose, others] = bothSingle
    ? [placeOf(simple, runs), placeOf(second, runs)]
    : ['the single-turn run', 'the other run']
  const steps = thresholds['trend-steps']
  const { trend } = simple
  if (trend === null) return notCheckable([lackOfTrend(whose, simple, steps)])
  const other = second.trend
  // A trainer that improves the harder task is not broken, whatever keeps the simple one flat; whether it does must be known.
  const flat =
    trend.course === 'does-not-rise' && (other?.course === 'does-not-rise' || other?.course === 'no-contrast')
  const verdict = trend.course === 'rises' ? 'contradicted' : flat ? 'supported' : 'inconclusive'
  const decides = {
    supported: `the mean reward of ${whose} does not rise, and that of ${others} neither`,
    contradicted: `the mean reward of ${bothSingle ? 'either run' : whose} rises by more than chance`,
  }
  return {
    verdict,
    because: [
      ...linesOf(whose, trend, thresholds, { speaksFor: SPEAKS[trend.course], decides }),
      ...(other === null ? [] : linesOf(others, other, thresholds)),
      ...(simple.facts.length === 0
        ? stated('which run is the single-turn one', 'taken to be the one of which only a log was given')
        : []),
    ],
    missing:
      trend.course === 'rises' || flat
        ? []
        : [
            ...lackOfCertainty(whose, trend, thresholds),
            ...(other === null
              ? [lackOfTrend(others, second, steps)]
              : // One that had nothing to learn from has not risen, which is all that is asked of it.
                other.course === 'no-contrast'
                ? []
                : lackOfCertainty(others, other, thresholds)),
          ],
    firm: simple.facts.length > 0,
    rollouts: fewerRollouts(input, against),
  }
}

const SPEAKS = {
  rises: 'contradicted',
  'does-not-rise': 'supported',
  'no-room': null,
  'no-contrast': null,
  open: null,
} as const

/** What it would take to tell whether a run rises that does not show it. */
function lackOfCertainty(
  whose: string,
  { course, steps, first, greatest, gain, error, rank, contrast }: RewardTrend,
  thresholds: Thresholds,
): string[] {
  const { 'h06-library-steps': enough, 'h06-library-rise': rise, 'h06-library-rank': order } = thresholds
  if (course === 'no-room')
    return [
      `a task that leaves room to rise: the mean reward of ${whose} begins at ${first.toFixed(3)}, and ${Number(greatest.toPrecision(4))} is the greatest reward`,
    ]
  if (course === 'no-contrast') return [lackOfContrast(whose, contrast)]
  if (course !== 'open') return []
  if (steps < enough)
    return [`at least ${enough} training steps in ${whose}, which has ${steps}, before it is known not to rise`]
  if (gain >= thresholds['run-standard-errors'] * error && rank < order)
    return [
      `more steps in ${whose}: its rewards gain ${gain.toFixed(3)} over all, and do not rise in order (rank correlation ${rank.toFixed(2)}, ${order} is needed)`,
    ]
  return [
    `more steps, or more rollouts in each, in ${whose}: its rewards scatter too much to rule out that it gains ${rise}`,
  ]
}

function lackOfContrast(whose: string, { places, differing, of }: Contrast): string {
  const where = `in ${differing} of ${counted(places, of)} of ${whose} the rewards differ`
  return `a task that leaves something to learn from: ${where}, and where they do not no trainer learns`
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
  /** By the rollouts where they have steps, else by what the run logged. */
  readonly trend: RewardTrend | null
}

/** The run that the verdict rests on: of two single-turn runs the one that rises, in whatever order they were given, else one that has a trend and something to learn from. */
function simpleOf(runs: readonly Run[]): Run | null {
  const single = runs.filter(isSingleTurn)
  return (
    single.find(({ trend }) => trend?.course === 'rises') ??
    single.find(({ trend }) => trend !== null && trend.course !== 'no-contrast') ??
    single.find(({ trend }) => trend !== null) ??
    single[0] ??
    taken(runs)
  )
}

function placeOf(run: Run, runs: readonly Run[]): string {
  return run === runs[0] ? 'the open run' : 'the second run'
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
    const whose = placeOf(run, runs)
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

function runOf(dump: DumpView, logs: Run['logs'], streams: Run['streams'], thresholds: Thresholds): Run {
  const own = rewardTrend(dump, thresholds)
  const logged = own === null ? loggedOf(logs, 'reward') : null
  return { facts: dump.facts, logs, streams, trend: logged === null ? own : trendOf(logged.values, thresholds) }
}

function isSingleTurn({ facts }: Run): boolean {
  return (
    facts.some(({ assistantTurns }) => assistantTurns === 1) &&
    facts.every(({ assistantTurns }) => assistantTurns <= 1) &&
    withoutKnownTurns(facts).length === 0
  )
}

/** The course of the mean reward, with what it speaks for, and its rank correlation. */
function linesOf(
  whose: string,
  { first, last, steps, rank, beforeLevel, gain, error, course, falls }: RewardTrend,
  thresholds: Thresholds,
  speaks: Pick<Argument, 'speaksFor' | 'decides'> = { speaksFor: null },
): Argument[] {
  const chance = thresholds['run-standard-errors'] * error
  const by = `${signed(gain)} ± ${chance.toFixed(3)} by the line through all of them`
  const word = falls ? 'falls, ' : WORDS[course]
  const summary = `${word}from ${first.toFixed(3)} to ${last.toFixed(3)}; ${by}`
  return restingOn('both-runs', [
    ...stated(`mean reward of ${whose}, first to last third of ${steps} steps`, summary).map((line) => ({
      ...line,
      ...speaks,
    })),
    ...stated(`rank correlation of reward and step in ${whose}`, rank),
    ...(beforeLevel === null
      ? []
      : stated(
          `the same of its first ${counted(beforeLevel.steps, 'step')} and all that follow, before it is level`,
          beforeLevel.rank,
        )),
  ])
}

const WORDS = {
  rises: 'rises, ',
  'does-not-rise': 'is level, ',
  'no-room': 'has no room to rise, ',
  'no-contrast': 'is level, without contrast, ',
  open: 'may rise or be level, ',
} as const

function signed(value: number): string {
  return value < 0 ? `−${(-value).toFixed(3)}` : `+${value.toFixed(3)}`
}
