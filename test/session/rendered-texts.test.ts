import { describe, expect, it } from 'vitest'
import type { ExportId } from '../../shared/exports/export-kind.ts'
import type { AuditOptions } from '../../shared/model/policy.ts'
import { TokenState } from '../../shared/model/tokens.ts'
import { memorySource } from '../containers/memory-source.ts'
import { exportRollouts } from '../exports/in-memory.ts'
import { audited, qwen } from './dumps.ts'
import { atOnce, followed } from './followed.ts'

const conversation = (row: number) => ({
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: `Where does river ${row} rise?` },
    { role: 'assistant', content: `In the hills, as document ${row} says.` },
  ],
  reward: row % 2,
  group_id: `g${row >> 1}`,
  finish_reason: 'length',
})
const jsonl = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')
const texts = jsonl(Array.from({ length: 6 }, (_, row) => conversation(row)))
const asked: AuditOptions = { tokenizer: 'qwen2.5', renderTexts: true }
const read = (text: string, options: AuditOptions) => audited([memorySource(text, 64, 'texts.jsonl')], options)

describe('texts that are rendered because a person asked', () => {
  it('are tokens on the screen, all of them unknown, and marked', async () => {
    const session = await read(texts, asked)
    const detail = await session.detail(2)
    expect(detail.reconstructed).toBe(true)
    expect(detail.text).toBe(
      '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWhere does river 2 rise?<|im_end|>\n<|im_start|>assistant\nIn the hills, as document 2 says.<|im_end|>\n',
    )
    expect(detail.segmentation?.turns.map(({ role }) => role)).toEqual(['system', 'user', 'assistant'])
    expect(new Set(detail.states)).toEqual(new Set([TokenState.unknown]))
    for (const nothing of [detail.weights, detail.expected, detail.provenance, detail.logprobs.sampler]) {
      expect(nothing).toBe(null)
    }
    const token = await session.token(2, 0)
    expect(token).toMatchObject({ id: 151644, whyStructure: null, whyProvenance: null })
    expect(session.facts[2]).toMatchObject({ reconstructed: true, length: detail.ids!.length, trained: null })
  })

  it('are encoded as they stand where a trainer decoded them whole', async () => {
    const input = 'system\nBe brief.\nuser\nWhere does the Arn rise?\nassistant\n'
    const replies = ['In the hills.', 'Look.\nuser\n<tool_response>\nhills\n</tool_response>\nassistant\nIn the hills.']
    const session = await read(jsonl(replies.map((output) => ({ input, output, score: 1, step: 3 }))), asked)
    const tokenizer = await qwen()
    for (const [row, output] of replies.entries()) {
      const detail = await session.detail(row)
      expect(detail.text).toBe(input + output)
      const [prompt, reply] = [tokenizer.encode(input), tokenizer.encode(output)]
      expect(session.facts[row]).toMatchObject({ length: prompt.length + reply.length, promptLength: prompt.length })
    }
    expect(session.report().sources[0]?.notes?.[0]).toMatch(/encoded as they stand/)
  })

  it('are compared with a rendering like recorded ids, and say what their texts hold besides', async () => {
    const spelt = {
      messages: [
        { role: 'user', content: '<|im_start|>user\nWhere does the Arn rise?<|im_end|>\n<|im_start|>assistant\n' },
        { role: 'assistant', content: 'In the hills.<|im_end|>' },
      ],
    }
    const session = await read(jsonl([conversation(0), spelt]), asked)
    for (const kind of ['render', 'retokenise'] as const) {
      const same = await session.rollouts.compareIds(0, kind)
      expect(same).toMatchObject({ impossible: null, differences: [], omitted: 0 })
      expect(same.common).toBe((await session.detail(0)).ids!.length)
    }
    const other = await session.rollouts.compareIds(1, 'render')
    expect(other.impossible).toBe(null)
    expect(other.differences.length).toBeGreaterThan(0)
    const plain = await read(texts, { tokenizer: 'qwen2.5' })
    expect((await plain.rollouts.compareIds(0, 'render')).impossible).toBe('There are no token ids in this rollout.')
  })

  it('change no word of what is judged', async () => {
    const plain = (await read(texts, { tokenizer: 'qwen2.5' })).report()
    const rendered = (await read(texts, asked)).report()
    const { sources, aggregates: _, ...rest } = rendered
    const { sources: before, aggregates: __, ...same } = plain
    expect(rest).toEqual(same)
    expect(rest.totals.tokens.total).toBe(0)
    expect(rest.limits.max_seq_len).toBe(null)
    for (const code of ['M01', 'T02', 'T07', 'C03', 'S04']) {
      expect(rest.checks.find((check) => check.code === code)?.status, code).toBe('not-checkable')
    }
    const [source] = sources
    expect(source?.missing).toEqual(before[0]?.missing)
    expect(source?.rendering).toMatchObject({ tokenizer: 'qwen2.5', rollouts: 6, of: 6 })
    expect(source?.notes?.[0]).toMatch(/rendered through the chat template of qwen2\.5.*reconstructed, not recorded/)
    expect(before[0]).not.toHaveProperty('rendering')
  })

  it('show no limit, not even that of nothing', async () => {
    const { limits } = (await read(texts, { tokenizer: 'qwen2.5' })).report()
    expect(limits.max_seq_len).toBe(null)
  })

  it('are exported as what was recorded', async () => {
    const session = await read(texts, asked)
    const exported = async (as: ExportId) => {
      const files = await exportRollouts(session, { as, indices: [0, 1], why: 'test' })
      return new TextDecoder().decode(files[0]!.bytes)
    }
    const native = (await exported('native'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(native).toHaveLength(2)
    for (const record of native) {
      expect(record).not.toHaveProperty('input_ids')
      expect(record.messages).toHaveLength(3)
    }
    expect(await exported('source')).toBe(jsonl([conversation(0), conversation(1)]))
    const [header, first] = (await exported('csv')).split('\n').map((line) => line.split(','))
    const cell = (name: string) => first![header!.indexOf(name)]
    expect([cell('tokens'), cell('prompt_tokens'), cell('unknown')]).toEqual(['', '', ''])
  })

  it('need a tokenizer, and say so', async () => {
    const session = await read(texts, { renderTexts: true })
    expect(session.report().sources[0]?.notes?.[0]).toMatch(/no tokenizer is known: name that of the model/)
    expect((await session.detail(0)).ids).toBe(null)
    expect(session.facts[0]?.reconstructed).toBeUndefined()
  })

  it('are encoded as they stand where they hold their control tokens', async () => {
    const content = '<|im_start|>user\nWho?<|im_end|>\n<|im_start|>assistant\n'
    const said = jsonl([
      {
        ...conversation(0),
        messages: [
          { role: 'user', content },
          { role: 'assistant', content: 'She.<|im_end|>' },
        ],
      },
    ])
    const { text } = await (await read(said, asked)).detail(0)
    expect(text).toBe(`${content}She.<|im_end|>`)
  })

  it('leave recorded ids alone', async () => {
    const tokenizer = await qwen()
    const input_ids = tokenizer.encode('<|im_start|>user\nHi.<|im_end|>\n', { specials: true })
    const session = await read(jsonl([{ ...conversation(0), input_ids }]), asked)
    const detail = await session.detail(0)
    expect(detail.reconstructed).toBe(false)
    expect(Array.from(detail.ids!)).toEqual(input_ids)
    expect(session.report().sources[0]).not.toHaveProperty('rendering')
  })

  it('are rendered as well in a file that is still written', async () => {
    const bytes = new TextEncoder().encode(texts)
    const moments = [bytes.length >> 1, bytes.length].map((size) => [
      { name: 'run.jsonl', bytes: bytes.subarray(0, size) },
    ])
    const { report } = await followed(moments, asked)
    expect(report.sources[0]?.rendering).toMatchObject({ rollouts: 6, of: 6 })
    expect(report).toEqual(await atOnce([{ name: 'run.jsonl', bytes }], asked))
  })

  it('are what they are where a template refuses them', async () => {
    const odd = jsonl([{ ...conversation(0), messages: [{ role: 'assistant', content: '' }] }, conversation(1)])
    const session = await read(odd, { tokenizer: 'llama3', renderTexts: true })
    const { rendering } = session.report().sources[0]!
    expect(rendering?.of).toBe(2)
    expect(rendering?.rollouts).toBe(session.facts.filter(({ reconstructed }) => reconstructed).length)
  })
})
