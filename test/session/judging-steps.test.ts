import { expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { FactsKeeper, packFacts } from '../../shared/checks/facts/kept-facts.ts'
import { CHECKS } from '../../shared/checks/registry.ts'
import { findingUnproved, runningDumpCheck } from '../../shared/checks/reporting/dump-reporter.ts'
import { createTally } from '../../shared/checks/reporting/tally.ts'
import { judging } from '../../shared/hypotheses/registry.ts'
import type { Steps } from '../../shared/model/steps.ts'
import { STREAMS } from '../../shared/model/streams.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'

// What is asked of rollouts one by one takes a hundred times as long as what is read from their columns.

const ROLLOUTS = 24_000
const BATCH = 400
/** Less than two facts of each rollout. */
const MOST = 2 * ROLLOUTS

/** Groups of eight, of many steps, with what most checks of a dump look at. */
function rollout(record: number): TrajectoryFacts {
  const reward = (record * 37) % 100
  const hash = (of: number) => of.toString(16).padStart(16, '0')
  const gap = {
    count: 60,
    sum: 0.1,
    absolute: 0.2,
    squares: 0.01,
    largest: 0.05,
    trainerSum: -30 - (record % 7),
    samplerValues: 60,
    samplerHash: hash(record),
  }
  const stored = {
    count: 60,
    sum: 1,
    least: 0,
    leastToken: 3,
    squares: 1,
    products: [1, 1, 1, 1],
    formulaSquares: [1, 1, 1, 1],
  }
  return factsOf(record, {
    group: `q${record >> 3}`,
    step: Math.floor(record / 2400),
    reward: reward / 100,
    rewards: { answer: reward / 100, format: record % 2 },
    advantage: reward - 50 + record / 1e6,
    promptHash: hash(record >> 3),
    systemHash: hash(7),
    firstRole: record % 8 === 0 ? 'user' : 'system',
    lastToken: 151645,
    endsClosed: true,
    finishReason: 'stop',
    isTruncated: false,
    supportingDocuments: { available: 2, retrieved: 2, visible: record % 2, standing: 1 },
    answerPlace: (['model', 'environment', 'nowhere'] as const)[record % 3] ?? null,
    trainedPrompt: null,
    gap,
    kl: {
      count: 60,
      formulas: [1, 1, 1, 1],
      largest: 0.1,
      largestToken: 5,
      trainerSum: -30,
      referenceSum: -31,
      stored,
      declared: null,
    },
    ...(record % 5 === 0 ? { noNumbers: ['trainer'] } : {}),
  })
}

let reads = 0
const keeper = new FactsKeeper()
const facts = Array.from({ length: ROLLOUTS / BATCH }, (_, batch) =>
  keeper.keep(packFacts(Array.from({ length: BATCH }, (_, at) => rollout(batch * BATCH + at))))(),
)
  .flat()
  .map(
    (kept) =>
      new Proxy(kept, {
        get(target, name) {
          // Where its columns are is asked to read these.
          if (name !== 'block' && name !== 'row') reads++
          return Reflect.get(target, name)
        },
      }),
  )

function mostReads(steps: Steps<unknown>): number {
  let most = 0
  for (;;) {
    reads = 0
    const { done } = steps.next()
    most = Math.max(most, reads)
    if (done) return most
  }
}

it.each(
  CHECKS.filter(({ dump }) => dump !== undefined).map((check) => [check.code, check] as const),
)('no step of %s asks every rollout for much', (_, check) => {
  expect(mostReads(runningDumpCheck(check, dumpOf(facts)))).toBeLessThan(MOST)
})

it.each(
  CHECKS.filter(({ unproved }) => unproved !== undefined).map((check) => [check.code, check] as const),
)('nor does one that asks whether it proves something that %s found nothing', (_, check) => {
  expect(mostReads(findingUnproved(check, createTally(), dumpOf(facts)))).toBeLessThan(MOST)
})

it('no step of a verdict does', () => {
  const dump = dumpOf(facts)
  const input = { dump, checks: [], streams: new Set(STREAMS), totalWeight: 1, unsampledWeight: 0, untrainedShare: 0 }
  expect(mostReads(judging(input))).toBeLessThan(MOST)
})
