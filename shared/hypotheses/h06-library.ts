import type { TrajectoryFacts } from '../checks/facts.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { type RewardTrend, rewardTrend } from './reward-trend.ts'
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
  const runs = [input.dump.facts, against.dump.facts]
  const simple = runs.find(isSingleTurn)
  if (simple === undefined) return notCheckable(['a single-turn run: both have rollouts of several assistant turns'])
  const { thresholds } = input.dump.settings
  const steps = thresholds['trend-steps']
  const trend = rewardTrend(simple, thresholds)
  if (trend === null) {
    return notCheckable([`rewards of at least ${steps} training steps in the single-turn run`])
  }
  const others = runs.filter((facts) => facts !== simple)
  const other = others[0] === undefined ? null : rewardTrend(others[0], thresholds)
  // A trainer that improves the harder task is not broken, whatever keeps the simple one flat; whether it does must be known.
  const flatToo = other !== null && !other.rises
  const verdict = trend.rises ? 'contradicted' : flatToo ? 'supported' : 'inconclusive'
  return {
    verdict,
    because: [
      ...linesOf('the single-turn run', trend, trend.rises ? 'contradicted' : 'supported'),
      ...(other === null ? [] : linesOf('the other run', other, null)),
    ],
    missing: other === null ? [`rewards of at least ${steps} training steps in the other run`] : [],
    firm: true,
  }
}

function isSingleTurn(facts: readonly TrajectoryFacts[]): boolean {
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
