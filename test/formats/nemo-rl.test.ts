import { expect, it } from 'vitest'
import { memorySource } from '../containers/memory-source.ts'
import { readSource } from './read-source.ts'

/** A row of `train_data_stepN.jsonl`, every field but `idx` in a batch of one. */
const row = (idx: number, rewards: object) => ({
  content: [['a', 'b']],
  ...rewards,
  input_lengths: [4],
  token_ids: [[1, 2, 3, 4]],
  token_loss_mask: [[0, 0, 1, 1]],
  sample_loss_mask: [1],
  idx,
})

async function read(rows: readonly object[]) {
  const text = rows.map((each) => `${JSON.stringify(each)}\n`).join('')
  return (await readSource(memorySource(new TextEncoder().encode(text)))).trajectories
}

it('takes the reward of a row that dynamic sampling kept from the filtered list, and keeps that of the other row', async () => {
  const rows = await read([
    row(0, { rewards: [1], filtered_rewards: [0] }),
    row(1, { rewards: [1], filtered_rewards: [0.5] }),
  ])
  expect(rows.map(({ reward }) => reward)).toEqual([0, 0.5])
  expect(rows.map(({ meta }) => meta.rewards)).toEqual([1, 1])
})

it('takes the rewards as they are where nothing was left out', async () => {
  const rows = await read([row(0, { rewards: [1] }), row(1, { rewards: [0], filtered_rewards: null })])
  expect(rows.map(({ reward }) => reward)).toEqual([1, 0])
})
