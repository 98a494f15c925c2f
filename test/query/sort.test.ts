import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { addFacts, FactsKeeper, packFacts } from '../../shared/checks/facts/kept-facts.ts'
import { RolloutColumns } from '../../shared/query/columns.ts'
import { ordered } from '../../shared/query/order.ts'
import { sortValues } from '../../shared/query/sort-values.ts'
import { SEVERITY_RANKS } from '../../shared/query/values.ts'
import { NO_MARKS } from '../../shared/query/verdicts.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'

const ROWS: readonly Partial<TrajectoryFacts>[] = [
  { id: 'q10', group: 'b', step: 3, reward: 0.5, advantage: -1, realLength: 300, trained: 30, turns: 3 },
  { id: 'q2', group: null, step: null, reward: null, advantage: null, realLength: 100, trained: null, turns: 5 },
  { id: 'Q1', group: 'a', step: 1, reward: 0.5, advantage: 2, realLength: 0, trained: 0, turns: 3 },
  { id: 'x', group: 'a10', step: 2, reward: Number.NaN, advantage: 0, realLength: 200, trained: 200, turns: 1 },
  {
    id: 'q3',
    group: 'a9',
    step: 2,
    reward: Number.POSITIVE_INFINITY,
    advantage: 0,
    realLength: 50,
    trained: 1,
    turns: 9,
  },
]
const CODES = [['M01'], [], ['M01', 'T05'], ['T05'], []]
const WORST = ['error', 'none', 'warning', 'info', 'none'] as const
const REWARDS = [{ format: 1 }, null, { format: 0.5, answer: 2 }, { answer: Number.NaN }, null]
const PROMPTS = [100, 20, -1, null, 20]
const END: readonly TrajectoryFacts['endReason'][] = ['cut-prose', 'stop', 'unknown', 'stop', 'cut-call']

const table = {
  facts: ROWS.map((row, index) =>
    factsOf(index, {
      ...row,
      endReason: END[index] as TrajectoryFacts['endReason'],
      rewards: (REWARDS[index] ?? null) as TrajectoryFacts['rewards'],
      promptLength: PROMPTS[index] ?? null,
      ...(index === 1 ? { gap: { absolute: 4, count: 2 } as TrajectoryFacts['gap'] & object } : {}),
      ...(index === 3 ? { gap: { absolute: 9, count: 9 } as TrajectoryFacts['gap'] & object } : {}),
    }),
  ),
  codeLists: () => ({ lists: CODES, at: Int32Array.from(CODES.keys()) }),
  worstRanks: () => Uint8Array.from(WORST, (worst) => SEVERITY_RANKS.indexOf(worst)),
  beginLater: () => new Set<TrajectoryFacts>(),
  openEnds: () => new Set<TrajectoryFacts>(),
  refutedStops: () => new Set<TrajectoryFacts>(),
  limits: () => dumpOf([]),
  sourceName: () => 'rollouts.jsonl',
}

/** As a session keeps them. */
function keptFacts(facts: readonly TrajectoryFacts[]): TrajectoryFacts[] {
  const kept: TrajectoryFacts[] = []
  addFacts(kept, new FactsKeeper().keep(packFacts(facts))())
  return kept
}

function sorted(sort: string, descending: boolean): number[] {
  const columns = new RolloutColumns(table)
  columns.at(0)
  return [...ordered(sortValues(sort, columns, NO_MARKS), descending)]
}

describe('rollouts in the order of a column', () => {
  it.each<[string, number[], number[]]>([
    // Numbers inside names count as numbers; rows without a value come last either way; equal ones keep their order.
    ['id', [2, 1, 4, 0, 3], [3, 0, 4, 1, 2]],
    ['group', [2, 4, 3, 0, 1], [0, 3, 4, 2, 1]],
    ['step', [2, 3, 4, 0, 1], [0, 3, 4, 2, 1]],
    ['reward', [0, 2, 4, 1, 3], [4, 0, 2, 1, 3]],
    ['advantage', [0, 3, 4, 2, 1], [2, 3, 4, 0, 1]],
    ['tokens', [2, 4, 1, 3, 0], [0, 3, 1, 4, 2]],
    ['trained', [4, 0, 3, 1, 2], [3, 0, 4, 1, 2]],
    ['turns', [3, 0, 2, 1, 4], [4, 1, 0, 2, 3]],
    ['end', [1, 3, 0, 4, 2], [2, 4, 0, 1, 3]],
    ['findings', [1, 4, 0, 3, 2], [2, 0, 3, 1, 4]],
    ['worst', [1, 4, 3, 2, 0], [0, 2, 3, 1, 4]],
    ['prompt', [1, 4, 0, 2, 3], [0, 1, 4, 2, 3]],
    ['gap', [3, 1, 0, 2, 4], [1, 3, 0, 2, 4]],
    ['kl', [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]],
    ['reward.format', [2, 0, 1, 3, 4], [0, 2, 1, 3, 4]],
    ['reward.answer', [2, 0, 1, 3, 4], [2, 0, 1, 3, 4]],
    ['reward.constructor', [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]],
  ])('sorts by %s', (sort, ascending, descending) => {
    expect(sorted(sort, false)).toEqual(ascending)
    expect(sorted(sort, true)).toEqual(descending)
  })

  it('stays as it was when others are sorted, fewer and more of them, by numbers and by ids', () => {
    const orders = [300, 40, 900, 7].flatMap((size) => {
      const rewards = Array.from({ length: size }, (_, at) => ((at * 37) % 1009) / 7 - 60)
      const ids = Array.from({ length: size }, (_, at) => `q${(at * 7919) % 1013}-${at % 3}`)
      const columns = new RolloutColumns({
        ...table,
        facts: keptFacts(rewards.map((reward, at) => factsOf(at, { id: ids[at] as string, reward }))),
      })
      columns.at(0)
      const places = [...rewards.keys()]
      const numberOf = (at: number) => Number((ids[at] as string).slice(1).replace('-', '.'))
      return [
        {
          order: ordered(sortValues('reward', columns, NO_MARKS), true),
          wanted: places.toSorted((a, b) => (rewards[b] as number) - (rewards[a] as number)),
        },
        {
          order: ordered(sortValues('id', columns, NO_MARKS), false),
          wanted: places.toSorted((a, b) => numberOf(a) - numberOf(b)),
        },
      ]
    })
    for (const { order, wanted } of orders) expect([...order]).toEqual(wanted)
  })
})
