import { describe, expect, it } from 'vitest'
import type { AuditOptions } from '../../shared/model/policy.ts'
import { assistant, conversation, system, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited } from './dumps.ts'
import { testHost } from './test-host.ts'

const PAD = 151643
const COLOURS = ['red', 'blue', 'green', 'black', 'white', 'pink', 'brown', 'grey', 'gold', 'plum', 'teal', 'lime']

interface Batch {
  /** Columns beyond the longest prompt and the longest response. */
  readonly room?: number
  /** Rows whose end token is missing, as where the last column was reached. */
  readonly cut?: number
  readonly options?: AuditOptions
}

/** The limits and the verdict on H04 of a batch of verl with rows that are about equally long, by the row. */
async function judged({ room = 0, cut = 0, options = {} }: Batch) {
  const tokenizer = await testTokenizer('qwen2.5')
  const rows = COLOURS.map((colour, index) => {
    const answer = assistant(`I looked at it for a while, and in the light of the evening it is ${colour}.`, {
      separator: false,
      end: index >= cut,
    })
    const asked = [system('Be brief.'), user(`Is the house of the captain ${colour}, or is it not?`)]
    const { input_ids, loss_mask } = conversation(tokenizer, [...asked, answer]).record
    const start = loss_mask!.indexOf(1)
    return { prompt: input_ids.slice(0, start), response: input_ids.slice(start), index }
  })
  const longest = (of: 'prompt' | 'response') => Math.max(...rows.map((row) => row[of].length)) + room
  const [left, right] = [longest('prompt'), longest('response')]
  const fill = (count: number, value: number) => Array.from({ length: count }, () => value)
  const records = rows.map(({ prompt, response, index }) => {
    const prompts = [...fill(left - prompt.length, PAD), ...prompt]
    const responses = [...response, ...fill(right - response.length, PAD)]
    return JSON.stringify({
      __class__: 'verl.DataProto',
      batch: {
        prompts,
        responses,
        input_ids: [...prompts, ...responses],
        attention_mask: [
          ...fill(left - prompt.length, 0),
          ...fill(prompt.length + response.length, 1),
          ...fill(right - response.length, 0),
        ],
        response_mask: [...fill(response.length, 1), ...fill(right - response.length, 0)],
        token_level_scores: fill(right, 0).with(response.length - 1, index % 2),
      },
      non_tensor_batch: { uid: `q${index >> 2}` },
      meta_info: { global_steps: 3 },
    })
  })
  const host = testHost()
  const report = (await audited(records.join('\n'), { tokenizer: 'qwen2.5', ...options }, host)).report()
  const { max_prompt_length: ofPrompts, max_completion_length: ofCompletions } = report.limits
  const verdict = report.hypotheses.find(({ id }) => id === 'H04')?.verdict
  return { limits: [ofPrompts?.origin ?? null, ofCompletions?.origin ?? null], verdict }
}

describe('the widths of a padded batch', () => {
  it('are no limits where the rows fill them and each came to its end', async () => {
    expect(await judged({})).toEqual({ limits: [null, null], verdict: 'not-checkable' })
  })

  it('are limits where rows that fill them were cut', async () => {
    const { limits, verdict } = await judged({ cut: 2 })
    expect(limits[1]).toBe('metadata')
    expect(verdict).toBe('supported')
  })

  it('are limits where no row comes near them', async () => {
    expect(await judged({ room: 40 })).toEqual({ limits: ['metadata', 'metadata'], verdict: 'contradicted' })
  })

  it('leave what a person gives as it is', async () => {
    const completion = await judged({ options: { limits: { max_completion_length: 22 } } })
    expect(completion).toEqual({ limits: [null, 'given'], verdict: 'supported' })
  })
})
