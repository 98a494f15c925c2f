import { describe, expect, test } from 'vitest'
import { type ParsedPage, parsePage } from '../../shared/notebook/markdown/page.ts'

describe('a page whose lines end as on Windows', () => {
  test('has the headings, labels, tables and fences of the same page without', () => {
    const text = [
      '# Run',
      '**Status**: open',
      '```',
      '## none, this is code',
      '```',
      '| a | b |',
      '|---|---|',
      '| 1 | 2 |',
      '',
      '---',
      'behind the break',
      '## Next ##',
    ].join('\n')
    const said = (page: ParsedPage) => ({
      sections: page.sections.map(({ level, title, ownEnd }) => [
        level,
        title,
        page.text.slice(0, ownEnd).split('\n').length,
      ]),
      labels: page.labels.map(({ name, value, lineEnd }) => [name, page.text.slice(value, lineEnd)]),
      tables: page.tables.map((rows) => rows.map(({ cells }) => cells.map((cell) => cell.text))),
      fences: page.lines.map(({ fenced, fence }) => [fenced, fence]),
    })
    const plain = said(parsePage(text))
    expect(plain.sections).toEqual([
      [1, 'Run', 10],
      [2, 'Next', 12],
    ])
    expect(plain.labels).toEqual([['status', 'open']])
    expect(said(parsePage(text.replaceAll('\n', '\r\n')))).toEqual(plain)
  })
})

describe('code within fences', () => {
  /** Of each line whether it opens (o) or closes (c) a block, lies in one (x) or in none (-). */
  const marks = (lines: readonly string[]) =>
    parsePage(lines.join('\n'))
      .lines.map(({ fenced, fence }) => (fence === 'opens' ? 'o' : fence === 'closes' ? 'c' : fenced ? 'x' : '-'))
      .join('')

  // CommonMark 0.31, 4.5.
  test.each([
    ['ends at a fence of the same kind', ['```', '~~~', '```', 'a'], 'oxc-'],
    ['ends at no shorter fence', ['````', '```', '`````', 'a'], 'oxc-'],
    ['ends at no fence with words behind it', ['```', '``` sh', '```  ', 'a'], 'oxc-'],
    ['begins with words behind the fence', ['~~~ a`b', 'x', '~~~'], 'oxc'],
    ['begins at no backticks with another one behind them', ['``` a`b', 'a', '- `c`'], '---'],
    ['begins at no fence that is set in by four', ['    ```', 'a'], '--'],
    ['goes on to the end of the page', ['```', '# no heading', '**no**: label', '| a |'], 'oxxx'],
  ])('%s', (_, lines, expected) => {
    expect(marks(lines)).toBe(expected)
  })

  test('is no heading, label or table', () => {
    const inside = ['## none', '**none**: x', '| a |', '|---|', '| 1 |']
    const { sections, labels, tables } = parsePage(['```', ...inside, '```'].join('\n'))
    expect([sections, labels, tables]).toEqual([[], [], []])
    const outside = parsePage(inside.join('\n'))
    expect([outside.sections.length, outside.labels.length, outside.tables.length]).toEqual([1, 1, 1])
  })
})

describe('a break', () => {
  /** Of each section the lines that are its own, and all of them with those of its parts. */
  const lengths = (text: string) =>
    parsePage(text).sections.map(({ title, body, ownEnd, end }) => [
      title,
      text.slice(body, ownEnd).split('\n').length - 1,
      text.slice(body, end).split('\n').length - 1,
    ])

  test('ends a section, but no dashes right under a text, which make that a heading', () => {
    expect(lengths('## A\n\n---\nx\n')).toEqual([['A', 1, 1]])
    expect(lengths('## A\ntext\n***\nx\n')).toEqual([['A', 1, 1]])
    expect(lengths('## A\ntext\n---\nx\n')).toEqual([['A', 3, 3]])
  })

  test('between a section and its own parts divides nothing', () => {
    expect(lengths('## A\na\n\n---\n\n### B\nb\n\n---\nx\n')).toEqual([
      ['A', 2, 7],
      ['B', 2, 2],
    ])
  })
})

test('a label is a bold name with a colon, and bold words alone are text', () => {
  const labels = (line: string) => parsePage(line).labels.map(({ name, isItem }) => [name, isItem])
  expect(labels('**Status**: open')).toEqual([['status', false]])
  expect(labels('- **Status:** open')).toEqual([['status', true]])
  expect(labels('**Not** a label: open')).toEqual([])
})

describe('a table', () => {
  test('has a row of dashes under its first', () => {
    expect(parsePage('| a |\n| 1 |').tables).toEqual([])
    expect(parsePage('| a |\n|:-:|').tables).toHaveLength(1)
  })

  test('has cells in which an escaped bar is a bar, and empty ones', () => {
    const [rows] = parsePage('| a \\| b |  | `c` |\n|---|---|---|').tables
    expect(rows?.[0]?.cells.map(({ text }) => text)).toEqual(['a | b', '', '`c`'])
  })
})
