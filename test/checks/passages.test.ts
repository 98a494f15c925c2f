import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalisedAny } from '../../shared/checks/texts/normalised-text.ts'
import { isWrittenOut, passageOf, SearchedText } from '../../shared/checks/texts/passages.ts'

const word = fc.constantFrom(
  'Night',
  'Harbour',
  'Kelvin',
  'na\u00efve',
  'cafe\u0301',
  'u0065',
  'n',
  '1961',
  '漢字',
  'e',
)
const between = fc.constantFrom(
  ' ',
  ', ',
  '\n',
  '\\n',
  '"',
  '\\',
  '\\u',
  '\\u00',
  '\\u005c',
  '\\u0301',
  '\u0301',
  '  ',
  '',
  '\\\\',
)
const words = (most: number) =>
  fc.array(fc.tuple(word, between), { maxLength: most }).map((pairs) => pairs.flat().join(''))

/** A text as an environment may write it: as it is, as JSON, with other white space, or with every character as an escape. */
const rewritten = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => text.replaceAll(' ', '  \n'),
  (text) => text.replaceAll('e', '\\u0065'),
  (text) => text.replaceAll('K', '\u212a'),
  (text) => text.slice(1),
  (text) => text.slice(0, -1),
)

function holdsByRule(text: string, document: string, edge: number): boolean {
  const own = normalisedAny(document)
  const all = normalisedAny(text)
  return all.includes(own.slice(0, edge)) && all.includes(own.slice(-edge))
}

test('a document is found exactly where its normalised ends are in the normalised text', () => {
  let held = 0
  fc.assert(
    fc.property(
      words(6),
      words(4),
      words(4),
      rewritten,
      fc.integer({ min: 1, max: 30 }),
      (document, a, b, as, edge) => {
        const text = `${a}${as(document)}${b}`
        const holds = holdsByRule(text, document, edge)
        if (holds) held++
        expect(new SearchedText(text).holds(passageOf(document, edge))).toBe(holds)
      },
    ),
    { numRuns: 5000 },
  )
  expect(held).toBeGreaterThan(500)
})

test.each([
  ['a backslash before it takes its first letter', '\\night falls on the harbour', 'night falls on the harbour', false],
  ['an accent behind it changes its last letter', 'Night Harbour, cafe\u0301', 'Night Harbour, cafe', false],
  ['an escaped accent behind it does so too', 'Night Harbour, cafe\\u0301', 'Night Harbour, cafe', false],
  ['an escape may run out of it', 'Harbour Night \\u00e9', 'Harbour Night \\u00', false],
  ['quotes may be escaped', 'She said: \\"Harbour\\".', 'said: "Harbour"', true],
  ['its ends are enough', 'Night Harbour is … of 1961', 'Night Harbour is a film of 1961', true],
])('%s', (_, text, document, holds) => {
  expect(holdsByRule(text, document, 8)).toBe(holds)
  expect(new SearchedText(text).holds(passageOf(document, 8))).toBe(holds)
})

test('only one other character becomes a letter or digit of ASCII', () => {
  const becoming: number[] = []
  for (let point = 0x80; point < 0x110000; point++) {
    const text = String.fromCodePoint(point)
    if (/[A-Za-z0-9]/.test(text.normalize('NFC'))) becoming.push(point)
  }
  expect(becoming).toEqual([0x212a])
})

test('a part that is written out is one whose words are in the text', () => {
  let written = 0
  fc.assert(
    fc.property(words(5), words(3), words(3), (part, before, after) => {
      const text = before + part + after
      if (!isWrittenOut(text, part)) return
      written++
      expect(normalisedAny(text)).toContain(normalisedAny(part))
    }),
    { numRuns: 4000, examples: [['cafe\u0301', '', ' noir']] },
  )
  expect(written).toBeGreaterThan(100)
  expect(isWrittenOut('a cafe in the harbour', 'cafe\u0301')).toBe(false)
  expect(isWrittenOut('<|im_start|>user\nWho wrote it?<|im_end|>', 'Who wrote it?')).toBe(true)
})
