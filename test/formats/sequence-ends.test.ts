import { describe, expect, it } from 'vitest'
import { memorySource } from '../containers/memory-source.ts'
import { readSource } from './read-source.ts'

/** A template that drops the first thought: the second prompt does not begin with what the first call holds. */
const CALLS = [
  { prompt: [1, 2], written: [5, 6, 7] },
  { prompt: [1, 2, 7, 3], written: [5, 6] },
] as const

const ended = async (record: object) => {
  const { trajectories } = await readSource(memorySource(`${JSON.stringify(record)}\n`, 1 << 16, 'one.jsonl'))
  return trajectories.map(({ finishReason, isTruncated }) => [finishReason, isTruncated])
}

describe('a rollout that is several sequences', () => {
  it('ends as NeMo-Gym says with its last call: the call before was not cut', async () => {
    const output = CALLS.map(({ prompt, written }) => ({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'yes' }],
      prompt_token_ids: prompt,
      generation_token_ids: written,
      generation_log_probs: written.map(() => -0.5),
    }))
    const response = { output, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    const row = { responses_create_params: { input: 'Is it?' }, response, reward: 0 }
    expect(await ended(row)).toEqual([
      [null, null],
      ['max_output_tokens', true],
    ])
  })

  it('ends as verifiers says with its last step, and each sequence was cut as its own last step was', async () => {
    const trajectory = CALLS.map(({ prompt, written }, index) => ({
      tokens: { prompt_ids: prompt, prompt_mask: [0], completion_ids: written, completion_mask: written.map(() => 1) },
      is_truncated: index === 1,
    }))
    const row = {
      example_id: 1,
      prompt: [],
      completion: [],
      reward: 0,
      is_completed: true,
      is_truncated: true,
      stop_condition: 'max_tokens_reached',
      trajectory,
    }
    expect(await ended(row)).toEqual([
      [null, false],
      ['max_tokens_reached', true],
    ])
  })

  it('ends as rLLM says with the last call of its last trajectory', async () => {
    const steps = CALLS.map(({ prompt, written }) => ({ prompt_ids: prompt, response_ids: written }))
    const episode = {
      id: 'a:0',
      is_correct: false,
      termination_reason: 'max_response_length_exceeded',
      trajectories: [
        { name: 'solver', steps: steps.slice(0, 1) },
        { name: 'judge', steps },
      ],
    }
    expect(await ended(episode)).toEqual([
      [null, null],
      [null, null],
      ['max_response_length_exceeded', true],
    ])
  })
})
