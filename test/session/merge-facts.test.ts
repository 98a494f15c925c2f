import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { plainFacts } from '../../shared/checks/facts/kept-facts.ts'
import { ColumnError } from '../../shared/session/merge/columns.ts'
import { decodeFacts, encodeFacts, type FactColumns } from '../../shared/session/merge/facts.ts'
import { factsOf } from '../helpers/facts.ts'
import { anyDump } from './any-facts.ts'
import { audited, cleanRollout, cutRollout, lines, qwen, rolloutWithTrainedReply } from './dumps.ts'

function throughJson(columns: FactColumns): FactColumns {
  return JSON.parse(JSON.stringify(columns))
}

function roundTrip(dump: readonly (readonly TrajectoryFacts[])[]): TrajectoryFacts[] {
  const counts = dump.map((source) => source.length)
  return decodeFacts(throughJson(encodeFacts(dump.flat())), counts, 0)
}

describe('the facts of rollouts', () => {
  it('come back from columns as they were', () => {
    fc.assert(
      fc.property(anyDump, (dump) => {
        expect(roundTrip(dump)).toStrictEqual(dump.flat())
      }),
    )
  })

  let real: readonly TrajectoryFacts[]
  beforeAll(async () => {
    const tokenizer = await qwen()
    const rows = Array.from({ length: 64 }, (_, seed) => {
      const rollout = seed % 5 === 1 ? cutRollout : seed % 7 === 2 ? rolloutWithTrainedReply : cleanRollout
      return rollout(tokenizer, seed, {
        group: `question-${seed >> 3}`,
        groupSize: 8,
        reward: (seed % 4) / 3,
        logprobs: undefined,
      })
    })
    real = (await audited(lines(rows))).facts
  }, 60_000)

  it('of a real dump come back but for their drawings', () => {
    const drawn = real.map((facts) => ({ ...plainFacts(facts), strip: new Uint8Array(0) }))
    expect(decodeFacts(encodeFacts(real), [real.length], 0)).toEqual(drawn)
  })

  it('take well below 200 bytes a rollout', () => {
    const bytes = JSON.stringify(encodeFacts(real)).length
    expect(bytes / real.length).toBeLessThan(150)
  })

  it('may be given other source numbers', () => {
    const facts = [0, 0, 1].map((source, i) => factsOf(i, { place: { source, record: i === 2 ? 0 : i, part: 0 } }))
    const moved = decodeFacts(encodeFacts(facts), [2, 0, 1], 4)
    expect(moved.map(({ place }) => place.source)).toEqual([4, 4, 6])
  })
})

describe('columns that do not fit', () => {
  const columns = encodeFacts([factsOf(0, { rewards: { f1: 0.5 } }), factsOf(1)])

  it.each<[string, FactColumns, number]>([
    ['recordHash does not have one cell for each of 3 rows', columns, 3],
    [
      'recordHash does not have one cell for each of 1000000000000 rows',
      { recordHash: '#AAAAAAAAAAA*1000000000000' },
      1e12,
    ],
    ['length has fewer cells', { ...columns, length: '200' }, 2],
    ['length has fewer cells', { recordHash: columns.recordHash as string }, 2],
    ['turns has the cell "five" where a count up to 1048576 should stand', { ...columns, turns: 'five*2' }, 2],
    ['assistantTurns has the cell "Infinity"', { ...columns, assistantTurns: '3 Infinity' }, 2],
    ['turns leaves out a value', { ...columns, turns: '=*2' }, 2],
    ['reward', { ...columns, rewardValues: '-*2' }, 2],
    ['more cells', { ...columns, group: '-*3' }, 2],
  ])('are refused: %s', (message, table, rows) => {
    const read = () => decodeFacts(table, [rows], 0)
    expect(read).toThrow(ColumnError)
    expect(read).toThrow(message)
  })
})
