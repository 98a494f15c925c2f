import { describe, expect, test } from 'vitest'
import { exportFileNames } from '../../shared/exports/file-names.ts'
import { jsonText } from '../../shared/exports/json-text.ts'
import { markdownCode, markdownSentence, markupText } from '../../shared/exports/markup.ts'
import { measureText, whereText } from '../../shared/exports/phrases.ts'
import { visibleText } from '../../shared/exports/visible-text.ts'
import { count, percent, tokensText } from '../../shared/model/number-text.ts'
import type { SourceReport } from '../../shared/model/report.ts'
import { finding, report } from './report-fixture.ts'

const named = (...names: string[]) => names.map((name) => ({ name }) as SourceReport)

describe('names of exported files', () => {
  test.each([
    [['step_12.jsonl.gz'], ['step_12.x.jsonl']],
    [
      ['a/run.jsonl', 'b/run.jsonl'],
      ['run.0.x.jsonl', 'run.1.x.jsonl'],
    ],
    [['../../etc/passwd'], ['passwd.x.jsonl']],
    [['..\\..\\evil.jsonl'], ['evil.x.jsonl']],
    [['...'], ['rollouts.x.jsonl']],
    [['what?*:.json'], ['what_.x.jsonl']],
    [['standard input'], ['standard_input.x.jsonl']],
  ])('%j', (names, expected) => {
    expect(exportFileNames(named(...names), 'x.jsonl')).toEqual(expected)
  })
})

describe('JSON as Python writes it', () => {
  test('typed arrays, special numbers and minus zero', () => {
    const value = { ids: Int32Array.from([1, 2]), x: [Number.NaN, Number.NEGATIVE_INFINITY, -0, null], gone: undefined }
    expect(jsonText(value)).toBe('{"ids": [1, 2], "x": [NaN, -Infinity, -0.0, null]}')
  })

  test('is JSON wherever JSON can say it', () => {
    const value = { a: [1.5, 'x\u2028"', { b: null, __proto__x: true }], c: {} }
    expect(JSON.parse(jsonText(value))).toEqual(value)
  })
})

/** First and last of what acts on a terminal, a page or a reader without being seen (Unicode 16: Cc, Cf, Cs, Zl, Zp). */
const ACTIVE_RANGES = [
  ['controls', 0x00, 0x1f],
  ['delete and the controls beside it, CSI and OSC among them', 0x7f, 0x9f],
  ['soft hyphen', 0xad, 0xad],
  ['Arabic letter mark', 0x61c, 0x61c],
  ['Mongolian vowel separator', 0x180e, 0x180e],
  ['zero width space', 0x200b, 0x200b],
  ['direction marks', 0x200e, 0x200f],
  ['line separators, embeddings and overrides', 0x2028, 0x202e],
  ['invisible operators and isolates', 0x2060, 0x206f],
  ['byte order mark', 0xfeff, 0xfeff],
  ['interlinear marks', 0xfff9, 0xfffb],
  ['tags', 0xe0000, 0xe007f],
  ['halves of characters', 0xd800, 0xdfff],
] as const

describe('text that is shown', () => {
  test.each(ACTIVE_RANGES)('has a sign for each of: %s', (_, first, last) => {
    for (let code = first; code <= last; code++) {
      const shown = visibleText(`a${String.fromCodePoint(code)}b`)
      expect(shown, code.toString(16)).toMatch(/^a(?:[\u2400-\u2421]|\u2039U\+[0-9A-F]{4,5}\u203a)b$/)
    }
  })

  test('is as it was in any script, joiners and emoji included', () => {
    for (const text of [
      'naïve 東京 नमस्ते',
      '\u0645\u200c\u0645',
      '👩\u200d🔬',
      '\u00a0\u2027\u202f\ufff8\ufffc\u{e0100}',
    ])
      expect(visibleText(text)).toBe(text)
  })
})

describe('markup', () => {
  test('nothing of a dump is markup', () => {
    expect(markupText('<script>"x"&\'</script>\u0000')).toBe(
      '&lt;script&gt;&quot;x&quot;&amp;&#39;&lt;/script&gt;\u2400',
    )
    // No XML may have these two.
    expect(markupText('\ufffe\uffff')).toBe('\ufffd\ufffd')
  })

  test('a code span outlasts the backticks in it', () => {
    expect(markdownCode('a')).toBe('`a`')
    expect(markdownCode('a``b`\nc')).toBe('``` a``b`\u240ac ```')
  })

  test.each([
    [
      'for: share of max_seq_len 4096: 31 % (threshold > 20 %)',
      'for: share of max_seq_len 4096: 31 % (threshold \\> 20 %)',
    ],
    ['dump it as `step_id`, or a*b', 'dump it as `step_id`, or a\\*b'],
    ['fits at 12:30: 5 of 9 for $5', 'fits at 12:30: 5 of 9 for $5'],
    ['hash deadbeef, an id of 16 digits', 'hash deadbeef, an id of 16 digits'],
    ['_nothing_ is <b>bold</b> & [linked](x)', '\\_nothing\\_ is \\<b\\>bold\\</b\\> \\& \\[linked\\](x)'],
  ])('a sentence stays text, names in it are code: %s', (text, written) => {
    expect(markdownSentence(text)).toBe(written)
  })

  test.each([
    'ask @someone',
    'see https://a.example',
    'WWW.a.example',
    'as in #12',
    'GH-12',
    `since ${'0a1b2c3d'.repeat(5)}`,
    'well done :tada:',
    ':+1: from all',
    'costs $x^2$ of it',
    '$$x$$',
    '- a list',
    '1. a list',
    'one ` alone',
    '``',
  ])('a sentence that would come alive is code: %s', (text) => {
    expect(markdownSentence(text)).toBe(markdownCode(text))
  })
})

describe('numbers for people', () => {
  test.each([
    [0, '0 %'],
    [0.00001, 'under 0.1 %'],
    [0.046875, '4.7 %'],
    [0.5, '50 %'],
    [0.99999, 'over 99.9 %'],
    [1, '100 %'],
    [null, 'unknown'],
  ])('%s is %s', (share, text) => {
    expect(percent(share)).toBe(text)
  })

  test('thousands are marked', () => {
    expect(count(910233)).toBe('910,233')
  })
})

test('a range of tokens is told with both ends in it, one token by its number', () => {
  expect([tokensText(310, 311), tokensText(310, 315), tokensText(5, 5)]).toEqual([
    'token 310',
    'tokens 310–314',
    'token 5',
  ])
})

test('a scheme of advantages is called in reports what the page calls it', () => {
  const told = (value: string) =>
    measureText({ measure: 'advantage scheme', value, threshold: null, comparison: '=', checks: [], speaks: 'against' })
  expect(told('centre (fits 100 % of 12 groups)')).toBe('against: advantage scheme: centred (fits 100 % of 12 groups)')
  expect(told('group-std-unbiased, eps 0.0001')).toBe('against: advantage scheme: group std, eps 0.0001')
  expect(told('unknown')).toBe('against: advantage scheme: unknown')
})

describe('where a finding is', () => {
  const ofAll = finding('A09', { record: null, part: null, trajectory: null, group: null, turn: null, tokens: null })
  const { sources } = report()

  test.each([
    ['the file, where it has no other place', sources, ofAll, 'step 12.jsonl'],
    [
      'within the only file, without its name',
      sources,
      finding('M01'),
      'record 12, rollout q3, turn 2, tokens 410–654',
    ],
    ['the file alone, of several', [...sources, ...named('b.jsonl')], { ...ofAll, source: 1 }, 'b.jsonl'],
    ['a group', sources, { ...ofAll, group: '7' }, 'group 7'],
    [
      'a group of one of several',
      [...sources, ...named('b.jsonl')],
      { ...ofAll, source: 1, group: '7' },
      'b.jsonl, group 7',
    ],
    [
      'a group that is told by its file',
      [...sources, ...named('b.jsonl')],
      { ...ofAll, source: 1, group: '7 (b.jsonl, step 3)' },
      'group 7 (b.jsonl, step 3)',
    ],
  ])('%s', (_, sources, finding, text) => {
    expect(whereText(report({ sources }), finding)).toBe(text)
  })
})
