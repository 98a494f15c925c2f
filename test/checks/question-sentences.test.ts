import { describe, expect, it } from 'vitest'
import { normalised } from '../../shared/checks/texts/normalised-text.ts'
import { byOwnSentences, questionSentences } from '../../shared/checks/texts/question-sentences.ts'
import { Hash64 } from '../../shared/model/hash.ts'

const digestOf = (text: string) => {
  const words = normalised(text).toLowerCase()
  return words === '' ? null : new Hash64().text(words).digest()
}
const toldOf = (text: string) => questionSentences(text, digestOf)
const shortOf = (text: string) => digestOf(text)?.slice(0, 12)
const placesOf = (...questions: readonly string[]) =>
  byOwnSentences(questions.map((text) => ({ words: digestOf(text) ?? '', sentences: toldOf(text) })))
const left = (...questions: readonly string[]) => [...placesOf(...questions).keys()]

const QUESTIONS = ['Who wrote Askeby?', 'Where does the Mirandel rise', 'When was it built?']
const COUNTED = ['Ann has 48 clips. She sells half. How many are left?', 'Bob has 7. He buys 5 more. How many are it?']

describe('the sentences of a question', () => {
  it('are told where there are several', () => {
    expect(toldOf('Who wrote it?')).toBeNull()
    expect(toldOf('\nWho wrote version 1.5 of it?\n\n')).toBeNull()
    expect(toldOf('')).toBeNull()
    for (const text of [
      'Who wrote it\nAnswer in a box.',
      'Who wrote it? Answer.',
      '**Q:** Who wrote it?',
      '谁写的？请回答。',
    ]) {
      expect(toldOf(text)?.split(' ')).toHaveLength(3)
    }
    // Eight of them at most, of both ends.
    const many = toldOf(Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n'))?.split(' ') ?? []
    expect(many.slice(1)).toEqual([0, 1, 2, 3, 16, 17, 18, 19].map((i) => shortOf(`line ${i}`)))
  })

  it('of a text by the page are not told', () => {
    expect(toldOf(`Who wrote it?\n${'word '.repeat(4000)}`)).toBeNull()
  })

  it.each([
    ['a line behind', (text: string) => `${text}\nAnswer in a box.`],
    ['a paragraph before', (text: string) => `You may search.\nThink first.\n\n${text}`],
    ['a label', (text: string) => `**Question:** ${text}`],
    ['all of these', (text: string) => `Search. Question: ${text}\n\nThink step by step. Answer in a box.`],
  ])('are those of the question without what stands around each, %s', (_, around) => {
    const own = QUESTIONS.map(shortOf)
    expect(left(...QUESTIONS.map(around))).toEqual(own)
    expect(left(...QUESTIONS)).toEqual(own)
    expect(left(...COUNTED.map(around))).toEqual(left(...COUNTED))
  })

  it('are found behind the question in its own line', () => {
    const around = (text: string) => `${text} Let's think step by step and output the final answer after "####".`
    expect(left(...COUNTED.map(around))).toEqual(left(...COUNTED))
  })

  it('that few questions of a run have are their own', () => {
    const [first, ...others] = left(`${QUESTIONS[0]}\nIt is a book.`, QUESTIONS[1] as string, QUESTIONS[2] as string)
    expect(first).not.toBe(shortOf(QUESTIONS[0] as string))
    expect(others).toEqual(QUESTIONS.slice(1).map(shortOf))
  })

  it('are not a number that a run gives to each', () => {
    for (const name of ['Question', '**Problem', '#']) {
      const numbered = QUESTIONS.map((text, i) => `${name} ${i + 7}: ${text}`)
      expect(left(...numbered)).toEqual(QUESTIONS.map(shortOf))
    }
    expect(left('Question 1: Go on.', 'Question 2: Go on.')).toEqual([])
    expect(left('12. Who wrote it?', '13. Who read it?')).toEqual(['Who wrote it', 'Who read it'].map(shortOf))
  })

  it('tell none of questions that have none or the same left', () => {
    const questions = ['Go on.\nTake a turn.', 'Take a turn.\nGo on.', 'Go on.\nTake another turn.']
    expect([...placesOf(...questions).values()]).toEqual([2])
    expect(placesOf('Go on.\nWho is it?', 'Who is it?', 'Go on.\nWhere?', 'Go on.\nWhy?').size).toBe(2)
  })
})
