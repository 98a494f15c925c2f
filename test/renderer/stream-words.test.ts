import { expect, test } from 'vitest'
import { inStreamWords } from '../../renderer/text/stream-words.ts'

test('streams are named as people call them, fields as the files do', () => {
  expect(inStreamWords('H03 needs logprobs.trainer and logprobs.reference.')).toBe(
    'H03 needs trainer logprobs and reference logprobs.',
  )
  expect(inStreamWords('logprobs.trainer: in the field logprobs.trainer of each record')).toBe(
    'trainer logprobs: in the field logprobs.trainer of each record',
  )
  expect(inStreamWords('rewards and messages; logprobs.trainers; my.logprobs.trainer')).toBe(
    'rewards and messages; logprobs.trainers; my.logprobs.trainer',
  )
})
