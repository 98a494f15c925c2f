import { describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, conversation, type NativeRecord, user } from '../helpers/conversation.ts'
import { findingsOf } from './findings-of.ts'

const REPLY = 'It is as red as all the others are that stand there.'

interface Response {
  /** Pieces of the response, each with its mask. */
  readonly pieces: readonly (readonly [text: string, trained: 0 | 1])[]
  /** What others said behind the question, as `messages` have it; none where the row has no messages. */
  readonly replies?: readonly string[]
  readonly end?: boolean
}

/** A question with its markers and a response that was encoded from text. */
const response = ({ pieces, replies, end = false }: Response) => {
  return (tokenizer: Tokenizer) => {
    const row = conversation(tokenizer, [user('Is it red?'), assistant('X', { end, separator: false })])
    const at = row.layout[1]!.contentStart
    const encoded = pieces.flatMap(([text, trained]) => tokenizer.encode(text).map((id) => [id, trained] as const))
    const record: NativeRecord = {
      ...row.record,
      input_ids: row.record.input_ids.toSpliced(at, 1, ...encoded.map(([id]) => id)),
      loss_mask: row.record.loss_mask!.toSpliced(at, 1, ...encoded.map(([, trained]) => trained)),
    }
    const said = (replies ?? []).flatMap((content) => [
      { role: 'tool', content },
      { role: 'assistant', content: 'Yes.' },
    ])
    if (replies !== undefined)
      record.messages = [{ role: 'user', content: 'Is it red?' }, { role: 'assistant', content: 'I look.' }, ...said]
    return [{ ...row, record }]
  }
}

const FRAMED = {
  'qwen2.5': ['\nuser\n<tool_response>\n', '\n</tool_response>\nassistant\n'],
  llama3: ['ipython\n\n"', '"assistant\n\n'],
} as const
const families = ['qwen2.5', 'llama3'] as const

describe('a response that lost its markers behind a prompt that has them', () => {
  it.each(families)('is told for %s by the message that has no turn', async (family) => {
    const [open, close] = FRAMED[family]
    const pieces = [[`I look.${open}${REPLY}${close}Yes.`, 1]] as const
    const [found, ...more] = await findingsOf('T16', family, response({ pieces, replies: [REPLY] }))
    expect(more).toEqual([])
    expect(found?.message).toMatch(/^1 turn of others stands in assistant turn 1 without markers/)
    // An end token that was appended afterwards gives the turn no others.
    expect(await findingsOf('T16', family, response({ pieces, replies: [REPLY], end: true }))).toHaveLength(1)
  })

  it.each(families)('is told for %s by a mask that leaves just the words of others out', async (family) => {
    const [open, close] = FRAMED[family]
    const pieces = [
      ['I look.', 1],
      [`${open}${REPLY}${close}`, 0],
      ['Again.', 1],
    ] as const
    const twice = [...pieces, [`${open}${REPLY}${close}`, 0], ['Yes.', 1]] as const
    const [found] = await findingsOf('T16', family, response({ pieces: twice }))
    expect(found?.message).toMatch(/^2 turns of others stand in assistant turn 1 without markers/)
  })

  it.each(families)('is not told for %s where the model may have written the names itself', async (family) => {
    const [open, close] = FRAMED[family]
    const pieces = [[`I look.${open}${REPLY}${close}Yes.`, 1]] as const
    expect(await findingsOf('T16', family, response({ pieces }))).toEqual([])
    expect(await findingsOf('T16', family, response({ pieces, replies: [] }))).toEqual([])
    expect(await findingsOf('T16', family, response({ pieces, replies: ['No other than the blue one.'] }))).toEqual([])
  })

  it.each(families)('is not told for %s from a document that quotes a chat', async (family) => {
    const [open, close] = FRAMED[family]
    const around = 'The document shows a log of two people who talk of red things at some length.'
    const quoted = `\n<information>${around}${open}${REPLY}${close}${around}</information>\n`
    const pieces = [
      ['I look.', 1],
      [quoted, 0],
      ['Yes.', 1],
    ] as const
    expect(await findingsOf('T16', family, response({ pieces }))).toEqual([])
    // Prose that names roles gives no turns.
    const prose = [
      ['It is asked by the user\n\nand then', 1],
      [' by the assistant\n\n', 0],
      ['Yes.', 1],
    ] as const
    expect(await findingsOf('T16', family, response({ pieces: prose, replies: [REPLY] }))).toEqual([])
  })

  it.each([
    ['begins with no end', '\nuser\n', 30_000, ''],
    ['begins and ends', '\nuser\n_\nassistant\n', 12_000, ''],
    ['ends where nothing is said', 'user\n\n', 30_000, ' assistant\n\n'],
  ])('costs little where the text is full of what %s', async (_, names, times, end) => {
    const pieces = [
      ['I look.', 1],
      [`${names.repeat(times)}${end}`, 0],
      ['Yes.', 1],
    ] as const
    const family = names.startsWith('\n') ? 'qwen2.5' : 'llama3'
    expect(await findingsOf('T16', family, response({ pieces }))).toHaveLength(0)
  })
})
