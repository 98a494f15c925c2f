import { expect, it } from 'vitest'
import { memorySource } from '../containers/memory-source.ts'
import { readSource } from './read-source.ts'

/** The rewards of a dump of two rows, the first of which was given `score`. Written as Python does, with a bare NaN. */
async function rewardsOf(row: (score: number | string) => object, score: number | string) {
  const text = `${JSON.stringify(row(score))}\n${JSON.stringify(row(1))}\n`.replaceAll('"NaN"', 'NaN')
  const { trajectories } = await readSource(memorySource(new TextEncoder().encode(text)))
  return trajectories.map(({ reward }) => reward)
}

const ids = [1, 2, 3, 4, 5]
const LAYOUTS: Record<string, (score: number | string) => object> = {
  'verl, by token': (score) => ({
    prompts: ids,
    responses: [6, 7, 8],
    attention_mask: Array<number>(8).fill(1),
    response_mask: [1, 1, 1],
    token_level_scores: [0, 0, score],
  }),
  'SkyRL, by token': (score) => ({
    sequences: ids,
    attention_mask: Array<number>(5).fill(1),
    loss_mask: [1, 1, 1],
    response_mask: [1, 1, 1],
    rewards: [0, 0, score],
  }),
  slime: (score) => ({ tokens: ids, response_length: 3, loss_mask: [1, 1, 1], status: 'completed', reward: score }),
}

it.each(Object.entries(LAYOUTS))('a reward that is NaN stays one: %s', async (_, row) => {
  expect(await rewardsOf(row, 'NaN')).toEqual([Number.NaN, 1])
  expect(await rewardsOf(row, 0.5)).toEqual([0.5, 1])
})

it('rewards by token of which none is known are none', async () => {
  const row = LAYOUTS['verl, by token']!
  const without = (score: number | string) => ({ ...row(score), token_level_scores: ['NaN', 'NaN', score] })
  expect(await rewardsOf(without, 'NaN')).toEqual([null, Number.NaN])
})
