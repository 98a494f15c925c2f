import { describe, expect, it } from 'vitest'
import type { Report } from '../../shared/model/report.ts'
import { memorySource } from '../containers/memory-source.ts'
import { assistant, type Conversation, conversation, type TurnSpec, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited } from '../session/dumps.ts'

const qwen = await testTokenizer('qwen3')
const NO_THOUGHT = '<think>\n\n</think>\n\n'

interface Rollout {
  /** What of the two turns of the model is trained beside its words. */
  readonly train?: TurnSpec['train']
  readonly prefill?: string
  /** A logprob of each token of the prefill that the mask marks. */
  readonly score?: number
  /** Says which tokens are a message's body: without the end of the turn, as a renderer may have it. */
  readonly body?: boolean
  readonly question?: string
}

/** A trace of two turns, whose messages hold their tokens. */
function trace(index: number, { train, prefill = NO_THOUGHT, score = 0, body, question = '' }: Rollout): object {
  const of = { prefill, ...(train === undefined ? {} : { train }) }
  const row = conversation(qwen, [
    user(`Where does river ${index} rise?${question}`),
    assistant(`Let me think about river ${index}.`, of),
    user('And the answer?'),
    assistant(`It rises in the hills of Teal ${index}.`, of),
  ])
  return {
    id: `t${index}`,
    task: { idx: index >> 2 },
    nodes: nodesOf(row, score, body ?? false),
    calls: [],
    rewards: { right: { score: index % 2, weight: 1 } },
    is_completed: true,
  }
}

function nodesOf({ record, layout }: Conversation, score: number, body: boolean): object[] {
  let at = 0
  return layout.map(({ role, headerEnd, contentStart, endToken }, index) => {
    const start = at
    // The newline behind a reply comes with the message that follows.
    at = role === 'assistant' ? endToken + 1 : (layout[index + 1]?.start ?? record.input_ids.length)
    const mask = (record.loss_mask as number[]).slice(start, at).map((trained) => trained === 1)
    const places = mask.flatMap((trained, i) => (trained ? [start + i] : []))
    return {
      ...(index === 0 ? {} : { parent: index - 1 }),
      message: { role, content: `${role} ${index}` },
      sampled: role === 'assistant',
      token_ids: record.input_ids.slice(start, at),
      mask,
      is_content: body ? mask.map((_, i) => start + i >= contentStart && start + i < endToken) : [],
      logprobs: places.map((place) => (place < contentStart ? (place < headerEnd ? 0 : score) : -0.25)),
    }
  })
}

const reported = async (rollouts: readonly Rollout[]): Promise<Report> => {
  const lines = rollouts.map((each, index) => JSON.stringify(trace(index, each))).join('\n')
  return (await audited([memorySource(new TextEncoder().encode(lines))], { tokenizer: 'qwen3' })).report()
}
const codes = ({ findings }: Report) =>
  findings.flatMap(({ code, trajectory }) => (code === 'M08' || code === 'M09' ? [`${code} ${trajectory}`] : []))
const h02 = ({ hypotheses }: Report) => hypotheses.find(({ id }) => id === 'H02')
const many = (rollout: Rollout, count = 8) => Array.from({ length: count }, () => rollout)
const TRAINED = { content: true, end: true, prefill: true }

describe('what the mask of a trace alone calls sampled', () => {
  it('is the template’s where it is a block of it with logprobs of 0.0', async () => {
    const report = await reported(many({ train: TRAINED }, 2))
    expect(codes(report)).toEqual(['M09 t0', 'M09 t0', 'M09 t1', 'M09 t1'])
    expect(h02(report)?.verdict).toBe('supported')
  })

  it('is so in a few rollouts, beside others that mask the block', async () => {
    expect(codes(await reported([...many({}), { train: TRAINED }]))).toEqual(['M09 t8', 'M09 t8'])
  })

  it('is so of a think tag that others leave out', async () => {
    const open = { prefill: '<think>\n' }
    expect(codes(await reported([...many(open), { ...open, train: TRAINED }]))).toEqual(['M09 t8', 'M09 t8'])
  })

  it('is not where the sampler scored the block', async () => {
    const report = await reported(many({ train: TRAINED, score: -0.001 }))
    expect(codes(report)).toEqual([])
    expect(h02(report)?.verdict).toBe('contradicted')
  })

  it('is not where the prompt asks for no thought by Qwen3’s own word', async () => {
    expect(codes(await reported(many({ train: TRAINED, question: ' /no_think' })))).toEqual([])
  })

  it('is no token of the model where the header is trained, of which H02 then tells', async () => {
    const report = await reported(many({ train: { content: true, end: true, header: true }, prefill: '' }, 2))
    expect(codes(report)).toEqual(['M08 t0', 'M08 t0', 'M08 t1', 'M08 t1'])
    expect(h02(report)?.verdict).toBe('supported')
  })
})

describe('what a trace calls the body of a reply', () => {
  it('begins behind the block, though the sampler has numbers for it', async () => {
    const report = await reported(many({ train: TRAINED, score: -0.001, body: true }, 2))
    expect(codes(report)).toEqual(['M09 t0', 'M09 t0', 'M09 t1', 'M09 t1'])
  })

  it('leaves nothing of what the model wrote without loss, where the header is trained beside', async () => {
    const report = await reported(many({ train: { content: true, end: true, header: true }, body: true }, 2))
    expect(h02(report)?.because.find(({ measure }) => /carry no loss/.test(measure))?.value).toBe(0)
  })
})
