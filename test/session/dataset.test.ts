import { beforeAll, describe, expect, it } from 'vitest'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { CheckResult, Report } from '../../shared/model/report.ts'
import type { ByteSource } from '../../shared/model/source.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { memorySource } from '../containers/memory-source.ts'
import { assistant, conversation, type RecordOptions, user } from '../helpers/conversation.ts'
import { audited, lines, qwen, until } from './dumps.ts'
import { enginePage } from './engine-page.ts'
import { testHost } from './test-host.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

const COUNT = 30
/** Lengths without an order: every one of 0 to 29 once. */
const sizeOf = (i: number) => (i * 7) % COUNT
const question = (i: number) => `Question ${i}: which river is it? ${'The rivers are long. '.repeat(sizeOf(i))}`
const all = Array.from({ length: COUNT }, (_, i) => i)
/** Those that a limit lets through. */
const short = all.filter((i) => sizeOf(i) < 22)

const dumpOf = (questions: readonly number[], more: (i: number) => RecordOptions = () => ({})) =>
  lines(
    questions.map((i) =>
      conversation(tokenizer, [user(question(i)), assistant(`It is river ${i}.`)], {
        id: `rollout-${i}`,
        messages: true,
        ...more(i),
      }),
    ),
  )
const jsonl = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')
const file = (content: string | Uint8Array, name = 'prompts.jsonl') => memorySource(content, 512, name)
const questions = (order: readonly number[] = all) => jsonl(order.map((i) => ({ id: `q${i}`, question: question(i) })))

async function c11(
  dump: string,
  dataset: readonly ByteSource[] | null,
  options: AuditOptions = {},
): Promise<CheckResult & { findings: Report['findings'] }> {
  const session = await audited(
    dump,
    { tokenizer: 'qwen2.5', ...options },
    testHost(),
    dataset === null ? {} : { dataset },
  )
  const report = session.report()
  const found = report.checks.find(({ code }) => code === 'C11') as CheckResult
  return { ...found, findings: report.findings.filter(({ code }) => code === 'C11') }
}

const DROPPED = {
  prompts: 30,
  with_rollouts: 22,
  without_rollouts: 8,
  longer_than_any_with_rollouts: 8,
  in_order_of_dataset: false,
}

describe('prompts that were dropped for their length', () => {
  it('are named with their lengths, beside those of the others', async () => {
    const { status, severity, unit, checked, affected, places, findings } = await c11(
      dumpOf(short),
      [file(questions())],
      {
        limits: { max_prompt_length: 150 },
      },
    )
    expect({ status, severity, unit, checked, affected, places }).toEqual({
      status: 'fail',
      severity: 'info',
      unit: 'source',
      checked: 1,
      affected: 1,
      places: { checked: 30, affected: 8 },
    })
    expect(findings).toHaveLength(1)
    const finding = findings[0] as Report['findings'][number]
    const longest = tokenizer.encode(question(short.find((i) => sizeOf(i) === 21) as number)).length
    expect(finding.message).toMatch(
      new RegExp(
        `^The 8 longest of the 30 prompts of the dataset have no rollout: from \\d+ tokens, where the longest with a rollout has ${longest}, and max_prompt_length is 150$`,
      ),
    )
    expect(finding).toMatchObject({
      scope: 'source',
      record: null,
      evidence: { ...DROPPED, matched_by: 'words', dropped: 8 },
    })
    const { examples, lengths } = finding.evidence as {
      examples: { id: string; length: number; text: string }[]
      lengths: { with_rollouts: number[]; without_rollouts: number[] }
    }
    expect(examples.map(({ id }) => sizeOf(Number(id.slice(1))))).toEqual([22, 23, 24, 25, 26, 27, 28, 29])
    for (const { id, length, text } of examples) {
      expect(length).toBe(tokenizer.encode(question(Number(id.slice(1)))).length)
      expect(text).toBe(question(Number(id.slice(1))).slice(0, 80))
    }
    expect(lengths.with_rollouts.reduce((a, b) => a + b)).toBe(22)
    expect(lengths.without_rollouts.reduce((a, b) => a + b)).toBe(8)
    expect(lengths.with_rollouts.findLastIndex((count) => count > 0)).toBeLessThanOrEqual(
      lengths.without_rollouts.findIndex((count) => count > 0),
    )
  })

  it('are found by their sentences where the run says more to each, and nothing is where the questions are others', async () => {
    const asked = (i: number) => `Which river is river ${i} ${'of the long rivers '.repeat(sizeOf(i))}?`
    const put = lines(
      short.map((i) => {
        const turns = [user(`${asked(i)} Put the answer into a box.`), assistant(`It is river ${i}.`)]
        return conversation(tokenizer, turns, { id: `rollout-${i}`, messages: true })
      }),
    )
    const dataset = (from: number) => [file(jsonl(all.map((i) => ({ id: `q${i}`, question: asked(i + from) }))))]
    const { findings } = await c11(put, dataset(0))
    expect(findings).toMatchObject([{ evidence: { ...DROPPED, matched_by: 'sentences of the question' } }])
    expect((await c11(put, dataset(1000))).status).toBe('not-checkable')
  })

  it('are told beside whether the prompts of the rollouts end at the limit', async () => {
    const longest = Math.max(
      ...(await audited(dumpOf(short), { tokenizer: 'qwen2.5' })).facts.map((row) => row.promptLength ?? 0),
    )
    const endsAt = async (max_prompt_length: number) =>
      (await c11(dumpOf(short), [file(questions())], { limits: { max_prompt_length } })).context?.ends_at_limit
    expect([await endsAt(longest + 3), await endsAt(longest + 300), await endsAt(longest - 1)]).toEqual([
      true,
      false,
      false,
    ])
    expect((await c11(dumpOf(short), [file(questions())])).context).toMatchObject({
      ends_at_limit: null,
      max_prompt_length: null,
    })
    const several = dumpOf(short, (i) => ({ more: { limits: { max_prompt_length: i % 2 === 0 ? 150 : 300 } } }))
    expect((await c11(several, [file(questions())])).context).toMatchObject({
      ends_at_limit: null,
      max_prompt_length: 'several',
    })
  })

  it.each<[string, (i: number) => unknown]>([
    [
      'messages',
      (i) => ({
        prompt: [
          { role: 'system', content: 'Be short.' },
          { role: 'user', content: question(i) },
        ],
      }),
    ],
    [
      'messages with the answer',
      (i) => ({
        messages: [
          { role: 'user', content: question(i) },
          { role: 'assistant', content: `River ${i}.` },
        ],
      }),
    ],
    [
      'turns of ShareGPT',
      (i) => ({
        conversations: [
          { from: 'human', value: question(i) },
          { from: 'gpt', value: 'It is.' },
        ],
      }),
    ],
    [
      'a request of NeMo-Gym',
      (i) => ({ responses_create_params: { input: [{ role: 'user', content: question(i) }] } }),
    ],
    ['a request of one text', (i) => ({ responses_create_params: { instructions: 'Be short.', input: question(i) } })],
    ['a text', (i) => ({ prompt: question(i) })],
  ])('are found by words in %s', async (_, recordOf) => {
    expect(await c11(dumpOf(short), [file(jsonl(all.map(recordOf)))])).toMatchObject({
      status: 'fail',
      context: DROPPED,
    })
  })

  it('are found where the dump has no messages, by the ids of their question', async () => {
    const found = await c11(
      dumpOf(short, () => ({ messages: false })),
      [file(questions())],
    )
    expect(found).toMatchObject({ status: 'fail', context: { ...DROPPED, matched_by: 'words', lengths_in: 'tokens' } })
  })

  it.each([
    ['and the opening of the answer', 0],
    ['without it', 3],
  ])('are found in a dataset that holds ids alone, %s', async (_, opening) => {
    const { facts } = await audited(dumpOf(all), { tokenizer: 'qwen2.5' })
    const records = dumpOf(all)
      .trim()
      .split('\n')
      .map((line, i) => ({
        prompt_ids: (JSON.parse(line) as { input_ids: number[] }).input_ids.slice(
          0,
          (facts[i]?.promptLength ?? 0) - opening,
        ),
      }))
    expect(await c11(dumpOf(short), [file(jsonl(records))])).toMatchObject({
      status: 'fail',
      context: { ...DROPPED, lengths_in: 'tokens' },
    })
  })

  it('are found by the ids of examples where the prompts are worded otherwise and have the same lengths', async () => {
    const reworded = (add: (i: number) => string) =>
      file(jsonl(all.map((i) => ({ example_id: i, question: `${question(i).replace('river', 'city')}${add(i)}` }))))
    const dump = dumpOf(short, (i) => ({ group: String(i) }))
    expect(await c11(dump, [reworded(() => '')])).toMatchObject({
      status: 'fail',
      context: { ...DROPPED, matched_by: 'ids of examples' },
    })
    // Numbers that happen to be the same, of prompts that are not.
    const others = await c11(dump, [reworded((i) => 'And so on. '.repeat((i * 11) % 30))])
    expect(others).toMatchObject({ status: 'not-checkable', findings: [] })
    expect(others.reason).toContain('no rollout is of a prompt of the dataset')
  })

  it('are found in text dumps, by characters', async () => {
    const texts = jsonl(
      short.map((i) => ({
        schema: 'rollout-inspector.trajectory/1',
        id: `${i}`,
        reward: 1,
        messages: [
          { role: 'user', content: question(i) },
          { role: 'assistant', content: 'It is.' },
        ],
      })),
    )
    const session = await audited(texts, {}, testHost(), { dataset: [file(questions())] })
    const found = session.report().checks.find(({ code }) => code === 'C11')
    expect(found).toMatchObject({
      status: 'fail',
      context: { ...DROPPED, lengths_in: 'characters', longest_prompt_of_a_rollout: null },
    })
  })
})

describe('prompts without a rollout are no fault', () => {
  it.each<[string, readonly number[], string]>([
    ['where they are of all lengths', all.filter((i) => i % 3 > 0), questions()],
    ['where every prompt has one', all, questions()],
    ['where few rollouts are there, which chance may well make short ones', short.slice(0, 5), questions()],
    ['where the short ones are missing', all.filter((i) => sizeOf(i) > 8), questions()],
  ])('%s', async (_, rolled, dataset) => {
    const found = await c11(dumpOf(rolled), [file(dataset)])
    expect(found).toMatchObject({ status: 'pass', affected: 0, findings: [] })
    expect(found.context).toMatchObject({ with_rollouts: rolled.length })
  })
})

describe('long prompts without a rollout that a run may not have come to yet', () => {
  it.each<[string, string]>([
    ['where it reads them from the shortest on', questions(all.toSorted((a, b) => sizeOf(a) - sizeOf(b)))],
    ['where it reads them from its end', questions(all.toSorted((a, b) => sizeOf(b) - sizeOf(a)))],
  ])('%s', async (_, dataset) => {
    const found = await c11(dumpOf(short), [file(dataset)])
    expect(found).toMatchObject({ status: 'not-checkable', affected: 0, findings: [] })
    expect(found.reason).toMatch(
      /longest prompts of the dataset have no rollout, but .* stand together at one end of it/,
    )
    expect(found.context).toMatchObject({ with_rollouts: short.length })
  })
})

describe('a dataset that does not tell', () => {
  const reasonOf = async (dataset: readonly ByteSource[] | null, dump = dumpOf(short)) => {
    const { status, reason, findings } = await c11(dump, dataset)
    expect({ status, findings }).toEqual({ status: 'not-checkable', findings: [] })
    return reason
  }

  it('is none, that of another run, of other rollouts as well, or of one question', async () => {
    expect(await reasonOf(null)).toBe('which prompts have no rollout only the dataset tells: give it with --dataset')
    const other = jsonl(all.map((i) => ({ question: `Who painted picture ${i}?` })))
    expect(await reasonOf([file(other)])).toContain('no rollout is of a prompt of the dataset')
    expect(await reasonOf([file(questions(short.slice(0, 12)))])).toBe(
      'only 12 of 22 rollouts are of a prompt of the dataset',
    )
    const same = jsonl(
      all.map((i) => ({
        messages: [
          { role: 'user', content: 'Hello.' },
          { role: 'assistant', content: '?' },
          { role: 'user', content: question(i) },
        ],
      })),
    )
    expect(await reasonOf([file(same)])).toBe('all 30 prompts of the dataset begin with one question')
  })

  it('has no prompts, no records, or cannot be read: the dump is audited all the same', async () => {
    expect(await reasonOf([file(jsonl([{ a: 1 }, { b: 2 }]))])).toBe(
      'none of 2 records of prompts.jsonl has a prompt (prompt, messages, question, prompt_ids …)',
    )
    expect(await reasonOf([file('just words\n', 'notes.txt')])).toContain('the dataset could not be read: notes.txt')
    expect(await reasonOf([file('', 'empty.jsonl')])).toContain('empty.jsonl is empty')
  })

  it('costs only its bad records, which are named', async () => {
    const broken = `${questions()}{"question": \n`
    const session = await audited(dumpOf(short), { tokenizer: 'qwen2.5' }, testHost(), {
      dataset: [file(broken), file('no json', 'notes.txt')],
    })
    expect(session.report().checks.find(({ code }) => code === 'C11')).toMatchObject({
      status: 'fail',
      context: DROPPED,
    })
    expect(session.datasetProblems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^prompts\.jsonl: 1 record of the dataset could not be read, the first at line 31: /),
      expect.stringMatching(/^notes\.txt/),
    ])
  })

  it('is not read where C11 is not asked for', async () => {
    const unread = { ...file(questions()), slice: () => Promise.reject(new Error('was read')) }
    const session = await audited(dumpOf(short), { tokenizer: 'qwen2.5', checks: ['M01'] }, testHost(), {
      dataset: [unread],
    })
    expect(session.datasetProblems).toEqual([])
  })
})

describe('the engine', () => {
  it('takes a dataset with what it opens, and keeps it under other settings', async () => {
    const bytes = (text: string) => new TextEncoder().encode(text)
    const page = enginePage()
    const input = (name: string, text: string) => ({ kind: 'bytes' as const, name, bytes: bytes(text) })
    const statusOf = async () => {
      await until(() => page.progress.at(-1)?.done === true)
      return (await page.ask('report', {})).checks.find(({ code }) => code === 'C11')?.status
    }
    const sources = [input('dump.jsonl', dumpOf(short))]
    await page.ask('open', { sources, options: {}, dataset: [input('prompts.jsonl', questions())] })
    expect(await statusOf()).toBe('fail')
    page.progress.length = 0
    await page.ask('reconfigure', { options: { policy: 'sft' } })
    expect(await statusOf()).toBe('fail')
    page.progress.length = 0
    await page.ask('open', { sources, options: {} })
    expect(await statusOf()).toBe('not-checkable')
  })
})
