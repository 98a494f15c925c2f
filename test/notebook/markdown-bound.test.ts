import { describe, expect, test } from 'vitest'
import { block, inline, inserted, oneLine, type Splice, spliced } from '../../shared/notebook/markdown/bound.ts'
import { parsePage } from '../../shared/notebook/markdown/page.ts'

/** A page with the value between two of its signs (`‹` and `›`, which are taken out) replaced. */
function rewritten(marked: string, value: string, kind: 'inline' | 2 | 3 = 2): string {
  const from = marked.indexOf('‹')
  const to = marked.indexOf('›') - 1
  const page = parsePage(marked.replace('‹', '').replace('›', ''))
  const bound = kind === 'inline' ? inline(page, from, to) : block(page, from, to, kind)
  return spliced(page.text, [bound.write(value)])
}

describe('pieces of a page', () => {
  const piece = (start: number, end: number, text: string): Splice => ({ start, end, text })

  test('are replaced in the order of their places, whatever the order they are given in', () => {
    expect(spliced('abcdef', [piece(4, 5, 'E'), piece(0, 1, 'A')])).toBe('AbcdEf')
  })

  test('that overlap: the first counts, and nothing is written twice', () => {
    expect(spliced('abcdef', [piece(2, 5, 'X'), piece(1, 3, 'Y')])).toBe('aYdef')
    expect(spliced('abcdef', [piece(1, 3, 'Y'), piece(1, 3, 'Z')])).toBe('aYdef')
  })

  test('that are inserted at one place keep their order, also beside one that is replaced there', () => {
    expect(spliced('ab', [piece(1, 1, '1'), piece(1, 1, '2')])).toBe('a12b')
    expect(spliced('abc', [piece(1, 2, 'B'), piece(1, 1, '1')])).toBe('a1Bc')
  })
})

describe('a text of its own paragraphs', () => {
  test('is read without the blank lines around it, and these stay', () => {
    const page = parsePage('## One\n\n\n  text\nmore \n\n## Two\n')
    const bound = block(page, 7, page.text.indexOf('## Two'), 2)
    expect(bound.value).toBe('  text\nmore')
    expect(spliced(page.text, [bound.write('new')])).toBe('## One\n\n\nnew \n\n## Two\n')
  })

  test('is put where there was none, with a blank line before what follows', () => {
    expect(rewritten('## One\n‹›## Two\n', 'new')).toBe('## One\n\nnew\n\n## Two\n')
    expect(rewritten('## One\n‹›', 'new')).toBe('## One\n\nnew\n')
    expect(rewritten('## One‹›', 'new')).toBe('## One\n\nnew\n')
    expect(rewritten('## One\n‹\n›## Two\n', '')).toBe('## One\n\n## Two\n')
  })

  test('has the endings of lines of its page', () => {
    const page = parsePage('## One\r\n\r\nold\r\n')
    const bound = block(page, 8, page.text.length, 2)
    expect(bound.value).toBe('old')
    expect(spliced(page.text, [bound.write('a\nb')])).toBe('## One\r\n\r\na\r\nb\r\n')
    expect(block(parsePage('a\r\nb'), 0, 4, 2).value).toBe('a\nb')
  })

  test.each([
    ['a heading of its section’s level', '## Next', '\\## Next'],
    ['a higher one', '  # Next', '  \\# Next'],
    ['a break', '---', '\\---'],
    ['a break of stars', ' * * *', ' \\* * *'],
  ])('stays in its section: %s is written as text', (_, line, written) => {
    expect(rewritten('## One\n\n‹old›\n', `a\n${line}\nb`)).toBe(`## One\n\na\n${written}\nb\n`)
    expect(
      parsePage(rewritten('## One\n\n‹old›\n\n## Two\n', `a\n${line}\nb`)).sections.map(({ title }) => title),
    ).toEqual(['One', 'Two'])
  })

  test('may have headings below its own level, and anything in a fence', () => {
    for (const text of ['### Below', '```\n## code\n---\n```', '~~~\n## code\n```\n# code\n~~~'])
      expect(rewritten('## One\n\n‹old›\n', text)).toBe(`## One\n\n${text}\n`)
    expect(rewritten('### One\n\n‹old›\n', '### Same', 3)).toBe('### One\n\n\\### Same\n')
  })

  test('closes a fence that is left open, which would take the rest of the page', () => {
    expect(rewritten('## One\n\n‹old›\n\n## Two\n', '````\ncode\n```')).toBe(
      '## One\n\n````\ncode\n```\n````\n\n## Two\n',
    )
    // Backticks behind backticks open none.
    expect(rewritten('## One\n\n‹old›\n', '``` a`b\n## Next')).toBe('## One\n\n``` a`b\n\\## Next\n')
  })
})

describe('a value on one line', () => {
  test('is read and replaced without the blanks around it', () => {
    const page = parsePage('**Status**:  open  \n')
    expect(inline(page, 11, page.text.indexOf('\n')).value).toBe('open')
    expect(rewritten('**Status**:‹  open  ›\n', 'closed', 'inline')).toBe('**Status**:  closed  \n')
  })

  test('stays on it', () => {
    expect(oneLine(' a\n\tb  c ')).toBe('a b c')
    expect(rewritten('**Status**: ‹open›\n', 'a\n## b', 'inline')).toBe('**Status**: a ## b\n')
  })

  test('where there was none stands apart from the word before it', () => {
    expect(rewritten('**Status**:‹›\n', 'open', 'inline')).toBe('**Status**: open\n')
    expect(rewritten('**Status**: ‹›\n', 'open', 'inline')).toBe('**Status**: open\n')
    expect(rewritten('**Status**:‹›\n', '', 'inline')).toBe('**Status**:\n')
  })
})

test.each([
  ['at the end of a page', 'a\n', 2, 'a\n\nnew\n'],
  ['at the end without a newline', 'a', 1, 'a\n\nnew\n'],
  ['of an empty page', '', 0, 'new\n'],
  ['before a line', 'a\n\nb\n', 3, 'a\n\nnew\n\nb\n'],
  ['before a blank line', 'a\n\nb\n', 2, 'a\n\nnew\n\nb\n'],
  ['on Windows', 'a\r\n', 3, 'a\r\n\r\nnew\r\n'],
])('what is inserted has a blank line on either side: %s', (_, text, at, written) => {
  expect(spliced(text, [inserted(parsePage(text), at, 'new')])).toBe(written)
})

describe('a page with more marks than a person writes is text alone', () => {
  const MOST = 5000

  test.each([
    ['headings', (count: number) => '# a\n'.repeat(count), 'sections'],
    ['labels', (count: number) => '**a**: b\n'.repeat(count), 'labels'],
    ['rows', (count: number) => `| a |\n|---|\n${'| b |\n'.repeat(count - 2)}`, 'tables'],
  ] as const)('%s', (_, text, kind) => {
    expect(parsePage(text(MOST))[kind].length).toBeGreaterThan(0)
    expect(parsePage(text(MOST + 1))).toMatchObject({ text: text(MOST + 1), sections: [], labels: [], tables: [] })
  })
})
