import {
  assistant,
  call,
  conversation,
  SEARCH_TOOL,
  system,
  tool,
  user,
  withToolSchema,
} from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'

/** Numbers that do not survive as 32-bit floats. */
const LOGPROB = -0.123456789012345

/** Up to 0.3, the same every time. */
const noise = (token: number) => ((token * 7919) % 31) / 100

/**
 * Rollouts of a search task, Qwen2.5 ids, as lines of native JSONL. In those whose index is in `faulty` the tool's reply
 * carries loss (M01), which stands in nothing else.
 */
export async function searchRollouts(rollouts: number, faulty: readonly number[]): Promise<string[]> {
  const tokenizer = await testTokenizer('qwen2.5')
  return Array.from({ length: rollouts }, (_, i) => {
    const { record } = conversation(
      tokenizer,
      [
        system(withToolSchema('Answer with the tool.')),
        user(`Who founded the harbour of town ${i}?`),
        assistant(call(tokenizer, 'search', { query: `harbour of town ${i}` })),
        tool('The harbour was founded by Ada Quill in 1702.', { train: faulty.includes(i) ? { content: true } : {} }),
        assistant(`It was Ada Quill, ${i}.`),
      ],
      {
        id: `q${i}`,
        group: String(Math.floor(i / 2)),
        groupSize: 2,
        reward: i % 2 === 0 ? 0.7000000001 : 0.3,
        rewards: { em: i % 2, f1: 0.25 },
        finishReason: 'stop',
        isTruncated: false,
        sampled: true,
        logprobs: 'both',
        tools: [SEARCH_TOOL],
        messages: true,
      },
    )
    const sampler = record.logprobs!.sampler!.map((value, token) => (value === null ? null : LOGPROB - noise(token)))
    const trainer = sampler.map((value, token) => (value === null ? null : value + noise(token + 5) / 10))
    return JSON.stringify({ ...record, logprobs: { ...record.logprobs, sampler, trainer } })
  })
}
