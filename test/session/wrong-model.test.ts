import { beforeAll, describe, expect, it } from 'vitest'
import type { Report } from '../../shared/model/report.ts'
import { familyNamed } from '../../shared/tokens/choose.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { memorySource } from '../containers/memory-source.ts'
import { assistant, type Conversation, conversation, system, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited, lines } from './dumps.ts'
import { testHost, workerHost } from './test-host.ts'

let qwen25: Tokenizer
let qwen3: Tokenizer
let llama: Tokenizer
beforeAll(async () => {
  qwen25 = await testTokenizer('qwen2.5')
  qwen3 = await testTokenizer('qwen3')
  llama = await testTokenizer('llama3')
})

const THINK = 151667
const THOUGHT = '<think>\nI wonder.\n</think>\n\n'

/** Rollouts of one family under the name of a model; `thinks`: with ids that only Qwen3 has. */
const rollout = (tokenizer: Tokenizer, seed: number, model: string | null, thinks = false) =>
  conversation(
    tokenizer,
    [
      system('Be short.'),
      user(`Which river is ${seed}?`),
      assistant(`${thinks ? THOUGHT : ''}River ${seed}, I believe.`),
    ],
    { id: `rollout-${seed}`, more: model === null ? {} : { model } },
  )

const withIds = ({ record, ...rest }: Conversation, edit: (ids: number[]) => number[]): Conversation => ({
  ...rest,
  record: { ...record, input_ids: edit([...record.input_ids]) },
})

const reportOf = async (rollouts: readonly Conversation[], options = {}, host = testHost()) =>
  (await audited(lines(rollouts), options, host)).report()
const t17 = (report: Report) => report.checks.find(({ code }) => code === 'T17')
const found = (report: Report) => report.findings.filter(({ code }) => code === 'T17')

describe('a model that the ids contradict', () => {
  it('is told at the first id that it does not have, in the rows that have one', async () => {
    const name = 'Qwen/Qwen2.5-7B-Instruct'
    const rollouts = [0, 1, 2, 3].map((seed) => rollout(qwen3, seed, name, seed !== 2))
    const report = await reportOf(rollouts)
    expect(report.tokenizer.id).toBe('qwen3')
    expect(t17(report)).toMatchObject({ status: 'fail', severity: 'error', checked: 4, affected: 3 })
    const findings = found(report)
    expect(findings.map(({ record }) => record)).toEqual([0, 1, 3])
    const at = rollouts[0]?.record.input_ids.indexOf(THINK) as number
    expect(findings[0]).toMatchObject({
      tokens: [at, at + 1],
      message:
        '2 tokens have ids that Qwen2.5 does not have: 151667 <think>, 151668 </think>; the dump names the model Qwen/Qwen2.5-7B-Instruct',
      evidence: { tokens: 2, ids: { 151667: 1, 151668: 1 }, tokenizer: 'qwen3', model: name },
    })
  })

  it('is told the same by workers', async () => {
    const rollouts = [0, 1, 2, 3].map((seed) => rollout(qwen3, seed, 'Qwen2.5-7B', true))
    const host = workerHost(2).host
    expect(found(await reportOf(rollouts, {}, host))).toEqual(found(await reportOf(rollouts)))
  })

  it('is told at the first turn where the ids open turns as another family does', async () => {
    const [asLlama, asQwen] = [
      await reportOf([0, 1].map((seed) => rollout(llama, seed, 'Qwen/Qwen3-8B'))),
      await reportOf([0, 1].map((seed) => rollout(qwen25, seed, 'meta-llama/Llama-3.1-8B-Instruct'))),
    ]
    expect(asLlama.tokenizer.id).toBe('llama3')
    expect(found(asLlama)).toHaveLength(2)
    expect(found(asLlama)[0]).toMatchObject({
      tokens: [1, 2],
      message: expect.stringMatching(
        /^The turns open with 128006, as those of Llama 3.* do, and not as those of Qwen3; the dump names the model Qwen\/Qwen3-8B$/,
      ),
      evidence: { turns: 3, opened_by: 128006 },
    })
    // Qwen's control ids are beyond Llama's.
    expect(asQwen.tokenizer.id).toBe('qwen2.5')
    expect(found(asQwen)).toHaveLength(2)
    expect(found(asQwen)[0]).toMatchObject({
      tokens: [0, 1],
      message: expect.stringMatching(/151644 <\|im_start\|> \(3 times\)/),
    })
  })

  it('is told where no tokenizer fits: ids beyond the vocabulary of the named one, in all rows', async () => {
    const beyond = (seed: number) =>
      withIds(rollout(qwen25, seed, 'Qwen/Qwen2.5-7B'), (ids) => ids.map((id, i) => (i % 3 === 1 ? 200_000 + i : id)))
    const report = await reportOf([0, 1, 2].map(beyond))
    expect(report.tokenizer.id).toBeNull()
    expect(t17(report)).toMatchObject({ status: 'fail', affected: 3 })
    expect(found(report)[0]).toMatchObject({
      tokens: [1, 2],
      message: expect.stringMatching(
        /ids that Qwen2\.5 does not have: 200001, 200004, 200007, 200010 …; the dump names the model Qwen\/Qwen2\.5-7B$/,
      ),
    })
  })

  it('is not told where a person names the tokenizer, or a name says nothing', async () => {
    const rollouts = (model: string | null) => [0, 1].map((seed) => rollout(qwen3, seed, model, true))
    expect(found(await reportOf(rollouts('Qwen2.5-7B'), { tokenizer: 'qwen3' }))).toEqual([])
    for (const name of [
      null,
      'Qwen/Qwen3-8B',
      'our-own-8B',
      'runs/qwen2.5-to-qwen3',
      'Qwen2.5-Omni-7B',
      'willcb/Qwen3-4B',
    ]) {
      expect([name, t17(await reportOf(rollouts(name)))?.status]).toEqual([name, 'pass'])
    }
  })

  it('is not told of rows whose ids tell the family that those before them leave open', async () => {
    const rows = (thinking: number) =>
      Array.from({ length: 36 }, (_, seed) => rollout(qwen3, seed, null, seed >= 36 - thinking))
    const report = await reportOf(rows(3))
    expect(report.tokenizer.id).toBe('qwen3')
    expect(t17(report)).toMatchObject({ status: 'pass', checked: 36 })
    expect((await reportOf(rows(0))).tokenizer).toMatchObject({ id: 'qwen2.5', confidence: 0.6 })
    // What is named stands.
    expect(t17(await reportOf(rows(3), { tokenizer: 'qwen2.5' }))).toMatchObject({ status: 'fail', affected: 3 })
    const named = rows(3).map(({ record, ...rest }) => ({ ...rest, record: { ...record, model: 'Qwen2.5-7B' } }))
    expect(t17(await reportOf(named))).toMatchObject({ status: 'fail', affected: 3 })
  })

  it('is no fault where Qwen2.5 was guessed: rows that nothing was chosen by speak for Qwen3', async () => {
    // More than is looked at first.
    const rows = (model: string | null) =>
      Array.from({ length: 70 }, (_, seed) => rollout(qwen3, seed, model, seed >= 66))
    const report = await reportOf(rows(null))
    expect(report.tokenizer).toMatchObject({ id: 'qwen2.5', confidence: 0.6 })
    expect(found(report).map(({ severity }) => severity)).toEqual(['info', 'info', 'info', 'info'])
    expect(found(report)[0]?.message).toMatch(
      /^2 tokens have ids that Qwen2\.5 does not have: 151667, 151668, and Qwen3 has;.*--tokenizer qwen3/,
    )
    const host = workerHost(2).host
    expect(found(await reportOf(rows(null), {}, host))).toEqual(found(report))
    for (const claimed of [await reportOf(rows('Qwen2.5-7B')), await reportOf(rows(null), { tokenizer: 'qwen2.5' })]) {
      expect(found(claimed).map(({ severity }) => severity)).toEqual(['error', 'error', 'error', 'error'])
    }
    // Ids that neither has are foreign to both.
    const beyond = rows(null).map((row, seed) =>
      seed < 66 ? row : withIds(row, (ids) => ids.map((id) => (id === THINK ? 151_800 : id))),
    )
    expect(found(await reportOf(beyond)).map(({ severity }) => severity)).toEqual(['error', 'error', 'error', 'error'])
  })

  it('is that of each file', async () => {
    const file = (name: string, model: string) =>
      memorySource(lines([0, 1].map((seed) => rollout(qwen3, seed, model, true))), 512, name)
    const report = (await audited([file('a', 'Qwen/Qwen3-8B'), file('b', 'Qwen/Qwen2.5-7B')])).report()
    expect(found(report).map(({ source }) => source)).toEqual([1, 1])
  })
})

describe('ids of no known vocabulary', () => {
  /** Every third word of the contents; frames stay whole. */
  const beyond = (from: number) => (seed: number) =>
    withIds(rollout(qwen25, seed, null), (ids) =>
      ids.map((id, i) => (i % 3 === 1 && id < 151_643 && ids[i - 1] !== 151_644 && id !== 198 ? from + i : id)),
    )

  it('are told where the turns are of a known family', async () => {
    const report = await reportOf([0, 1, 2].map(beyond(200_000)))
    expect(report.tokenizer.id).toBeNull()
    expect(found(report)).toHaveLength(3)
    expect(found(report)[0]?.message).toMatch(/ids that Qwen.* does not have: 2000\d\d, .* …$/)
  })

  it('are told where no model has so many ids', async () => {
    const report = await reportOf(
      [0, 1].map((seed) => withIds(rollout(qwen25, seed, null), (ids) => ids.map((_, i) => 3_000_000 + i))),
    )
    expect(t17(report)).toMatchObject({ status: 'fail', affected: 2 })
    expect(found(report)[0]?.message).toMatch(
      /^\d+ tokens have ids that no vocabulary has: 3000000, 3000001, 3000002, 3000003 …$/,
    )
  })

  it('may be those of a model that does not come along: the check asks for its tokenizer', async () => {
    const gemma = (seed: number) =>
      withIds(rollout(qwen25, seed, 'google/gemma-3-4b-it'), (ids) => ids.map((id) => (id * 7919) % 262_144))
    const report = await reportOf([0, 1, 2].map(gemma))
    expect(report.tokenizer.id).toBeNull()
    expect(t17(report)).toMatchObject({ status: 'not-checkable', reason: expect.stringContaining('--tokenizer') })
    expect(found(report)).toEqual([])
  })
})

it.each([
  ['Qwen/Qwen2.5-7B-Instruct', 'qwen2.5'],
  ['Qwen2-7B', 'qwen2.5'],
  ['willcb/Qwen3-4B', 'qwen3'],
  ['Qwen/Qwen3.5-9B', null],
  ['meta-llama/Meta-Llama-3.1-8B', 'llama3'],
  ['Qwen2-Audio-7B', null],
  ['Qwen3-Omni-30B', null],
  ['qwen2.5-distilled-from-llama-3', null],
  ['gpt-oss-20b', null],
  ['huggyllama/llama-30b', null],
  ['codellama/CodeLlama-34b-Instruct-hf', null],
])('the name %s is of %s', (name, family) => {
  expect(familyNamed(name)).toBe(family)
})
