import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applied, difference, inverse } from '../../shared/notebook/delta.ts'
import { mergeTexts } from '../../shared/notebook/merge-texts.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'

describe('two changes of one text', () => {
  test.each([
    [
      'one began it and one ended it',
      'The mask is off.',
      'Now the mask is off.',
      'The mask is off by one.',
      'Now the mask is off by one.',
    ],
    ['both added at the end', 'Seen.', 'Seen. Mine.', 'Seen. Yours.', 'Seen. Yours. Mine.'],
    ['both began to write', '', 'mine', 'yours', 'yoursmine'],
    ['one took away what stands before', 'a b c', 'b c', 'a b c d', 'b c d'],
    ['only the other changed it', 'a', 'a', 'b', 'b'],
    ['only oneself changed it', 'a', 'b', 'a', 'b'],
  ])('%s', (_, before, own, other, both) => {
    expect(mergeTexts(before, own, other)?.text).toBe(both)
  })

  test('of the same words are left to a person', () => {
    expect(mergeTexts('It is off.', 'It is on.', 'It was in.')).toBeNull()
  })

  test('keep what each of them has where they stand apart, and the place that one writes at', () => {
    const words = fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', ' ') })
    fc.assert(
      fc.property(words, words, words, words, words, (start, mine, middle, theirs, end) => {
        const before = `${start}<${middle}>${end}`
        const own = `${start}${mine}<${middle}>${end}`
        const other = `${start}<${middle}>${theirs}${end}`
        const merged = mergeTexts(before, own, other)
        expect(merged?.text).toBe(`${start}${mine}<${middle}>${theirs}${end}`)
        const place = start.length + mine.length
        expect(merged?.text.slice(0, merged.moved(place))).toBe(own.slice(0, place))
      }),
    )
  })
})

test('a change of a text goes on top of what was written there since, and so does taking it back', () => {
  const notebook = newNotebook()
  const withNotes = (notes: string, from = notebook) => ({
    ...from,
    hypotheses: from.hypotheses.map((each, at) => (at === 0 ? { ...each, notes } : each)),
  })
  const before = withNotes('Seen in turn 2.')
  const mine = difference(before, withNotes('Seen in turn 2. Not in turn 1.', before))!
  const there = withNotes('Today: Seen in turn 2.', before)
  const both = applied(there, mine)
  expect(both.hypotheses[0]?.notes).toBe('Today: Seen in turn 2. Not in turn 1.')
  expect(applied(both, inverse(mine)).hypotheses[0]?.notes).toBe('Today: Seen in turn 2.')
  const lost: string[] = []
  const other = withNotes('Seen in turn 4.', before)
  expect(applied(other, difference(before, withNotes('Seen in turn 3.', before))!, (text) => lost.push(text))).toEqual(
    withNotes('Seen in turn 3.', before),
  )
  expect(lost).toEqual(['Seen in turn 4.'])
})
