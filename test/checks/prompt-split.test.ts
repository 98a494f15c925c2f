import { describe, expect, it } from 'vitest'
import { assistant, conversation, system, user } from '../helpers/conversation.ts'
import { type Edit, findingsOf } from './findings-of.ts'

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
