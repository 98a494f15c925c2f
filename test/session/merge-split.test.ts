import { describe, expect, it } from 'vitest'
import { memorySource } from '../containers/memory-source.ts'
import { merge, reportOf } from './merge-shards.ts'

/** Rollouts of one question, a row each, of ids alone. */
const rows = (group: string, question: number, rollouts: number, more: object = {}) =>
  Array.from({ length: rollouts }, (_, i) => ({
    input_ids: [1, 2, question, 3, 10 + i],
    loss_mask: [0, 0, 0, 0, 1],
    prompt_length: 4,
    group_id: group,
    reward: i / 4,
    ...more,
  }))

async function split(...parts: readonly (readonly object[])[]) {
  const reports = parts.map((records, i) => {
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('')
    return reportOf([memorySource(text, 1 << 16, `${'abc'[i]}.jsonl`)])
  })
  return merge(await Promise.all(reports)).split
}

describe('groups that parts have torn', () => {
  it('are named with the rollouts that each part has', async () => {
    const found = await split(
      [...rows('a', 5, 4), ...rows('b', 6, 3)],
      [...rows('b', 6, 1), ...rows('c', 7, 4)],
      rows('d', 8, 4),
    )
    const parts = [
      { name: 'part-0.json', rollouts: 3 },
      { name: 'part-1.json', rollouts: 1 },
    ]
    expect(found).toEqual([{ group: 'b', step: null, size: null, parts }])
  })

  it('are whole again where the dump says how many belong to one', async () => {
    const size = { group_size: 4 }
    expect(await split([...rows('a', 5, 4, size), ...rows('b', 6, 3, size)], rows('b', 6, 1, size))).toEqual([])
    expect(await split(rows('b', 6, 3, size), [...rows('a', 5, 4, size), ...rows('b', 6, 2, size)])).toMatchObject([
      { group: 'b', size: 4 },
    ])
  })

  it('are not those that are called alike: other questions, other steps, incomplete within one part', async () => {
    expect(await split([...rows('0', 5, 3), ...rows('1', 6, 4)], [...rows('0', 7, 3), ...rows('1', 8, 4)])).toEqual([])
    const steps = [1, 2].map((step) => [...rows('0', 5, 3, { step }), ...rows('1', 6, 4, { step })])
    expect(await split(...steps)).toEqual([])
    expect(await split([...rows('0', 5, 4), ...rows('1', 6, 2)], rows('2', 7, 4))).toEqual([])
  })
})
