import { describe, expect, it } from 'vitest'
import type { BundledTokenizerId, Tokenizer } from '../../shared/tokens/tokenizer.ts'
import {
  assistant,
  type Conversation,
  call,
  conversation,
  system,
  type TurnSpec,
  tool,
  user,
} from '../helpers/conversation.ts'
import { type Edit, resultOf } from './findings-of.ts'

const BRIEF = 'Be brief.'
const again = (row: Conversation) => row.layout[5]!.start

/** The turns of a conversation that looks something up. */
const conversationOf = (tokenizer: Tokenizer, question: string): TurnSpec[] => [
  system(BRIEF),
  user(question),
  assistant(call(tokenizer, 'search', { query: question })),
  tool('By Ines Valdoro.'),
  assistant('Ines Valdoro.'),
]

const packed = (tokenizer: Tokenizer) => [...conversationOf(tokenizer, 'Who?'), ...conversationOf(tokenizer, 'Where?')]

const running: Edit = ({ ids }) => ({ positionIds: Int32Array.from(ids!, (_, at) => at) })
const restarting: Edit = ({ ids }, row) => ({
  positionIds: Int32Array.from(ids!, (_, at) => (at >= again(row) ? at - again(row) : at)),
})

/** How often each code is found in two rows. */
async function found(family: BundledTokenizerId, turns: (tokenizer: Tokenizer) => TurnSpec[], edit: Edit) {
  const rows = (tokenizer: Tokenizer) => [0, 1].map(() => conversation(tokenizer, turns(tokenizer)))
  const counts: Record<string, number> = {}
  for (const code of ['S01', 'T01', 'T09']) counts[code] = (await resultOf(code, family, rows, edit)).findings.length
  return counts
}

describe('a row of whole conversations without sequence ids', () => {
  it('leaks where its positions run on, and no system turn is repeated', async () => {
    expect(await found('qwen2.5', packed, running)).toEqual({ S01: 2, T01: 0, T09: 0 })
    expect(await found('qwen3', packed, running)).toEqual({ S01: 2, T01: 0, T09: 0 })
  })

  it('leaks as well behind one that ended with a call', async () => {
    const cut = (t: Tokenizer) => [
      ...packed(t),
      ...conversationOf(t, 'When?').slice(0, 3),
      ...conversationOf(t, 'Why?'),
    ]
    expect(await found('qwen2.5', cut, running)).toEqual({ S01: 2, T01: 0, T09: 0 })
  })

  it('is sound where they begin anew, and is not judged without them', async () => {
    expect(await found('qwen2.5', packed, restarting)).toEqual({ S01: 0, T01: 0, T09: 0 })
    expect(await found('qwen2.5', packed, () => ({}))).toEqual({ S01: 0, T01: 0, T09: 0 })
  })

  it.each<[string, (tokenizer: Tokenizer) => TurnSpec[], Edit]>([
    ['a reply has the system turn, too', (t) => packed(t).toSpliced(8, 0, system(BRIEF)), running],
    ['a question has none', (t) => [...packed(t), user('And why?'), assistant('For a film.')], running],
    ['no reply shows what stands before it', (t) => packed(t).filter((_, at) => ![2, 3, 7, 8].includes(at)), running],
    ['the answer before it is open', (t) => packed(t).with(4, assistant('Ines.', { end: false })), running],
    ['its messages are one conversation', packed, (...of) => ({ ...running(...of), messages: [] })],
    ['the length of its prompt is stored', packed, (...of) => ({ ...running(...of), promptLength: 9 })],
  ])('is one with a system turn that is there again where %s', async (_, turns, edit) => {
    expect(await found('qwen2.5', turns, edit)).toEqual({ S01: 0, T01: 0, T09: 2 })
  })
})

it('the begin-of-sequence token of a further conversation is its own', async () => {
  const withBos: Edit = ({ ids, mask }, row) => {
    const spliced = (of: ArrayLike<number>, value: number) => Array.from(of).toSpliced(again(row), 0, value)
    const tokens = Int32Array.from(spliced(ids!, 128000))
    return {
      ids: tokens,
      mask: Uint8Array.from(spliced(mask!, 0)),
      arrays: [],
      positionIds: tokens.map((_, at) => at),
    }
  }
  expect(await found('llama3', packed, withBos)).toEqual({ S01: 2, T01: 0, T09: 0 })
  const isOpen = (t: Tokenizer) => packed(t).with(4, assistant('Ines Val', { end: false }))
  expect(await found('llama3', isOpen, withBos)).toEqual({ S01: 2, T01: 0, T09: 0 })
  const replied = (t: Tokenizer) => isOpen(t).toSpliced(8, 0, system(BRIEF))
  expect(await found('llama3', replied, withBos)).toMatchObject({ S01: 0, T01: 2 })
  const single = (t: Tokenizer) => packed(t).filter((_, at) => at !== 5)
  expect(await found('llama3', single, withBos)).toMatchObject({ T01: 2 })
})
