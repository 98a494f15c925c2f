import { describe, expect, it } from 'vitest'
import type { DumpView } from '../../shared/checks/check.ts'
import { T12 } from '../../shared/checks/template/call-reserialised.ts'
import type { Message } from '../../shared/model/trajectory.ts'
import type { BundledTokenizerId } from '../../shared/tokens/tokenizer.ts'
import { findUnproved } from '../helpers/at-once.ts'
import {
  assistant,
  conversation,
  type RecordOptions,
  SEARCH_TOOL,
  system,
  type TurnSpec,
  tool,
  user,
  withToolSchema,
} from '../helpers/conversation.ts'
import { auditDump } from './audit.ts'

const CALL = '<tool_call>\n{"name": "search", "arguments": {"query": "Night Harbour"}}\n</tool_call>'
const LLAMA_CALL = '{"name": "search", "parameters": {"query": "Night Harbour"}}'
const REPLY = 'Night Harbour is a film of 1961.'
const END = 'It was 1961.'
const PROSE = 'I look the film up in the documents first.'

const parsedCall = (text = '{"query": "Night Harbour"}') => ({ id: 'call_0', name: 'search', arguments: text })
const parsed = (content: string | null = ''): Message => ({ role: 'assistant', content, toolCalls: [parsedCall()] })

interface Row {
  readonly family?: BundledTokenizerId
  readonly said?: Message
  readonly reply?: Message
  readonly prompt?: string
  readonly options?: RecordOptions
}

/** What a code says of a row whose first turn has `text`, while its message is `said`: each reason, and places faulty and looked at. */
async function told(code: string, text: string, row: Row = {}) {
  const { family = 'qwen3', said = parsed(), reply, prompt = withToolSchema('Answer.'), options = {} } = row
  const turns: TurnSpec[] = [system(prompt), user('Which year?'), assistant(text), tool(REPLY), assistant(END)]
  const messages: Message[] = [
    { role: 'system', content: 'Answer.' },
    { role: 'user', content: 'Which year?' },
    said,
    reply ?? { role: 'tool', content: REPLY },
    { role: 'assistant', content: END },
  ]
  const { byCode } = await auditDump({
    story: code,
    family,
    rows: (tokenizer) => [conversation(tokenizer, turns, { tools: [SEARCH_TOOL], ...options, more: { messages } })],
  })
  const { findings, tally } = byCode.get(code)!
  return [findings.map(({ evidence }) => evidence.reason), tally.placesAffected, tally.placesChecked]
}

const LOST = [['call-lost'], 1, 1]
const NOTHING = [[], 0, 0]

describe('a call that only the message has', () => {
  it('is lost, whether the message was parsed or keeps its text', async () => {
    for (const family of ['qwen2.5', 'qwen3'] as const) {
      expect(await told('T12', PROSE, { family, said: parsed(PROSE) })).toEqual(LOST)
      expect(await told('T12', PROSE, { family, said: { role: 'assistant', content: `${PROSE}\n${CALL}` } })).toEqual(
        LOST,
      )
      expect(await told('T12', 'OK', { family })).toEqual(LOST)
      expect(await told('T12', '', { family })).toEqual(LOST)
    }
    const thought = '<think>\nI need its year.\n</think>\n\n'
    expect(await told('T12', thought, { said: { role: 'assistant', content: `${thought}${CALL}` } })).toEqual(LOST)
  })

  it('is T13 where the template is Llama’s', async () => {
    expect(await told('T13', '', { family: 'llama3' })).toEqual(LOST)
    expect(await told('T13', '', { family: 'llama3', said: { role: 'assistant', content: LLAMA_CALL } })).toEqual(LOST)
    expect(await told('T12', '', { family: 'llama3' })).toEqual(NOTHING)
  })

  it('is none that was lost where the dump proves the ids, or does not train them', async () => {
    expect(await told('T12', PROSE, { said: parsed(PROSE), options: { sampled: true } })).toEqual([[], 0, 1])
    expect(await told('T12', PROSE, { said: parsed(PROSE), options: { editMask: (mask) => mask.fill(0) } })).toEqual(
      NOTHING,
    )
  })

  it('stands in the ids in another syntax', async () => {
    expect(await told('T12', '<search>Night  Harbour</search>')).toEqual(NOTHING)
    expect(await told('T12', '```python\nsearch("Night Harbour")\n```')).toEqual(NOTHING)
    const bare: Message = { role: 'assistant', content: '', toolCalls: [parsedCall('{}')] }
    expect(await told('T12', '<search/>', { said: bare })).toEqual(NOTHING)
  })

  it('is of another turn, of another part of the conversation, or of tools that the prompt does not have', async () => {
    // Other words than the message's.
    expect(await told('T12', 'Something else.', { said: parsed(PROSE) })).toEqual(NOTHING)
    // Another reply than the one that follows.
    expect(await told('T12', 'OK', { reply: { role: 'tool', content: 'Nothing was found.' } })).toEqual(NOTHING)
    expect(await told('T12', 'OK', { reply: { role: 'user', content: REPLY } })).toEqual(NOTHING)
    expect(await told('T12', 'OK', { prompt: 'Answer.' })).toEqual(NOTHING)
  })

  it('was rejected by the parser: the ids have it, the message does not', async () => {
    const broken = CALL.replace('}}', '}')
    expect(await told('T12', `${PROSE}\n${broken}`, { said: { role: 'assistant', content: PROSE } })).toEqual([
      [],
      0,
      1,
    ])
  })
})

const DROPPED = [['prose-dropped'], 1, 1]
const SOUND = [[], 0, 1]

describe('what a message says before its call', () => {
  it('is dropped where the ids hold the call alone', async () => {
    for (const family of ['qwen2.5', 'qwen3'] as const) {
      expect(await told('T12', CALL, { family, said: parsed(PROSE) })).toEqual(DROPPED)
      expect(await told('T12', CALL, { family, said: { role: 'assistant', content: `${PROSE}\n${CALL}` } })).toEqual(
        DROPPED,
      )
    }
    const thought = '<think>\nI need its year.\n</think>\n\n'
    const said: Message = { role: 'assistant', content: `${thought}${PROSE}\n${CALL}` }
    expect(await told('T12', `${thought}${CALL}`, { said })).toEqual(DROPPED)
  })

  it('is dropped of all calls, however many have nothing before them', async () => {
    const rows = (tokenizer: Parameters<typeof conversation>[0]) =>
      [PROSE, '', ''].map((prose, i) =>
        conversation(tokenizer, [user('Which year?'), assistant(CALL), tool(REPLY), assistant(END)], {
          id: `row-${i}`,
          more: {
            messages: [
              { role: 'user', content: 'Which year?' },
              parsed(prose),
              { role: 'tool', content: REPLY },
              { role: 'assistant', content: END },
            ],
          },
        }),
      )
    const { byCode } = await auditDump({ story: 'T12', family: 'qwen3', rows })
    expect(byCode.get('T12')!.tally.byBoundary).toEqual({
      'words>parsed_call': { checked: 1, affected: 1 },
      'header>parsed_call': { checked: 2, affected: 0 },
    })
  })

  it('is not dropped where it stands in the turn, be it as a thought', async () => {
    expect(await told('T12', `${PROSE}\n${CALL}`, { said: parsed(PROSE) })).toEqual(SOUND)
    expect(await told('T12', `<think>\n${PROSE}\n</think>\n\n${CALL}`, { said: parsed(PROSE) })).toEqual(SOUND)
    expect(await told('T12', CALL, { said: parsed(null) })).toEqual(SOUND)
  })

  it('is no loss where the dump proves the ids, or the two are not the same turn', async () => {
    expect(await told('T12', CALL, { said: parsed(PROSE), options: { sampled: true } })).toEqual(SOUND)
    expect(await told('T12', `Let me look.\n${CALL}`, { said: parsed(PROSE) })).toEqual(SOUND)
    expect(await told('T12', CALL.replace('Night', 'Day'), { said: parsed(PROSE) })).toEqual(SOUND)
  })

  it('is the call in other words', async () => {
    expect(await told('T12', CALL, { said: parsed('search(query="Night Harbour")') })).toEqual(SOUND)
    expect(await told('T12', CALL, { said: parsed('Searching for: Night Harbour') })).toEqual(SOUND)
  })
})

describe('a call of which the message has no text', () => {
  /** Why T12 proves nothing of such a row; null where it does. */
  async function unproved(said: Message, options: RecordOptions = {}): Promise<string | null> {
    const messages: Message[] = [
      { role: 'user', content: 'Which year?' },
      said,
      { role: 'tool', content: REPLY },
      { role: 'assistant', content: END },
    ]
    const turns = [user('Which year?'), assistant(CALL), tool(REPLY), assistant(END)]
    const { byCode } = await auditDump({
      story: 'T12',
      family: 'qwen3',
      rows: (tokenizer) => [conversation(tokenizer, turns, { ...options, more: { messages } })],
    })
    const { tally } = byCode.get('T12')!
    expect([tally.placesAffected, tally.placesChecked]).toEqual([0, 1])
    // Nothing else of the dump is asked.
    return findUnproved(T12, tally, {} as DumpView)
  }

  it('may have been written again, which nothing shows', async () => {
    expect(await unproved(parsed())).toMatch(/only as they were parsed.*none of 1 call has/)
  })

  it('was not written again where its text is there, or the ids are proved', async () => {
    expect(await unproved({ role: 'assistant', content: CALL })).toBeNull()
    expect(await unproved(parsed(), { sampled: true })).toBeNull()
  })
})
