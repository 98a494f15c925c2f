import { describe, expect, it } from 'vitest'
import type { SearchChanges } from '../fixtures/checks/fixture.ts'
import { assistant, conversation, type RecordOptions, system, user } from '../helpers/conversation.ts'
import { type Edit, findingsOf, search } from './findings-of.ts'

const PADS = 18

/** Messages of S05 over one row that is padded on the left, whose stored prompt length is what `lengthOf` says of the tokens behind the padding. */
async function toldOf(answer: string | null, lengthOf: (tokens: number) => number) {
  const turns = [
    system('Answer in one line.'),
    user(
      'Who directed Night Harbour, the film that was shot in the old port in 1961 and shown in the next year, and what is it about?',
    ),
    answer === null ? assistant('', { end: false, separator: false }) : assistant(answer),
  ]
  const storedLength: Edit = ({ ids }) => ({ promptLength: lengthOf((ids?.length ?? 0) - PADS) })
  const findings = await findingsOf(
    'S05',
    'qwen2.5',
    (qwen) => [conversation(qwen, turns, { padLeft: PADS })],
    storedLength,
  )
  return findings.map(({ message }) => message.replace(/^.*: /, ''))
}

describe('S05 in a row that is padded on the left', () => {
  it('takes a prompt that reaches to the end of a row without an answer for what it is', async () => {
    expect(await toldOf(null, (tokens) => tokens)).toEqual([])
    expect(await toldOf(null, (tokens) => tokens + PADS)).toEqual([])
  })

  it('names a split that lies elsewhere, and one behind an answer that is trained', async () => {
    expect(await toldOf(null, (tokens) => tokens - PADS)).toHaveLength(1)
    expect(await toldOf('Ines Valdoro.', (tokens) => tokens)).toHaveLength(1)
  })
})

const EMPTY = '<think>\n\n</think>\n\n'

/** Messages of S05 over a row whose first turn begins with a prefill, and whose stored length lies so many tokens before its end. */
async function toldInside(
  family: 'qwen2.5' | 'qwen3',
  changes: SearchChanges,
  short: number,
  options: RecordOptions = { logprobs: 'sampler' },
) {
  const findings = await findingsOf('S05', family, search(changes, options), (_, { layout }) => ({
    promptLength: layout[2]!.contentStart - short,
  }))
  return findings.map(({ message }) => message.replace(/^.*: /, ''))
}

describe('S05 where the prompt writes into the turn of the model', () => {
  const inside = (tokens: string) => [`it lies inside the prefill of assistant turn 1, ${tokens} before its end`]

  it('names a prompt that ends inside an empty thought of the template', async () => {
    const changes = { call: { prefill: EMPTY } }
    expect(await toldInside('qwen3', changes, 1)).toEqual(inside('1 token'))
    expect(await toldInside('qwen3', changes, 3)).toEqual(inside('3 tokens'))
  })

  it('names one that ends inside a tag that is spelt, by the mask alone', async () => {
    const changes = { call: { prefill: '<think>\n' } }
    expect(await toldInside('qwen2.5', changes, 1)).toEqual(inside('1 token'))
    expect(await toldInside('qwen2.5', changes, 1, {})).toEqual(inside('1 token'))
  })

  it('takes all of it for the prompt’s or for the response’s', async () => {
    const changes = { call: { prefill: EMPTY } }
    expect(await toldInside('qwen3', changes, 0)).toEqual([])
    expect(await toldInside('qwen3', changes, 4)).toEqual([])
  })

  it('lets a model close a thought that the prompt opens', async () => {
    const closes = { call: { prefill: '<think>', text: '\n\n</think>\n\nThe Olsa.' } }
    expect(await toldInside('qwen3', closes, 0)).toEqual([])
    const behind = { call: { prefill: '<think>\n\n</think>', text: '\n\nThe Olsa.' } }
    expect(await toldInside('qwen3', behind, 0)).toEqual([])
  })

  it('does not tell by a mask alone, which may leave thoughts of the model out', async () => {
    expect(await toldInside('qwen3', { call: { prefill: EMPTY } }, 3, {})).toEqual([])
  })

  it('does not tell by a newline behind a tag that no template is known to write', async () => {
    expect(await toldInside('qwen3', { call: { prefill: '<think>\n' } }, 1)).toEqual([])
  })

  it('does not tell where the rest of the prefill is trained, which is M09', async () => {
    expect(await toldInside('qwen3', { call: { prefill: EMPTY, train: { prefill: true } } }, 1)).toEqual([])
  })
})
