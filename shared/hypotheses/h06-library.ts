import type { TrajectoryFacts } from '../checks/facts.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { loggedOf } from './logged.ts'
import { type RewardTrend, rewardTrend, trendOf } from './reward-trend.ts'
import { fewerRollouts } from './run-likeness.ts'
import { type Argument, conclude, deciding, type Judgement, notCheckable, stated } from './verdict.ts'

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
    { facts: input.dump.facts, logs: input.logs },
    { facts: against.dump.facts, logs: against.logs },
  ]
  const simple = runs.find(isSingleTurn) ?? taken(runs)
  if (simple === null) return notCheckable(['a single-turn run: both have rollouts of several assistant turns'])
  const { thresholds } = input.dump.settings
  const steps = thresholds['trend-steps']
  const trend = trendOfRun(simple, thresholds)
  if (trend === null) return notCheckable([lackOfTrend('the single-turn run', simple, steps)])
  const [second] = runs.filter((run) => run !== simple)
  const other = second === undefined ? null : trendOfRun(second, thresholds)
  // A trainer that improves the harder task is not broken, whatever keeps the simple one flat; whether it does must be known.
  const flatToo = other !== null && !other.rises
  const verdict = trend.rises ? 'contradicted' : flatToo ? 'supported' : 'inconclusive'
  return {
    verdict,
    because: [
      ...linesOf('the single-turn run', trend, trend.rises ? 'contradicted' : 'supported'),
      ...(other === null ? [] : linesOf('the other run', other, null)),
      ...(simple.facts.length === 0
        ? stated('which run is the single-turn one', 'taken to be the one of which only a log was given')
        : []),
    ],
    missing: second !== undefined && other === null ? [lackOfTrend('the other run', second, steps)] : [],
    firm: simple.facts.length > 0,
    rollouts: fewerRollouts(input, against),
  }
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
}

/** Beside rollouts of several turns, a run of which there is nothing but a log was given as the single-turn one. */
function taken(runs: readonly Run[]): Run | null {
  const [logged, ...more] = runs.filter(({ facts }) => facts.length === 0)
  return logged !== undefined && more.length === 0 ? logged : null
}

/** By the rollouts where they have steps, else by what the run logged. */
function trendOfRun({ facts, logs }: Run, thresholds: Thresholds): RewardTrend | null {
  const own = rewardTrend(facts, thresholds)
  const logged = own === null ? loggedOf(logs, 'reward') : null
  return logged === null ? own : trendOf(logged.values, thresholds)
}

function isSingleTurn({ facts }: Run): boolean {
  return (
    facts.some(({ assistantTurns }) => assistantTurns === 1) && facts.every(({ assistantTurns }) => assistantTurns <= 1)
  )
}

function linesOf(whose: string, { first, last, steps, rank, rises }: RewardTrend, speaksFor: Argument['speaksFor']) {
  const summary = `${rises ? 'rises' : 'does not rise'} from ${first.toFixed(3)} to ${last.toFixed(3)}`
  const trend = `the mean reward of ${whose}`
  const line = stated(`mean reward of ${whose}, first to last third of ${steps} steps`, summary)
  return [
    ...(speaksFor === null
      ? line
      : deciding({ supported: `${trend} does not rise`, contradicted: `${trend} rises` }, line)
    ).map((each): Argument => ({ ...each, speaksFor })),
    ...stated(`rank correlation of reward and step in ${whose}`, rank),
  ]
}
