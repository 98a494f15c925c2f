import { describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, conversation, trajectoryOf, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'
import { type Edit, findingsOf, search } from './findings-of.ts'

describe('M01', () => {
  const trained = search({ reply: { train: { content: true } } })
  /** Flags as the row's layout says, and `told` for the words of the reply. */
  const flagged =
    (told: (at: number) => number): Edit =>
    (trajectory, { layout }) => {
      const reply = layout[3]!
      const flags = Uint8Array.from(trajectory.mask ?? [], (flag, at) =>
        at >= reply.contentStart && at < reply.contentEnd ? told(at) : flag,
      )
      return { sampled: flags }
    }

  it('is not said of text in the frame of a reply that the dump says the model wrote', async () => {
    expect(
      await findingsOf(
        'M01',
        'qwen2.5',
        trained,
        flagged(() => 1),
      ),
    ).toEqual([])
  })

  it('is said of one that it says somebody else wrote, or says so of a part, or says nothing of', async () => {
    expect(
      await findingsOf(
        'M01',
        'qwen2.5',
        trained,
        flagged(() => 0),
      ),
    ).toHaveLength(1)
    expect(
      await findingsOf(
        'M01',
        'qwen2.5',
        trained,
        flagged((at) => at % 2),
      ),
    ).toHaveLength(1)
    expect(
      await findingsOf(
        'M01',
        'qwen2.5',
        trained,
        flagged(() => 255),
      ),
    ).toHaveLength(1)
  })
})

describe('M16', () => {
  const THINK_END = 151668
  const thoughts = { text: '<think>\nIt may be in the archive.\n</think>\n\nI look it up.' }

  it('names a closing tag that is masked alone', async () => {
    const rows = search(
      { call: thoughts },
      {
        editMask: (mask, layout) =>
          mask.fill(0, closing(layout[2]!.contentStart), closing(layout[2]!.contentStart) + 1),
      },
    )
    const tokenizer = await testTokenizer('qwen3')
    const at = conversation(tokenizer, [assistant(thoughts.text)]).record.input_ids.indexOf(THINK_END)
    // The header has three tokens.
    function closing(contentStart: number): number {
      return contentStart + at - 3
    }
    const [finding] = await findingsOf('M16', 'qwen3', rows)
    expect(finding).toMatchObject({
      severity: 'warning',
      evidence: { closing_tag_only: true, masked_reasoning_tokens: 1 },
    })
  })

  it('does not take an empty block of the template for a thought', async () => {
    const block = { prefill: '<think>\n</think>\n' }
    expect(await findingsOf('M16', 'qwen3', search({ call: block, answer: block }))).toEqual([])
  })
})

describe('M10', () => {
  /** Masks so many tokens before the end token of the call as well; `sampled` says whether the dump flags what the model wrote. */
  const without = (tokens: number, sampled: boolean) =>
    search(
      {},
      { sampled, editMask: (mask, layout) => mask.fill(0, layout[2]!.endToken - tokens, layout[2]!.endToken + 1) },
    )

  it('is said where the mark before the end was stripped with it, of what the dump says was sampled alone', async () => {
    const [finding, ...more] = await findingsOf('M10', 'qwen2.5', without(2, true))
    expect(more).toEqual([])
    expect(finding).toMatchObject({ severity: 'error', turn: 2 })
    expect(finding?.message).toBe(
      'The end token of assistant turn 1 was sampled and is not trained, nor are the 2 tokens before it',
    )
    expect(finding!.tokens![1]! - finding!.tokens![0]!).toBe(3)
    // A framework may have written the line break before the end token that it closed a turn with.
    expect(await findingsOf('M10', 'qwen2.5', without(2, false))).toEqual([])
  })

  it('is said of a turn of which more is masked, where the dump says that all of it was sampled', async () => {
    const [finding, ...more] = await findingsOf('M10', 'qwen2.5', without(6, true))
    expect(more).toEqual([])
    expect(finding?.message).toMatch(/, nor are the 6 tokens before it$/)
    expect(await findingsOf('M10', 'qwen2.5', without(6, false))).toEqual([])
  })
})

describe('M14', () => {
  it('believes the flag that a trained end token was not sampled', async () => {
    const findings = await findingsOf('M14', 'llama3', search({}, { sampled: true }), ({ sampled }, { layout }) => ({
      sampled: sampled!.with(layout[4]!.endToken, 0),
    }))
    expect(findings.map(({ message }) => message)).toEqual([
      'The end token of assistant turn 2 carries loss and was not sampled: the dump flags it as not sampled',
    ])
  })

  it('believes stored response ids that end before an end token without a logprob of its own', async () => {
    const closedBy =
      (last: number): Edit =>
      ({ ids, logprobs }, { layout }) => ({
        logprobs: { ...logprobs, sampler: logprobs.sampler!.with(layout[4]!.endToken, last) },
        meta: { response_ids: Array.from(ids!.subarray(layout[2]!.contentStart, layout[4]!.endToken)) },
      })
    const [finding] = await findingsOf('M14', 'qwen2.5', search({}, { logprobs: 'sampler' }), closedBy(0))
    expect(finding?.message).toMatch(/turn 2 .* exactly 0, and response_ids ends before it$/)
    // Engines may leave the stop token out of the ids that they give, and score it.
    expect(await findingsOf('M14', 'qwen2.5', search({}, { logprobs: 'sampler' }), closedBy(-0.2))).toEqual([])
  })

  it('does not believe a missing logprob alone', async () => {
    const findings = await findingsOf(
      'M14',
      'llama3',
      search({}, { logprobs: 'sampler' }),
      ({ logprobs }, { layout }) => ({
        logprobs: { ...logprobs, sampler: logprobs.sampler!.with(layout[4]!.endToken, Number.NaN) },
      }),
    )
    expect(findings).toEqual([])
  })

  it('believes one that the trainer denies as well, and none of a row that has no logprob at all', async () => {
    const without =
      (isWhole: boolean): Edit =>
      ({ logprobs }, { layout }) => {
        const { endToken } = layout[4]!
        return {
          logprobs: {
            ...logprobs,
            sampler: isWhole ? logprobs.sampler!.map(() => Number.NaN) : logprobs.sampler!.with(endToken, Number.NaN),
            trainer: logprobs.sampler!.with(endToken, -3),
          },
        }
      }
    const told = (isWhole: boolean) =>
      findingsOf('M14', 'llama3', search({}, { logprobs: 'sampler' }), without(isWhole))
    expect((await told(false)).map(({ message }) => message)).toEqual([
      "The end token of assistant turn 2 carries loss and was not sampled: the sampler has no logprob for it, the trainer's is -3.00",
    ])
    // A demonstration beside rollouts: nothing singles out its end token.
    expect(await told(true)).toEqual([])
  })
})

describe('M18', () => {
  const credited =
    (first: number): Edit =>
    (trajectory, { layout }) => ({
      advantages: Float32Array.from(trajectory.ids!, (_, i) => (i >= layout[4]!.contentStart ? 0.5 + i / 1000 : first)),
      reward: 1,
    })

  it('names returns that start anew behind a reply', async () => {
    const [finding] = await findingsOf('M18', 'qwen2.5', search(), credited(0))
    expect(finding).toMatchObject({ severity: 'error', evidence: { reward: 1 } })
  })

  it('is silent where the turns before have some credit', async () => {
    expect(await findingsOf('M18', 'qwen2.5', search(), credited(0.25))).toEqual([])
  })
})

describe('M09', () => {
  const opened = { prefill: '<think>\n', text: 'It is in the archive.\n</think>\n\nI look it up.' }
  const trained = search({ call: { ...opened, train: { prefill: true, content: true, end: true } } })
  const promptEnds: Edit = (_, { layout }) => ({ promptLength: layout[2]!.contentStart })

  it('names a think tag with which the stored prompt ends, where the loss takes it', async () => {
    expect((await findingsOf('M09', 'qwen3', trained, promptEnds)).map(({ message }) => message)).toEqual([
      "2 tokens of the template's prefill in assistant turn 1 carry loss",
    ])
    // The prompt length is right, and the split no fault.
    expect(await findingsOf('S05', 'qwen3', trained, promptEnds)).toEqual([])
    expect(await findingsOf('M09', 'qwen3', search({ call: opened }), promptEnds)).toEqual([])
  })

  it('names what the template’s own generation prompt begins a turn with, and asks nothing of a template that does not', async () => {
    const tokenizer = await testTokenizer('qwen3')
    const rows = (own: Tokenizer) => trained(own).map((row) => trajectoryOf(row, { source: 0, record: 0, part: 0 }))
    const thinking = {
      ...tokenizer,
      template: tokenizer.template!.replace(
        "{{- '<|im_start|>assistant\\n' }}",
        "{{- '<|im_start|>assistant\\n<think>\\n' }}",
      ),
    }
    expect(thinking.template).not.toBe(tokenizer.template)
    expect(auditTrajectories(rows(thinking), thinking).byCode.get('M09')?.findings).toHaveLength(1)
    expect(auditTrajectories(rows(tokenizer), tokenizer).byCode.get('M09')?.findings).toEqual([])
  })
})

describe('M01 and M14 in an example of the prompt', () => {
  const rows =
    (train: boolean, storesLength = true) =>
    (tokenizer: Tokenizer) => {
      const turns = [user('Is it red?'), assistant('It is red.', { train }), user('Is it blue?'), assistant('It is.')]
      const { layout } = conversation(tokenizer, turns)
      const more = storesLength ? { prompt_length: layout[3]!.contentStart } : {}
      return [conversation(tokenizer, turns, { more })]
    }
  /** What is sampled of the example, and of the answer. */
  const flagged =
    (example: 0 | 1, answer: 0 | 1 = 1): Edit =>
    ({ ids }, { layout }) => {
      const sampled = new Uint8Array(ids?.length ?? 0)
      for (const [turn, flag] of [[layout[1]!, example] as const, [layout[3]!, answer] as const])
        sampled.fill(flag, turn.contentStart, turn.endToken + 1)
      return { sampled }
    }
  /** The same of a sampler that scored the answer alone, and of a trainer that does not find the end of the example likely. */
  const scored: Edit = ({ ids, logprobs }, { layout }) => {
    const sampler = new Float32Array(ids?.length ?? 0).fill(Number.NaN)
    const { contentStart, endToken } = layout[3]!
    sampler.fill(-0.2, contentStart, endToken + 1)
    return {
      logprobs: {
        ...logprobs,
        sampler,
        trainer: new Float32Array(sampler.length).fill(-0.2).fill(-3, 0, contentStart),
      },
    }
  }

  it.each(['qwen2.5', 'llama3'] as const)('say for %s that it is trained, as a whole and once', async (family) => {
    for (const edit of [flagged(0), scored]) {
      const [found, ...more] = await findingsOf('M01', family, rows(true), edit)
      expect(more).toEqual([])
      expect(found).toMatchObject({ severity: 'error', turn: 1 })
      expect(found?.message).toMatch(/^\d+ tokens of an example, which belongs to the prompt, carry loss$/)
      expect(await findingsOf('M14', family, rows(true), edit)).toEqual([])
    }
  })

  it('say nothing where it is masked, or where the model may have written it in another call', async () => {
    const silent = async (changed: Parameters<typeof findingsOf>[2], edit: Edit) =>
      expect(await findingsOf('M01', 'qwen2.5', changed, edit)).toEqual([])
    await silent(rows(false), flagged(0))
    await silent(rows(true), flagged(1))
    await silent(rows(true), flagged(0, 0))
    await silent(rows(true, false), flagged(0))
    await silent(rows(true, false), scored)
  })
})

describe('M08', () => {
  /** A turn whose header stands there twice, the second one trained. */
  const twice = (tokenizer: Tokenizer) => [
    conversation(tokenizer, [
      user('Is it red?'),
      assistant('', { end: false, separator: false, train: false }),
      assistant('It is.', { train: { header: true, content: true, end: true } }),
    ]),
  ]
  const flagged =
    (header: 0 | 1): Edit =>
    ({ mask }, { layout }) => ({
      sampled: Uint8Array.from(mask ?? [], (flag, at) =>
        at >= layout[2]!.start && at < layout[2]!.headerEnd ? header : flag,
      ),
    })

  it.each([
    'qwen2.5',
    'llama3',
  ] as const)('is not said for %s of the second of two headers that the model wrote', async (family) => {
    expect(await findingsOf('M08', family, twice, flagged(1))).toEqual([])
    expect(await findingsOf('T06', family, twice, flagged(1))).toHaveLength(1)
    expect(await findingsOf('M08', family, twice, flagged(0))).toHaveLength(1)
    expect(await findingsOf('M08', family, twice)).toHaveLength(1)
  })

  it('is said of a header that stands there once, whatever a record says of who wrote it', async () => {
    const once = search({ answer: { train: { header: true, content: true, end: true } } })
    const edit: Edit = ({ mask }) => ({ sampled: Uint8Array.from(mask ?? []) })
    expect(await findingsOf('M08', 'qwen2.5', once, edit)).toHaveLength(1)
  })
})
