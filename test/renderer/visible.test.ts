import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cells, isRightToLeft, pieces, runs, shownId, spelt, upright, wholeId } from '../../renderer/text/visible.ts'

describe('hidden characters', () => {
  it('are spelt in what people write, but for its lines', () => {
    expect(upright('a\u0007b\u202ec\td\ne\u200d')).toBe('a␇b⟨RLO⟩c\td\ne\u200d')
  })

  it('knows text that is written from the right, and takes no sign that only turns it for such', () => {
    expect(['نهر', 'a שלום', 'ފަ'].map(isRightToLeft)).toEqual([true, true, true])
    expect(['', 'Ferrow', '\u202eabc', '漢字', '1'].some(isRightToLeft)).toBe(false)
  })

  it('leaves plain text alone', () => {
    expect(pieces('director')).toEqual([{ kind: 'plain', text: 'director' }])
    expect(pieces('')).toEqual([])
  })

  it('keeps spaces as spaces, in one piece, and newlines as their own', () => {
    expect(pieces('a  b\n')).toEqual([
      { kind: 'plain', text: 'a' },
      { kind: 'space', text: '  ' },
      { kind: 'plain', text: 'b' },
      { kind: 'newline', text: '⏎' },
    ])
  })

  it.each([
    ['\t', '⇥'],
    ['\u0000', '\u2400'],
    ['\u001b', '\u241b'],
    ['\u00a0', '⍽'],
    ['\u202e', 'RLO'],
    ['\u2066', 'LRI'],
    ['\u200b', 'ZWSP'],
    ['\u2028', 'U+2028'],
    ['\u0085', 'U+0085'],
    ['\u{e0041}', 'U+E0041'],
    ['\ud800', 'U+D800'],
  ])('spells %j as %s', (character, shown) => {
    expect(pieces(character)).toEqual([{ kind: 'mark', text: shown }])
  })

  it('never lets a control, format or separator character through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        expect(spelt(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u00a0]/u)
      }),
    )
  })

  it('splits running text at them alone, and spells them as it does in tokens', () => {
    expect(runs('one two\nthree\u202efour')).toEqual([
      { kind: 'plain', text: 'one two\nthree' },
      { kind: 'mark', text: 'RLO' },
      { kind: 'plain', text: 'four' },
    ])
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const spelling = pieces(text).map((piece) => (piece.kind === 'newline' ? '\n' : piece.text))
        expect(
          runs(text)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(spelling.join(''))
      }),
    )
  })

  it('counts the columns of what is drawn', () => {
    expect([...'a映e\u0301'].map(cells)).toEqual([1, 2, 1, 0])
    expect(cells('\u202e')).toBe('RLO'.length)
    expect(cells('\n')).toBe(1)
  })
})

it('an id in which there is nothing to see is said to be so, and a long one is cut', () => {
  expect(['', '  ', 'q1', 'a\u200bb'].map((id) => shownId(id))).toEqual(['(empty id)', '(blank id)', 'q1', 'a⟨ZWSP⟩b'])
  expect(shownId('x'.repeat(300))).toBe('x'.repeat(300))
  expect(shownId('x'.repeat(301))).toBe(`${'x'.repeat(299)}…`)
  expect(shownId('👍👍👍', 4)).toBe('👍…')
  expect(wholeId('x'.repeat(400))).toBe('x'.repeat(400))
})
