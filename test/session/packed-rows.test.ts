import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../shared/containers/container.ts'
import {
  assistant,
  call,
  conversation,
  system,
  type TurnSpec,
  tool,
  user,
  withToolSchema,
} from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited } from './dumps.ts'
import { testHost } from './test-host.ts'

const BRIEF = system('Be brief.')
const first = [BRIEF, user('Is it red?'), assistant('Yes.')]

/** What is said of the packing of three rows, whose turns and further fields these are. */
async function packing(turns: readonly TurnSpec[], more: (ids: readonly number[]) => JsonObject) {
  const tokenizer = await testTokenizer('qwen2.5')
  const rows = [0, 1, 2].map((id) => {
    const { input_ids, loss_mask } = conversation(tokenizer, [...turns]).record
    return JSON.stringify({ id: `${id}`, input_ids, loss_mask, ...more(input_ids) })
  })
  const report = (await audited(rows.join('\n'), { tokenizer: 'qwen2.5' }, testHost())).report()
  const { status, reason } = report.checks.find(({ code }) => code === 'S01')!
  return { status, reason }
}

const running = (ids: readonly number[]) => ({ position_ids: ids.map((_, at) => at) })
const again = [...first, BRIEF, user('Is it blue?'), assistant('No.')]

describe('rows without sequence ids, in which the first system turn is there again and the positions run on', () => {
  it('cannot be told from packed ones', async () => {
    expect(await packing(again, running)).toEqual({
      status: 'not-checkable',
      reason:
        '3 further conversations begin with system turns, and the positions run on: a packed row without sequence ids looks like that, and so does a system turn that is there again (T09), or another one within a conversation',
    })
  })

  it.each<[string, readonly TurnSpec[], (ids: readonly number[]) => JsonObject]>([
    [
      'its messages are one conversation',
      again,
      (ids) => ({ ...running(ids), messages: again.map(({ role, text }) => ({ role, content: text })) }),
    ],
    ['the length of its prompt is stored', again, (ids) => ({ ...running(ids), prompt_length: ids.length - 3 })],
    ['a reply of the tool follows', [...first, BRIEF, tool('It is.'), assistant('No.')], running],
    ['another system turn stands there', [...first, system('Be kind.'), user('And now?'), assistant('No.')], running],
  ])('are not packed where %s', async (_, turns, more) => {
    expect((await packing(turns, more)).status).toBe('not-applicable')
  })
})

describe('a row without sequence ids whose messages end where its system turn is there again', () => {
  const brief = { role: 'system', content: 'Be brief.' }
  const asked = { role: 'user', content: 'Is it red?' }
  const answered = { role: 'assistant', content: 'Yes.' }
  const behind = [BRIEF, user('Is it blue?'), assistant('No.')]
  const abutting = [BRIEF, user('Is it red?'), assistant('Yes.', { separator: false }), ...behind]
  const told =
    (...messages: readonly JsonObject[]) =>
    (ids: readonly number[]) => ({ ...running(ids), prompt_length: 12, messages: [...messages] })

  it('is packed, whether another question follows or the same', async () => {
    expect((await packing(abutting, told(brief, asked, answered))).status).toBe('fail')
    const same = [...abutting.slice(0, 3), BRIEF, user('Is it red?'), assistant('No.')]
    expect((await packing(same, told(brief, asked, answered))).status).toBe('fail')
  })

  it.each<[string, readonly TurnSpec[], (ids: readonly number[]) => JsonObject]>([
    ['the messages go on', abutting, told(brief, asked, answered, { role: 'user', content: 'Is it blue?' }, answered)],
    ['the messages are those of the prompt', abutting, told(brief, asked)],
    ['the last message is another answer', abutting, told(brief, asked, { role: 'assistant', content: 'No.' })],
    ['a newline parts the two, as in one conversation', again, told(brief, asked, answered)],
    ['the messages are fewer', [user('What?'), assistant('That.'), ...abutting], told(brief, asked, answered)],
    ['positions restart', abutting, (ids) => ({ ...told(brief, asked, answered)(ids), position_ids: restarting(ids) })],
  ])('is not packed where %s', async (_, turns, more) => {
    expect((await packing(turns, more)).status).not.toBe('fail')
  })
})

describe('a row without sequence ids in which an end of a text stands before another system turn', () => {
  const END = 151643
  const KIND = system('Be kind.')
  const mixed = [...first, KIND, user('And now?'), assistant('No.')]
  /** As `packing`, with ends of a text behind the answers that are counted here, and behind the newline or before it. */
  const ended = async (
    turns: readonly TurnSpec[],
    answers: readonly number[],
    more: (ids: readonly number[], start: number) => JsonObject,
    behind = true,
  ) => {
    const tokenizer = await testTokenizer('qwen2.5')
    const pieces = answers.toSorted((a, b) => b - a)
    const { record, layout } = conversation(tokenizer, [...turns])
    const [ids, mask] = [[...record.input_ids], [...record.loss_mask!]]
    for (const answer of pieces) {
      const at = behind ? layout[answer + 1]!.start : layout[answer + 1]!.start - 1
      ids.splice(at, 0, END)
      mask.splice(at, 0, 0)
    }
    const start = ids.findLastIndex((id, i) => id === 151644 && ids[i + 1] === 8948)
    const rows = [0, 1, 2].map((id) =>
      JSON.stringify({ id: `${id}`, input_ids: ids, loss_mask: mask, ...more(ids, start) }),
    )
    const session = await audited(rows.join('\n'), { tokenizer: 'qwen2.5' }, testHost())
    const { checks, findings } = session.report()
    return {
      ...checks.find(({ code }) => code === 'S01')!,
      tokens: findings.find(({ code }) => code === 'S01')?.tokens,
      start,
    }
  }

  it.each([
    true,
    false,
  ])('has a document there over which the positions run on (behind the newline: %s)', async (behind) => {
    const { status, affected, tokens, start } = await ended(mixed, [2], running, behind)
    expect({ status, affected, at: tokens?.[0] }).toEqual({ status: 'fail', affected: 3, at: start })
    expect((await ended(again, [2], running, behind)).status).toBe('fail')
  })

  const told = (...messages: readonly TurnSpec[]) => messages.map(({ role, text }) => ({ role, content: text }))
  it.each<[string, readonly TurnSpec[], readonly number[], (ids: readonly number[], start: number) => JsonObject]>([
    ['the messages hold that turn', mixed, [2], (ids) => ({ ...running(ids), messages: told(...mixed) })],
    ['all answers have one', [...first, user('Sure?'), assistant('Yes.'), ...mixed.slice(3)], [2, 4], running],
    [
      'positions restart at it',
      mixed,
      [2],
      (ids, start) => ({ position_ids: ids.map((_, i) => (i < start ? i : i - start)) }),
    ],
    [
      'positions restart at the end before it',
      mixed,
      [2],
      (ids, start) => ({ position_ids: ids.map((_, i) => (i < start - 1 ? i : i - start + 1)) }),
    ],
    [
      'attention masks are numbered',
      mixed,
      [2],
      (ids, start) => ({ ...running(ids), attention_mask: ids.map((_, i) => (i < start - 1 ? 1 : 2)) }),
    ],
    ['a question follows it', [...first, user('Is it blue?'), assistant('No.')], [2], running],
  ])('is not packed where %s', async (_, turns, answers, more) => {
    expect((await ended(turns, answers, more)).status).not.toBe('fail')
  })
})

it('a row whose second system turn alone describes tools may be packed, and its calls lack none', async () => {
  const tokenizer = await testTokenizer('qwen2.5')
  const tools = system(withToolSchema('Answer with the help of the tool.'))
  const calls = assistant(call(tokenizer, 'search', { query: 'Who?' }))
  const turns = [tools, user('Who?'), calls, tool('It was he.'), assistant('He.')]
  expect(await packing([...first, ...turns], running)).toEqual({
    status: 'not-checkable',
    reason: expect.stringContaining('3 further conversations begin with system turns, and the positions run on'),
  })
  const rowsOf = (of: readonly TurnSpec[]) =>
    [0, 1].map((id) => JSON.stringify({ id: `${id}`, ...conversation(tokenizer, [...of]).record })).join('\n')
  const missing = async (of: readonly TurnSpec[]) =>
    (await audited(rowsOf(of), { tokenizer: 'qwen2.5' }, testHost())).report().checks.find(({ code }) => code === 'T07')
  expect((await missing([...first, ...turns]))?.status).toBe('pass')
  // Tools that are told of behind the call are none that it knew.
  expect((await missing([...first.slice(0, 2), ...turns.slice(2), ...turns]))?.status).toBe('fail')
})

/** Positions that begin anew at the last system turn. */
function restarting(ids: readonly number[]): number[] {
  const at = ids.findLastIndex((id, i) => id === 151644 && ids[i + 1] === 8948)
  return ids.map((_, i) => (i < at ? i : i - at))
}

it('a begin-of-text token with which another document of a packed row begins is a symptom of the packing', async () => {
  const tokenizer = await testTokenizer('llama3')
  const defects = async (position: (at: number, start: number) => number) => {
    const { input_ids: ids, loss_mask: mask } = conversation(tokenizer, first).record
    const rows = [0, 1, 2].map((id) =>
      JSON.stringify({
        id: `${id}`,
        input_ids: [...ids, ...ids],
        loss_mask: [...mask!, ...mask!],
        position_ids: [...ids, ...ids].map((_, at) => position(at, ids.length)),
      }),
    )
    const report = (await audited(rows.join('\n'), { tokenizer: 'llama3' }, testHost())).report()
    return report.defects.map(({ id, symptoms }) => [id, symptoms.map(({ code }) => code)])
  }
  const runOn = await defects((at) => at)
  expect(runOn).toHaveLength(1)
  expect(runOn[0]).toEqual(['S01', expect.arrayContaining(['S01', 'T01'])])
  expect(await defects((at, start) => at % start)).toEqual([])
})

it('LLaMA-Factory parts packed sequences by the numbers of the attention mask, and those of one number see each other', async () => {
  const tokenizer = await testTokenizer('qwen2.5')
  const looked = [
    BRIEF,
    user('Who?'),
    assistant(call(tokenizer, 'search', { query: 'who' })),
    tool('Ines.'),
    assistant('Ines.'),
  ]
  const { input_ids, loss_mask } = conversation(tokenizer, [...looked, ...looked]).record
  const labels = input_ids.map((token, at) => (loss_mask?.[at] === 1 ? token : -100))
  const second = conversation(tokenizer, looked).record.input_ids.length
  const statusOf = async (number: (at: number) => number) => {
    const columns = {
      attention_mask: input_ids.map((_, at) => number(at)),
      labels,
      images: null,
      videos: null,
      audios: null,
    }
    const rows = [1, 2].map(() => JSON.stringify({ input_ids, ...columns }))
    const report = (await audited(rows.join('\n'), { tokenizer: 'qwen2.5' }, testHost())).report()
    expect(report.sources[0]?.format?.id).toBe('llama-factory')
    return report.checks.find(({ code }) => code === 'S01')?.status
  }
  expect(await statusOf(() => 1)).toBe('fail')
  expect(await statusOf((at) => (at < second ? 1 : 2))).toBe('pass')
})
