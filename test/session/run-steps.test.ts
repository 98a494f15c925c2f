import { expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { gapTrends } from '../../shared/checks/logprobs/trend.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import type { StepMeasure } from '../../shared/session/requests/steps.ts'
import { runSteps, stepsOf } from '../../shared/session/run-steps.ts'
import { factsOf } from '../helpers/facts.ts'

function valuesOf(facts: readonly TrajectoryFacts[], of: StepMeasure) {
  return runSteps(facts, DEFAULT_THRESHOLDS).series.find((each) => each.of === of)?.values
}

const gap = (count: number, absolute: number): TrajectoryFacts['gap'] => ({
  count,
  sum: 0,
  absolute,
  squares: 0,
  largest: 0,
  trainerSum: 0,
  samplerValues: count,
  samplerHash: '',
})

it('tells nothing where no rollout says of which step it is', () => {
  expect(runSteps([factsOf(0, { reward: 1 })], DEFAULT_THRESHOLDS)).toEqual({ points: [], series: [] })
})

it('orders the steps and counts only what is told', () => {
  const facts = [
    factsOf(0, { step: 9, reward: 1, trained: 30, masked: 70, endReason: 'cut-prose' }),
    factsOf(1, { step: 1, reward: 0.5, trained: 0, masked: 100, endReason: 'unknown' }),
    factsOf(2, { step: 9, reward: Number.NaN, trained: null, masked: null, endReason: 'stop' }),
    factsOf(3, { step: 9, reward: 0, trained: 20, masked: 280, endReason: 'prompt-only' }),
    factsOf(4, { reward: 100 }),
  ]
  expect(runSteps(facts, DEFAULT_THRESHOLDS).points).toEqual([
    { from: 1, to: 1, rollouts: 1 },
    { from: 9, to: 9, rollouts: 3 },
  ])
  expect(valuesOf(facts, 'reward')).toEqual([0.5, 0.5])
  expect(valuesOf(facts, 'trained')).toEqual([0, 50 / 400])
  expect(valuesOf(facts, 'cut')).toEqual([null, 1 / 3])
  expect(valuesOf(facts, 'gap')).toBeUndefined()
})

it('takes the gap of a step as its verdict does, over tokens and not over rollouts', () => {
  const facts = Array.from({ length: 12 }, (_, step) => [
    factsOf(2 * step, { step, gap: gap(1, 1) }),
    factsOf(2 * step + 1, { step, gap: gap(99, step + 1) }),
  ]).flat()
  const [trend] = gapTrends(facts, DEFAULT_THRESHOLDS)
  expect(valuesOf(facts, 'gap')).toEqual(trend?.steps.map(({ mean }) => mean))
})

it('leaves rollouts out of the gap whose two logprobs are one array, as its verdict does', () => {
  const steps = Array.from({ length: 12 }, (_, step) => step)
  const beside = (own: number) =>
    steps.flatMap((step) => [
      factsOf(2 * step, { step, gap: gap(50, 5) }),
      // The first has values enough to tell, and the others are held to be like it.
      factsOf(2 * step + 1, { step, gap: gap(step === 0 ? 50 : 4, own) }),
    ])
  expect(valuesOf(beside(0), 'gap')).toEqual(steps.map(() => 0.1))
  // A small gap is one, and an exact 0 of so few values that they may agree by chance is one as well.
  expect(valuesOf(beside(0.01), 'gap')?.[0]).toBeCloseTo(0.0501)
  const few = [factsOf(0, { step: 1, gap: gap(4, 0) }), factsOf(1, { step: 1, gap: gap(4, 1) })]
  expect(valuesOf(few, 'gap')).toEqual([1 / 8])
  // Where all are one array there is no gap to draw.
  expect(valuesOf([factsOf(0, { step: 1, gap: gap(50, 0) })], 'gap')).toBeUndefined()
})

it('puts neighbouring steps together where there are more than a drawing has room for, and loses none', () => {
  const facts = Array.from({ length: 1001 }, (_, step) => factsOf(step, { step, reward: step }))
  const { points } = runSteps(facts, DEFAULT_THRESHOLDS)
  expect(points.length).toBeLessThanOrEqual(400)
  expect(points.reduce((sum, { rollouts }) => sum + rollouts, 0)).toBe(1001)
  expect([points[0], points.at(-1)]).toEqual([
    { from: 0, to: 2, rollouts: 3 },
    { from: 999, to: 1000, rollouts: 2 },
  ])
  expect(valuesOf(facts, 'reward')?.slice(0, 2)).toEqual([1, 4])
})

it('puts the steps of two runs that are drawn together into the same points', () => {
  const long = Array.from({ length: 900 }, (_, at) => factsOf(at, { step: at + 1, reward: at + 1 }))
  const short = Array.from({ length: 300 }, (_, at) => factsOf(at, { step: 3 * at + 2, reward: 7 }))
  const early = Array.from({ length: 30 }, (_, at) => factsOf(at, { step: at + 1, reward: 7 }))
  const spans = (facts: readonly TrajectoryFacts[], beside: readonly TrajectoryFacts[]) =>
    runSteps(facts, DEFAULT_THRESHOLDS, stepsOf(beside)).points.map(({ from, to }) => [from, to])
  for (const other of [short, early]) {
    expect(spans(other, long)).toEqual(spans(long, other))
    expect(spans(other, long).slice(0, 2)).toEqual([
      [1, 3],
      [4, 6],
    ])
    expect(spans(other, long).at(-1)).toEqual([898, 900])
  }
  const { points, series } = runSteps(early, DEFAULT_THRESHOLDS, stepsOf(long))
  expect(points.map(({ rollouts }) => rollouts).slice(8, 12)).toEqual([3, 3, 0, 0])
  expect(series[0]?.values.slice(8, 12)).toEqual([7, 7, null, null])
})
