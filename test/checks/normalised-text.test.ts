import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalised, normalisedAny } from '../../shared/checks/texts/normalised-text.ts'

const piece = fc.oneof(
  fc.constantFrom(
    '\\n',
    '\\\\n',
    '\\u00e9',
    '\\u12',
    '\\',
    '\\t',
    ' ',
    '  ',
    '\n',
    'n',
    'é',
    'e\u0301',
    'ß',
    'ʰ',
    '½',
    '—',
    '漢',
    '😀',
    '\u0300',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
)

test('Latin text is normalised as any other', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = pieces.join('')
      expect(normalised(text)).toBe(normalisedAny(text))
    }),
    { numRuns: 3000 },
  )
})

test('words and digits remain, with one blank between them', () => {
  expect(normalised('  "Où\\n est-il, à 9½h?\\t" ')).toBe('Où est il à 9½h')
})
