import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { addFacts, FactsKeeper, packFacts } from '../../shared/checks/facts/kept-facts.ts'
import { atOnce } from '../../shared/model/steps.ts'
import { RolloutColumns } from '../../shared/query/columns.ts'
import { dumpValues } from '../../shared/query/dump-values.ts'
import { QUERY_FIELDS } from '../../shared/query/language/fields.ts'
import { NUMBERS } from '../../shared/query/values.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'

const facts = fc.record({
  group: fc.option(fc.constantFrom('q1', 'q2', 'x')),
  environment: fc.option(fc.constantFrom('maths', 'search'), { nil: undefined }),
  model: fc.option(fc.constantFrom('a', 'b')),
  reward: fc.option(fc.constantFrom(0, 1, Number.NaN)),
  rewards: fc.option(fc.constantFrom({ format: 1 }, { format: 0, length: 1 })),
  temperature: fc.option(fc.constant(1), { nil: undefined }),
  trained: fc.option(fc.nat(9)),
  endReason: fc.constantFrom('stop' as const, 'cut-prose' as const, 'unknown' as const),
  finishReason: fc.option(fc.constantFrom('stop', 'length')),
})

test('what a query may be completed by is what the rollouts have, kept in columns or not', () => {
  fc.assert(
    fc.property(fc.array(fc.array(facts, { maxLength: 8 }), { maxLength: 4 }), (batches) => {
      const keeper = new FactsKeeper()
      const kept: TrajectoryFacts[] = []
      const rows = batches.map((batch) => batch.map((row, record) => factsOf(record, row as Partial<TrajectoryFacts>)))
      for (const batch of rows) addFacts(kept, keeper.keep(packFacts(batch))())
      const columns = new RolloutColumns({
        facts: kept,
        codeLists: () => ({ lists: [[]], at: new Int32Array(kept.length) }),
        worstRanks: () => new Uint8Array(kept.length),
        beginLater: () => new Set(),
        openEnds: () => new Set<TrajectoryFacts>(),
        refutedStops: () => new Set<TrajectoryFacts>(),
        limits: () => dumpOf([]),
        sourceName: () => 'a.jsonl',
      })
      columns.at(1)
      const { values, missing } = atOnce(dumpValues(columns, []))
      const all = rows.flat()
      const counted = (wordsOf: (row: TrajectoryFacts) => readonly (string | null)[]) => {
        const counts: Record<string, number> = {}
        for (const word of all.flatMap(wordsOf)) if (word !== null) counts[word] = (counts[word] ?? 0) + 1
        return counts
      }
      const given = (field: string) =>
        Object.fromEntries((values[field] ?? []).map(({ value, count }) => [value, count]))
      expect(given('group')).toEqual(counted(({ group }) => [group]))
      expect(given('environment')).toEqual(counted(({ environment }) => [environment ?? null]))
      expect(given('model')).toEqual(counted(({ model }) => [model]))
      expect(given('source')).toEqual(counted(() => ['a.jsonl']))
      expect(given('end')).toEqual(counted((row) => [...new Set([row.endReason, row.finishReason])]))
      expect(given('reward')).toEqual(counted(({ rewards }) => Object.keys(rewards ?? {})))
      for (const { name } of QUERY_FIELDS) {
        if (NUMBERS[name] === undefined || all.length === 0) continue
        const has = columns.number(name).some((number) => !Number.isNaN(number))
        expect([name, Object.hasOwn(missing, name)]).toEqual([name, !has])
        expect([name, columns.hasNumber(name)]).toEqual([name, has])
      }
    }),
    { numRuns: 200 },
  )
})
