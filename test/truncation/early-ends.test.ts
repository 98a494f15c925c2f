import { describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { assistant, conversation, type RecordOptions, system, user } from '../helpers/conversation.ts'
import { findings } from './findings.ts'

const SYSTEM = 'Answer in one sentence.'
const QUESTION = 'Who directed the film Night Harbour?'
const SAID = 'I remember a film of that name from 1961, which was shot in the port of Tarnow Mill by its director'
const ANSWER = `${SAID}, and so I am sure. <answer>Ines Valdoro</answer>`

/** A rollout that ends properly with these words, and whose last message has others. */
const told = async (text: string, content: string, more: object = {}, options: RecordOptions = {}) => {
  const messages = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: QUESTION },
    { role: 'assistant', content, ...more },
  ]
  const rows = (tokenizer: Tokenizer) => [
    conversation(tokenizer, [system(SYSTEM), user(QUESTION), assistant(text)], {
      reward: 1,
      ...options,
      more: { messages },
    }),
  ]
  return (await findings('C12', {}, {}, { rows })).findings
}

describe('an answer that was scored, of a row that ends properly before it', () => {
  it.each<[string, RecordOptions]>([
    ['nothing says that it was cut', {}],
    ['the row is said to have stopped', { finishReason: 'stop', isTruncated: false }],
  ])('is told of where %s', async (_, options) => {
    expect(await told(SAID, ANSWER, {}, options)).toMatchObject([
      {
        severity: 'warning',
        turn: 2,
        message: 'Reward 1 was given for an answer that the ids do not hold',
        evidence: { answer: '<answer>Ines Valdoro</answer>', end: 'stop', cut: 'right' },
      },
    ])
  })

  it('is told of where it is a sentence', async () => {
    const [found] = await told(SAID, `${SAID}, so the director must have been the well known Ines Valdoro.`)
    expect(found?.evidence.lost_text).toMatch(/Ines ?Valdoro/i)
  })

  it.each([
    ['the ids hold it', ANSWER, ANSWER],
    ['white space differs', ANSWER, ` ${ANSWER.replaceAll('. ', '.\n\n')}\n`],
    [
      'its message was written in other words',
      SAID,
      'Night Harbour was directed by Ines Valdoro, in 1961. <answer>Ines Valdoro</answer>',
    ],
    ['its message has a few letters more', ANSWER, `${ANSWER} (done)`],
    ['hardly anything was said', 'I', ANSWER],
  ])('is not told of where %s', async (_, text, content) => {
    expect(await told(text, content)).toEqual([])
  })

  it('is not told of where nothing was earned by it', async () => {
    expect(await told(SAID, ANSWER, {}, { reward: 0 })).toEqual([])
  })
})
