import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BatchFactsKeeper, looseFacts, packedFacts } from '../../shared/checks/facts/batch-facts.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { addFacts, factRuns, plainFacts } from '../../shared/checks/facts/kept-facts.ts'
import { factsOf } from '../helpers/facts.ts'
import { anyDump } from '../session/any-facts.ts'

it('facts are those that were found, whichever thread made them, and whether they are asked for as they come or behind all others', () => {
  fc.assert(
    fc.property(
      fc.array(anyDump, { maxLength: 2 }),
      fc.nat(20),
      fc.nat(8),
      fc.infiniteStream(fc.nat(3)),
      (dumps, least, few, chance) => {
        const keeper = new BatchFactsKeeper({ neverPacked: few, packedAtOnce: least })
        const batches = dumps.flat()
        const making = batches.map((rows) => {
          const how = chance.next().value as number
          const own = looseFacts(rows)
          const make = keeper.keep(how === 0 ? structuredClone(packedFacts(own)) : own)
          const made = how === 1 ? make() : null
          return () => made ?? make()
        })
        expect(making.flatMap((make) => make()).map(plainFacts)).toStrictEqual(batches.flat())
      },
    ),
  )
})

it('the first rollouts stay as they were made; behind them a dozen of a batch are packed with those of the batches behind it', () => {
  const keeper = new BatchFactsKeeper({ neverPacked: 30, packedAtOnce: 40 })
  const all: TrajectoryFacts[] = []
  const making = Array.from({ length: 9 }, (_, batch) =>
    keeper.keep(looseFacts(Array.from({ length: 13 }, (_, at) => factsOf(13 * batch + at, { reward: at })))),
  )
  for (const make of making) addFacts(all, make())
  // Four batches have forty, and none was asked for before all were there.
  expect(factRuns(all, 0).map(({ start, length }) => [start, length])).toEqual([
    [0, 26],
    [26, 52],
    [78, 39],
  ])
})

it('the objects that were packed are let go of, though nobody asked for the facts yet', async () => {
  const keeper = new BatchFactsKeeper({ neverPacked: 0, packedAtOnce: 8 })
  const { making, made } = keepTwoBatches(keeper)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await expect
    .poll(() => {
      collect()
      return made.filter((each) => each.deref() !== undefined).length
    })
    .toBe(0)
  expect(making.flatMap((make) => make()).map(({ id }) => id)).toHaveLength(8)
})

function keepTwoBatches(keeper: BatchFactsKeeper) {
  const batches = [0, 4].map((from) => Array.from({ length: 4 }, (_, at) => factsOf(from + at)))
  return {
    making: batches.map((facts) => keeper.keep(looseFacts(facts))),
    made: batches.flat().map((facts) => new WeakRef(facts)),
  }
}
