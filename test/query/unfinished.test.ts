import { expect, test } from 'vitest'
import { unfinishedField } from '../../shared/query/language/unfinished.ts'

const said = (text: string, from = 0) => unfinishedField(text, { from, to: text.length })

test.each([
  ['rewar', '`rewar` may be the beginning of `reward`, which needs a value, as in `reward>=0.5`.'],
  ['exclu', '`exclu` may be the beginning of `excluded`.'],
  ['Trained_', '`Trained_` may be the beginning of `trained_tokens` or `trained_share`.'],
  ['tr', '`tr` may be the beginning of `trained_tokens`, `trained_share` or `truncated`.'],
])('what begins a field is asked about: %s', (text, sentence) => {
  expect(said(text)?.message).toBe(`${sentence} Enter once more searches for it as a text.`)
})

test('in the columns where it stands, with what may follow', () => {
  expect(said('reward>0 sequence_l', 9)).toMatchObject({
    from: 9,
    to: 19,
    expected: expect.arrayContaining(['sequence_left<=']),
  })
})

test.each(['', 'Paris', 'reward', 'flagged', 'the'])('a text is a text: %j', (text) => {
  expect(said(text)).toBeNull()
})
