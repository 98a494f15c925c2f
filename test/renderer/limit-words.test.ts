import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { LimitHeadline } from '../../renderer/views/lab/limit-cost.tsx'
import { cutRollout, lines, qwen } from '../session/dumps.ts'
import { enginePage } from '../session/engine-page.ts'

const NO_LIMITS = {
  max_prompt_length: null,
  max_completion_length: null,
  max_seq_len: null,
  max_tool_response_length: null,
}

/** The sentence about what a wider limit would keep of a dump of these lines. */
async function headline(dump: string): Promise<string> {
  const page = enginePage()
  await page.open({ 'run.jsonl': dump })
  const tried = await page.ask('tryLimits', {
    limits: NO_LIMITS,
    promptCut: 'left',
    completionPer: 'completion',
    curve: 'max_seq_len',
  })
  return renderToStaticMarkup(LimitHeadline({ tried })).replace(/<[^>]*>/g, '')
}

test('what a wider limit would keep is told where the messages go on', async () => {
  expect(await headline(lines([cutRollout(await qwen(), 1)]))).toMatch(
    /What is tried would keep the answers of 1 of the 1 rollout/,
  )
})

test('messages that go on are not said to end where no tokenizer reads the ids', async () => {
  const { record } = cutRollout(await qwen(), 1)
  // Ids of no vocabulary that is known.
  const dump = JSON.stringify({ ...record, input_ids: (record.input_ids as number[]).map((_, at) => 900_000 + at) })
  const told = await headline(`${dump}\n`)
  expect(told).toMatch(/cannot be told what a wider limit would keep/)
  expect(told).not.toMatch(/messages do not go on/)
  expect(told).toMatch(/takes messages that go on .* and a tokenizer and chat template/)
})
