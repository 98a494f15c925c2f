import { expect, it } from 'vitest'
import type { Message } from '../../shared/model/trajectory.ts'
import type { BundledTokenizerId } from '../../shared/tokens/tokenizer.ts'
import { assistant, conversation, type RecordOptions, type TurnSpec, tool, user } from '../helpers/conversation.ts'
import { auditDump } from './audit.ts'

/** What one code says of a row whose messages are given apart from its turns. */
async function reasons(
  code: string,
  family: BundledTokenizerId,
  turns: readonly TurnSpec[],
  messages: readonly Message[],
  options: RecordOptions = {},
) {
  const rows = (tokenizer: Parameters<typeof conversation>[0]) => [
    conversation(tokenizer, turns, { ...options, more: { messages } }),
  ]
  const { byCode } = await auditDump({ story: code, family, rows })
  return byCode.get(code)!.findings.map(({ evidence }) => evidence.reason)
}

const asked = user('Which year?')
const ask: Message = { role: 'user', content: 'Which year?' }
const reply: Message = { role: 'tool', content: 'A film of 1961.' }
const end: Message = { role: 'assistant', content: 'It was 1961.' }
const calling = (call: string) => [
  user('Which year?'),
  assistant(call),
  tool('A film of 1961.'),
  assistant('It was 1961.'),
]
const toolCall = (text: string) => ({ id: 'call_0', name: 'search', arguments: text })

it('a thought that is lost where the template keeps it is not the template’s doing', async () => {
  const call = '<tool_call>\n{"name": "search", "arguments": {"query": "film"}}\n</tool_call>'
  const said: Message = {
    role: 'assistant',
    content: '',
    reasoning: 'I need the year of the film first.',
    toolCalls: [toolCall('{"query": "film"}')],
  }
  expect(await reasons('T10', 'qwen3', calling(call), [ask, said, reply, end])).toEqual(['thought-lost'])
})

it('a masked turn is no place for what the loss would learn of a lost thought or a call written again', async () => {
  const twice = '<tool_call>\n{"name": "search", "arguments": "{\\"query\\": \\"film\\"}"}\n</tool_call>'
  const said: Message = {
    role: 'assistant',
    content: '',
    reasoning: 'I need the year of the film first.',
    toolCalls: [],
  }
  const messages = [ask, said, reply, end]
  const rows = (train: boolean) => (tokenizer: Parameters<typeof conversation>[0]) => [
    conversation(tokenizer, [asked, assistant(twice, { train }), tool('A film of 1961.'), assistant('It was 1961.')], {
      more: { messages },
    }),
  ]
  for (const code of ['T10', 'T12']) {
    const [trained, masked] = [true, false].map((train) =>
      auditDump({ story: code, family: 'qwen3', rows: rows(train) }).then(({ byCode }) => byCode.get(code)!),
    )
    expect((await trained)?.findings).toHaveLength(1)
    expect((await masked)?.tally.placesChecked).toBe(0)
  }
})

it('a thought in the ids is not missing, whether tags or words tell it', async () => {
  const thought = 'I need the year of the film first.'
  const said: Message = { role: 'assistant', content: 'Let me look.', reasoning: thought }
  const messages = [ask, said, ask, end]
  const turns = (text: string) => [user('Which year?'), assistant(text), user('Which year?'), assistant('It was 1961.')]
  expect(await reasons('T10', 'qwen3', turns(`<think>\n${thought}\n</think>\n\nLet me look.`), messages)).toEqual([])
  expect(await reasons('T10', 'qwen3', turns(`${thought} Let me look.`), messages)).toEqual([])
  // Other words than the message's: the two are not the same turn.
  expect(await reasons('T10', 'qwen3', turns('Something else.'), messages)).toEqual([])
})

it('an empty thought before the last turn alone is no lost thought, and leaves the rate of those as it is', async () => {
  const turns = [
    asked,
    assistant('Let me look.'),
    asked,
    assistant('It was 1961.', { prefill: '<think>\n\n</think>\n\n' }),
  ]
  const thoughtful: Message = {
    role: 'assistant',
    content: 'Let me look.',
    reasoning: 'I need the year of the film first.',
  }
  const placesOf = async (first: Message) => {
    const rows = (tokenizer: Parameters<typeof conversation>[0]) => [
      conversation(tokenizer, turns, { more: { messages: [ask, first, ask, end] } }),
    ]
    const { byCode } = await auditDump({ story: 'T10', family: 'qwen3', rows })
    const { placesChecked, placesAffected } = byCode.get('T10')!.tally
    return [placesAffected, placesChecked]
  }
  expect(await placesOf({ role: 'assistant', content: 'Let me look.' })).toEqual([0, 0])
  expect(await placesOf(thoughtful)).toEqual([1, 1])
})

it('arguments that were encoded twice speak for themselves', async () => {
  const twice = '<tool_call>\n{"name": "search", "arguments": "{\\"query\\": \\"film\\"}"}\n</tool_call>'
  const payload = '<tool_call>\n{"name": "search", "arguments": {"body": "{\\"query\\": \\"film\\"}"}}\n</tool_call>'
  const said: Message = { role: 'assistant', content: '', toolCalls: [toolCall('{"query": "film"}')] }
  expect(await reasons('T12', 'qwen2.5', calling(twice), [ask, said, reply, end])).toEqual(['call-reserialised'])
  expect(await reasons('T12', 'qwen2.5', calling(payload), [ask, said, reply, end])).toEqual([])
  // The model wrote it that way, as its message shows.
  expect(await reasons('T12', 'qwen2.5', calling(twice), [ask, { ...said, content: twice }, reply, end])).toEqual([])
})

it('a bare call of Llama that was written again as other JSON is named as well', async () => {
  const call = '{"name": "search", "parameters": {"query": "film", "year": 1961}}'
  const spaced = '{"name":"search","parameters":{"query":"film","year":1961}}'
  const turned = '{"name": "search", "parameters": {"year": 1961, "query": "film"}}'
  const said: Message = { role: 'assistant', content: call }
  for (const again of [spaced, turned]) {
    expect(await reasons('T12', 'llama3', calling(again), [ask, said, reply, end])).toEqual(['call-reserialised'])
    expect(await reasons('T12', 'llama3', calling(again), [ask, said, reply, end], { sampled: true })).toEqual([])
    expect(await reasons('T12', 'llama3', calling(again), [ask, { ...said, content: again }, reply, end])).toEqual([])
  }
  // White space at its end is the template's to trim, and another call is none that was written again.
  expect(await reasons('T12', 'llama3', calling(call), [ask, { ...said, content: `${call}\n` }, reply, end])).toEqual(
    [],
  )
  const other = call.replace('film', 'book')
  expect(await reasons('T12', 'llama3', calling(call), [ask, { ...said, content: other }, reply, end])).toEqual([])
  // A renamed key is T13.
  const renamed = { ...said, content: call.replace('parameters', 'arguments') }
  expect(await reasons('T12', 'llama3', calling(call), [ask, renamed, reply, end])).toEqual([])
})

it('a call of Llama behind prose is compared as one alone is', async () => {
  const placesOf = async (code: string, text: string, said: Message) => {
    const rows = (tokenizer: Parameters<typeof conversation>[0]) => [
      conversation(tokenizer, calling(text), { more: { messages: [ask, said, reply, end] } }),
    ]
    const { byCode } = await auditDump({ story: code, family: 'llama3', rows })
    const { findings, tally } = byCode.get(code)!
    return [tally.placesChecked, ...findings.map(({ evidence }) => evidence.reason)]
  }
  const prose = 'I look the film up in the documents.'
  const call = '{"name": "search", "parameters": {"query": "film"}}'
  const parsed: Message = { role: 'assistant', content: prose, toolCalls: [toolCall('{"query": "film"}')] }
  const raw = (text: string): Message => ({ role: 'assistant', content: text })
  const whole = `${prose}\n\n${call}`
  const fenced = `${prose}\n\n\`\`\`json\n${call}\n\`\`\``
  for (const code of ['T12', 'T13']) {
    for (const text of [whole, fenced]) {
      expect(await placesOf(code, text, parsed)).toEqual([1])
      expect(await placesOf(code, text, raw(text))).toEqual([1])
    }
  }
  expect(await placesOf('T12', fenced, raw(fenced.replaceAll('": ', '":')))).toEqual([1, 'call-reserialised'])
  expect(await placesOf('T13', fenced, raw(fenced.replace('parameters', 'arguments')))).toEqual([1, 'key-renamed'])
  expect(await placesOf('T13', call, parsed)).toEqual([1, 'prose-dropped'])
  expect(await placesOf('T13', call, raw(whole))).toEqual([1, 'prose-dropped'])
  const renamed = raw(whole.replace('parameters', 'arguments'))
  expect(await placesOf('T13', whole, renamed)).toEqual([1, 'key-renamed'])
  expect(await placesOf('T12', whole, raw(`${prose}\n\n${call.replaceAll('": ', '":')}`))).toEqual([
    1,
    'call-reserialised',
  ])
})

it('a call with another meaning is no rewriting', async () => {
  const call = (query: string) => `<tool_call>\n{"name": "search", "arguments": {"query": "${query}"}}\n</tool_call>`
  const said: Message = { role: 'assistant', content: call('other') }
  expect(await reasons('T12', 'qwen3', calling(call('film')), [ask, said, reply, end])).toEqual([])
})

it('Llama renames the arguments, and keeps one of several calls', async () => {
  const call = '{"name": "search", "parameters": {"query": "film"}}'
  const renamed: Message = { role: 'assistant', content: '{"name": "search", "arguments": {"query": "film"}}' }
  const several: Message = { role: 'assistant', content: '', toolCalls: [toolCall('{}'), toolCall('{}')] }
  expect(await reasons('T13', 'llama3', calling(call), [ask, renamed, reply, end])).toEqual(['key-renamed'])
  expect(await reasons('T13', 'llama3', calling(call), [ask, several, reply, end])).toEqual(['calls-lost'])
  expect(await reasons('T13', 'llama3', calling(call), [ask, several, reply, end], { sampled: true })).toEqual([])
})

it('messages that do not belong to the turns say nothing', async () => {
  const call = '{"name": "search", "parameters": {"query": "film"}}'
  const said: Message = { role: 'assistant', content: 'I look it up.', toolCalls: [toolCall('{}')] }
  expect(await reasons('T13', 'llama3', calling(call), [ask, said, reply, end, ask, end])).toEqual([])
  expect(await reasons('T13', 'llama3', calling(call), [ask, said])).toEqual([])
})
