import { describe, expect, it } from 'vitest'
import { normalised } from '../../shared/checks/normalised-text.ts'
import { hasNoLines, ownLines, questionLines } from '../../shared/checks/question-lines.ts'
import { Hash64 } from '../../shared/model/hash.ts'

const digestOf = (text: string) => {
  const words = normalised(text).toLowerCase()
  return words === '' ? null : new Hash64().text(words).digest()
}
const linesOf = (text: string) => questionLines(text, digestOf)
const left = (...questions: readonly string[]) =>
  ownLines(questions.map((text) => ({ words: digestOf(text) ?? '', lines: linesOf(text) })))

const QUESTIONS = ['Who wrote Askeby?', 'Where does the Mirandel rise?', 'When was it built?']

describe('the lines of a question', () => {
  it('are told where there are several, or a label before them', () => {
    expect(linesOf('Who wrote it?')).toBeNull()
    expect(linesOf('\nWho wrote it?\n\n')).toBeNull()
    expect(linesOf('')).toBeNull()
    expect(linesOf('Who wrote it?\nAnswer in a box.')?.split(' ')).toHaveLength(3)
    expect(linesOf('**Question:** Who wrote it?')?.split(' ').slice(1)).toEqual([digestOf('who wrote it')])
    // Eight of them at most, of both ends.
    const many = linesOf(Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n'))?.split(' ') ?? []
    expect(many.slice(1)).toEqual([0, 1, 2, 3, 16, 17, 18, 19].map((i) => digestOf(`line ${i}`)))
  })

  it('of a text by the page are not told', () => {
    expect(linesOf(`Who wrote it?\n${'word '.repeat(4000)}`)).toBeNull()
  })

  it.each([
    ['a line behind', (text: string) => `${text}\nAnswer in a box.`],
    ['a paragraph before', (text: string) => `You may search.\nThink first.\n\n${text}`],
    ['lines on both sides and a label', (text: string) => `Search.\n\nQuestion: ${text}\n\nThink.\nAnswer in a box.`],
  ])('are those of the question without what stands around each, %s', (_, around) => {
    expect(left(...QUESTIONS.map(around))).toEqual(QUESTIONS.map(digestOf))
    expect(left(...QUESTIONS)).toEqual(QUESTIONS.map(digestOf))
  })

  it('that few questions of a run have are their own', () => {
    const [first, ...others] = left(`${QUESTIONS[0]}\nIt is a book.`, QUESTIONS[1] as string, QUESTIONS[2] as string)
    expect(first).not.toBe(digestOf(QUESTIONS[0] as string))
    expect(others).toEqual(QUESTIONS.slice(1).map(digestOf))
  })

  it('may be none that are its own', () => {
    const all = left('Go on.\nTake a turn.', 'Take a turn.\nGo on.', 'Go on.\nTake another turn.')
    expect(all.map(hasNoLines)).toEqual([true, true, false])
  })
})
