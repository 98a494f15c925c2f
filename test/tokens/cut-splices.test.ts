import { beforeAll, describe, expect, it } from 'vitest'
import type { Segmentation } from '../../shared/model/tokens.ts'
import { segment } from '../../shared/tokens/segment.ts'
import { decodeSpan } from '../../shared/tokens/text.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'

let qwen25: Tokenizer

beforeAll(async () => {
  qwen25 = await testTokenizer('qwen2.5')
})

const PROMPT = '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWho?<|im_end|>\n'

describe('a reply that was cut with its closing tag', () => {
  const reply = (text: string) => ({ text, wrote: 0 })
  /** Parts of a turn of the model's, all of which it wrote but replies; what is read, and what is read where nothing tells who wrote what. */
  const spans = (pieces: readonly (string | ReturnType<typeof reply>)[], shift = 0) => {
    const head = qwen25.encode(`${PROMPT}<|im_start|>assistant\n`, { specials: true })
    const parts = pieces.map((each) => {
      const { text, wrote } = typeof each === 'string' ? { text: each, wrote: 1 } : each
      return qwen25.encode(text).map((id) => ({ id, wrote }))
    })
    const tokens = [...head.map((id) => ({ id, wrote: 0 })), ...parts.flat(), { id: 151645, wrote: 1 }]
    const ids = Int32Array.from(tokens, ({ id }) => id)
    const written = Uint8Array.from(tokens, (_, i) => tokens[i + shift]?.wrote ?? 1)
    const of = (found: Segmentation) =>
      found.turns.at(-1)?.spans.map(({ part, start, end, closed }) => {
        expect(part).toBe('tool')
        return [decodeSpan(qwen25.table, ids, start, end), closed]
      })
    return [of(segment(ids, qwen25, null, undefined, written)), of(segment(ids, qwen25, null))]
  }
  const [call, cut] = ['<search>Ada</search>', '\n\n<information>Doc 1: Ada was born in']
  const whole = '\n\n<information>Doc 2: 1815</information>\n\n'

  it('ends where the model goes on', () => {
    expect(spans([call, reply(cut), 'So <answer>1815</answer>'])).toEqual([[[cut, false]], []])
    const [told] = spans([call, reply(cut), call, reply(whole), 'So it is.', call, reply(cut), 'Done.'])
    expect(told?.map(([text, closed]) => [String(text).trim(), closed])).toEqual([
      [cut.trim(), false],
      [whole.trim(), true],
      [cut.trim(), false],
    ])
  })

  it('is nothing that the model wrote, and no reply that is closed behind what a mask leaves out', () => {
    // The model's own words about the tag, those of a mask that leaves out words before it too, and one that is off.
    expect(spans([call, 'The <information> tag is odd.'])).toEqual([[], []])
    expect(spans([call, reply(` I see an${cut}`), 'So it is.'])).toEqual([[], []])
    expect(spans([call, reply(cut), 'So it is.'], 3)).toEqual([[], []])
    const [told, untold] = spans([call, reply(cut), ' 1815</information> So it is.'])
    expect(told).toEqual(untold)
    expect(told).toEqual([[expect.stringMatching(/born in 1815<.information>$/), true]])
    // Nothing the model wrote follows.
    expect(spans([call, reply(`${cut} 1815`)])[0]).toEqual([])
  })
})
