import { expect, it } from 'vitest'
import { judge } from '../../shared/hypotheses/registry.ts'
import { type Scores, scoredRows } from '../fixtures/checks/logprob-rows.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { inputOf } from './dump-input.ts'

const tokenizer = await testTokenizer('qwen2.5')

/** The verdict on H07 over correct rollouts of two turns, `edit` apart. */
function verdictOn(edit: (scores: Scores) => void) {
  const rows = scoredRows(edit, () => ({}), 8)(tokenizer)
  const input = inputOf(
    rows.map((row) => trajectoryOf(row)),
    tokenizer,
  )
  return {
    failing: input.checks.filter(({ status }) => status === 'fail').map(({ code }) => code),
    verdict: judge(input).find(({ id }) => id === 'H07')?.verdict,
  }
}

it('a placeholder on the last token of every row is no evidence that the second turn brings it', () => {
  expect(verdictOn(({ sampler, sampled }) => (sampler[sampled.at(-1) as number] = 1))).toEqual({
    failing: ['L05'],
    verdict: 'inconclusive',
  })
})

it('a placeholder inside the second turn of every row is', () => {
  expect(verdictOn(({ sampler, sampled }) => (sampler[sampled.at(-5) as number] = 1))).toEqual({
    failing: ['L05'],
    verdict: 'supported',
  })
})
