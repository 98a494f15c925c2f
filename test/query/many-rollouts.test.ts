import { expect, test } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { addFacts, FactsKeeper, packFacts } from '../../shared/checks/facts/kept-facts.ts'
import { RolloutSearch } from '../../shared/session/search/search.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { testHost } from '../session/test-host.ts'

const ROLLOUTS = 50_000

function manyFacts(): TrajectoryFacts[] {
  const keeper = new FactsKeeper()
  const facts: TrajectoryFacts[] = []
  for (let first = 0; first < ROLLOUTS; first += 500) {
    const batch = Array.from({ length: 500 }, (_, at) =>
      factsOf(first + at, { id: `r${first + at}`, reward: ((first + at) % 101) / 100, step: Math.floor(first / 1000) }),
    )
    addFacts(facts, keeper.keep(packFacts(batch))())
  }
  return facts
}

test('what completion offers of many rollouts is found, and queries are answered as before it and as each rollout says', async () => {
  const facts = manyFacts()
  const search = new RolloutSearch({
    facts,
    codesOf: () => [],
    codeLists: () => ({ lists: [[]], at: new Int32Array(ROLLOUTS) }),
    worstRanks: () => new Uint8Array(ROLLOUTS),
    beginLater: () => new Set(),
    openEnds: () => new Set<TrajectoryFacts>(),
    refutedStops: () => new Set<TrajectoryFacts>(),
    limits: () => dumpOf([]),
    sourceName: () => 'rollouts.jsonl',
    revision: 1,
    isDone: true,
    opened: [],
    runtime: { plan: { settings: {} as never, sources: [], checks: null }, tokenizers: [] },
    host: testHost(),
    spans: () => [],
  })
  const ask = () => search.search({ text: 'reward>=0.5 id:*77*', sort: 'reward', descending: true })
  const before = await ask()
  expect((await search.values()).values.end).toEqual([{ value: 'stop', means: null, count: ROLLOUTS }])
  const plainly = facts
    .flatMap(({ id, reward }, index) =>
      (reward ?? 0) >= 0.5 && id.includes('77') ? [{ index, reward: reward ?? 0 }] : [],
    )
    .sort((a, b) => b.reward - a.reward)
  expect([...before.indices]).toEqual(plainly.map(({ index }) => index))
  expect(await ask()).toEqual(before)
  expect(before.total).toBe(ROLLOUTS)
})
