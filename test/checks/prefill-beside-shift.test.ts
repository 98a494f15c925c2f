import { expect, it } from 'vitest'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { assistant, conversation, user } from '../helpers/conversation.ts'
import { findingsOf } from './findings-of.ts'

const WORDS = Array.from({ length: 40 }, (_, at) => `The river rises behind hill ${at}, as the old maps tell`).join(
  '; ',
)

/** One answer that ends the row: where its numbers end shows nothing. */
const answered = (sampler: (values: Float32Array) => Float32Array) =>
  findingsOf(
    'M09',
    'qwen2.5',
    (tokenizer) => [
      conversation(tokenizer, [user('Where does it rise?'), assistant(WORDS, { separator: false })], {
        logprobs: 'both',
      }),
    ],
    ({ logprobs }): Partial<Trajectory> => ({
      logprobs: { ...logprobs, sampler: sampler(logprobs.sampler as Float32Array) },
    }),
  )

const movedBy = (by: number) => (values: Float32Array) => values.map((_, at) => values[at - by] ?? Number.NaN)

it.each([1, 2])('an answer whose numbers lie %i late has no prefill (L06)', async (by) => {
  expect(await answered(movedBy(by))).toEqual([])
})

it('one whose first tokens have none, where the others lie in place, has', async () => {
  const found = await answered((values) => {
    const first = values.findIndex((value) => !Number.isNaN(value))
    return values.map((value, at) => (at < first + 2 ? Number.NaN : value))
  })
  expect(found).toEqual([expect.objectContaining({ evidence: { prefill_tokens: 2, trained_tokens: 2 } })])
})
