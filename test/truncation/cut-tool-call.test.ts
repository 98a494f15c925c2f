import { expect, it } from 'vitest'
import { auditDump } from '../checks/audit.ts'
import { type Edit, findingsOf, search } from '../checks/findings-of.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import {
  assistant,
  conversation,
  type RecordOptions,
  SEARCH_TOOL,
  system,
  user,
  withToolSchema,
} from '../helpers/conversation.ts'

/** What a dump tells of a token: the model wrote it, another did, or nothing. */
const [OTHER, MODEL, SILENT] = [0, 1, 2]

/** Findings of C07 where Llama's call stops in a string behind a token of the model, and is answered; its end and that of the answer are told so. */
async function unbraced(
  end: { told: number; loss: number },
  answer = { told: MODEL, loss: 1 },
  text = '{"name": "search", "parameters": {"query": "Ni',
) {
  const audit = await auditDump({
    story: '',
    family: 'llama3',
    rows: (tokenizer) => {
      const row = searchRow(tokenizer, 0, { call: { text } }, { sampled: true })
      const [asked, answered] = row.layout.filter(({ role }) => role === 'assistant')
      const { loss_mask: mask, sampled } = row.record
      sampled![asked!.endToken] = end.told
      mask![asked!.endToken] = end.loss
      sampled![answered!.endToken] = answer.told
      mask![answered!.endToken] = answer.loss
      return [row]
    },
  })
  return audit.byCode.get('C07')?.findings ?? []
}

it('names a call without a tag by who ended its turn, not by who wrote its last word', async () => {
  expect(await unbraced({ told: OTHER, loss: 0 })).toHaveLength(1)
  expect(await unbraced({ told: SILENT, loss: 0 })).toHaveLength(1)
})

it('names one that stops before its parameters', async () => {
  const text = '{"name": "search", "par'
  expect(await unbraced({ told: OTHER, loss: 0 }, undefined, text)).toHaveLength(1)
  expect(await unbraced({ told: MODEL, loss: 1 }, undefined, text)).toEqual([])
  expect(await unbraced({ told: OTHER, loss: 0 }, undefined, '{"name": "search"}')).toEqual([])
})

it('takes a call without a tag for the model’s own where it ended the turn, or where no end of the row is told to be its', async () => {
  expect(await unbraced({ told: MODEL, loss: 0 })).toEqual([])
  expect(await unbraced({ told: SILENT, loss: 1 })).toEqual([])
  expect(await unbraced({ told: SILENT, loss: 0 }, { told: SILENT, loss: 0 })).toEqual([])
  expect(await unbraced({ told: OTHER, loss: 0 }, { told: OTHER, loss: 0 })).toEqual([])
})

/** Findings of C07 where Qwen's first call has no closing tag, its turn an end token, and the environment answers. */
async function untagged(json: string, edit: Edit = () => ({}), options: RecordOptions = {}) {
  const call = { text: `<tool_call>\n${json}` }
  return (await findingsOf('C07', 'qwen3', search({ call }, options), edit)).length
}
const [WHOLE, BROKEN] = [
  '{"name": "search", "arguments": {"query": "Night"}}',
  '{"name": "search", "arguments": {"query": "Ni',
]

/** Sampler's and trainer's logprob of the end of the first turn; of other tokens the sampler has -0.1 in turns of the model, and `elsewhere` in others. */
const scored =
  (sampler: number, trainer: number, elsewhere = 0): Edit =>
  ({ ids, logprobs }, { layout }) => {
    const { endToken } = layout[2]!
    const isOwn = (at: number) =>
      layout.some(({ role, headerEnd, end }) => role === 'assistant' && at >= headerEnd && at < end)
    const scores = (own: number, other: number, last: number) =>
      Float32Array.from(ids ?? [], (_, at) => (at === endToken ? last : isOwn(at) ? own : other))
    return {
      logprobs: { ...logprobs, sampler: scores(-0.1, elsewhere, sampler), trainer: scores(-0.1, -0.3, trainer) },
    }
  }
const masked: Edit = ({ mask }, { layout }) => ({
  mask: mask!.map((flag, at) => (at === layout[2]!.endToken ? 0 : flag)),
})

it('takes a call for left open where the model ended its turn, whole or not', async () => {
  for (const json of [WHOLE, BROKEN]) {
    expect(await untagged(json, undefined, { sampled: true })).toBe(0)
    expect(await untagged(json, scored(-0.02, -0.02))).toBe(0)
    expect(await untagged(json, scored(0, -0.0001))).toBe(0)
  }
  expect(await untagged(WHOLE)).toBe(0)
})

it('names an open call where another wrote the end, or nothing tells who did', async () => {
  const byAnother: Edit = ({ mask }, { layout }) => ({
    sampled: mask!.map((flag, at) => (at === layout[2]!.endToken ? 0 : flag)),
  })
  for (const json of [WHOLE, BROKEN]) {
    expect(await untagged(json, byAnother)).toBe(1)
    expect(await untagged(json, masked)).toBe(1)
  }
  expect(await untagged(BROKEN)).toBe(1)
  // The trainer would not have ended the turn there, or all of the row is scored.
  expect(await untagged(BROKEN, scored(0, -9))).toBe(1)
  expect(await untagged(BROKEN, scored(-9, -9, -0.3))).toBe(1)
})

it('names an open call at a limit, whoever ended its turn', async () => {
  const ended = { sampled: true, limits: { max_completion_length: 16 } }
  expect(await untagged(BROKEN, undefined, ended)).toBe(1)
  expect(await untagged(BROKEN, undefined, { ...ended, limits: { max_completion_length: 200 } })).toBe(0)
  const last = (finishReason: string) =>
    findingsOf('C07', 'qwen3', search({ answer: { text: `<tool_call>\n${BROKEN}` } }, { sampled: true }), () => ({
      finishReason,
    }))
  expect(await last('length')).toHaveLength(1)
  expect(await last('stop')).toHaveLength(0)
})

/** Findings of C07 and M10 where a turn of the user, and none of a tool, follows a call of Llama's, the end of which another wrote or nothing tells of. */
async function toldToUser(
  said: string,
  json: string,
  end: { told: number; loss: number },
  /** `between`: another turn of the model and of the user, the end of which is as that of the first. */
  { flags = true, between = null }: { readonly flags?: boolean; readonly between?: string | null } = {},
) {
  const audit = await auditDump({
    story: '',
    family: 'llama3',
    rows: (tokenizer) => {
      const row = conversation(
        tokenizer,
        [
          system(withToolSchema('Answer with the help of the tool.')),
          user('Who directed the film Night Harbour?'),
          assistant(json),
          user(said),
          ...(between === null ? [] : [assistant(between), user(said)]),
          assistant('It is Ines Valdoro.'),
        ],
        { tools: [SEARCH_TOOL], sampled: flags },
      )
      for (const at of between === null ? [2] : [2, 4]) {
        const { endToken } = row.layout[at]!
        row.record.loss_mask![endToken] = end.loss
        if (flags) row.record.sampled![endToken] = end.told
      }
      return [row]
    },
  })
  return ['C07', 'M10'].map((code) => audit.byCode.get(code)?.findings.length)
}

const STOPS = '{"name": "search", "parameters": {"query": "where was Osk'
const APPENDED = { told: OTHER, loss: 0 }

it.each([
  'Error: the tool call could not be parsed. Write one JSON object.',
  'Unterminated string starting at: line 1 column 38 (char 37)',
  'Fehler: Der Aufruf war unvollständig.',
  '工具调用无法解析，请只写一个 JSON 对象。',
  'Wait, I meant the film of 1974.',
])('names a call that stops in the middle, ended by another, before a turn of the user: %s', async (said) => {
  for (const json of [STOPS, '{"name": "search", "par', '{"type": "function", "name": "search"']) {
    expect(await toldToUser(said, json, APPENDED)).toEqual([1, 0])
    expect(await toldToUser(said, json, { told: SILENT, loss: 0 })).toEqual([1, 0])
    expect(await toldToUser(said, json, APPENDED, { flags: false })).toEqual([1, 0])
  }
})

it('takes one for the model’s own that it ended, and for no cut one that is whole or merely wrong', async () => {
  const error = 'Error: the tool call could not be parsed.'
  for (const json of [STOPS, '{"name": "search", "par']) {
    expect(await toldToUser(error, json, { told: MODEL, loss: 1 })).toEqual([0, 0])
    expect(await toldToUser(error, json, { told: SILENT, loss: 1 }, { flags: false })).toEqual([0, 0])
  }
  for (const json of [`${STOPS}ar"}}`, `${STOPS}ar"}`, '{"name": "search", "parameters": {"query": Oskar}}'])
    expect((await toldToUser(error, json, APPENDED))[0]).toBe(0)
})

it('says nothing of one whose end is masked as that of another call is, or that names no tool', async () => {
  const options = { flags: false, between: '{"name": "search", "parameters": {"query": "Oskar"}}' }
  expect((await toldToUser('Go on.', STOPS, APPENDED, options))[0]).toBe(0)
  expect((await toldToUser('Go on.', STOPS, APPENDED, { ...options, between: STOPS }))[0]).toBe(2)
  expect((await toldToUser('Go on.', '{"name": "Oskar", "par', APPENDED))[0]).toBe(0)
})
