import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTerminal, displayWidth, printTable } from '../../cli/terminal.ts'

function terminalOn(stream: { isTTY?: boolean; columns?: number }, env: Record<string, string> = {}) {
  const written: string[] = []
  const terminal = createTerminal({ ...stream, write: (text) => written.push(String(text)) }, env)
  return { terminal, text: () => written.join('') }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
const ACTIVE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/

describe('text of a dump on a terminal', () => {
  const hostile = [
    '\u001b[2J\u001b[31mgone',
    '\u001b]0;title\u0007',
    '\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u001b\\',
    '\u009b31m',
    'over\rwritten',
    'back\b\b\bspace',
    'a\u202etxt.exe',
    '\u2066isolate\u2069',
    'line\u2028separator',
    '\ud800 unpaired',
    'tab\tand\nnewline',
  ]

  test.each(hostile)('%j does nothing', (text) => {
    const { terminal, text: written } = terminalOn({ isTTY: false })
    terminal.line([text, { text, style: 'bad' }])
    expect(written()).not.toMatch(ACTIVE)
    expect(written().split('\n')).toHaveLength(2)
  })

  test('any text comes out without a character that a terminal obeys, on no more rows than it needs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 40, max: 100 }), (text, columns) => {
        const { terminal, text: written } = terminalOn({ columns })
        terminal.line([{ text, style: 'bad' }], 4)
        expect(written()).not.toMatch(ACTIVE)
        for (const row of written().split('\n')) expect(displayWidth(row)).toBeLessThanOrEqual(columns)
      }),
    )
  })

  test('ordinary text in any script is left alone', () => {
    const { terminal, text } = terminalOn({})
    const line = 'naïve 東京 العربية हिन्दी 👩‍👩‍👧 می‌خواهم'
    terminal.line(line)
    expect(text()).toBe(`${line}\n`)
  })
})

describe('drawing', () => {
  test('colour is for terminals only', () => {
    const { terminal, text } = terminalOn({ isTTY: false })
    terminal.line([{ text: 'bad', style: 'bad' }])
    expect(text()).toBe('bad\n')
  })

  test('colour on a terminal, and none with NO_COLOR', () => {
    const coloured = terminalOn({ isTTY: true, columns: 80 })
    coloured.terminal.line([{ text: 'bad', style: 'bad' }])
    expect(coloured.text()).toBe('\u001b[31;1mbad\u001b[0m\n')
    const plain = terminalOn({ isTTY: true, columns: 80 }, { NO_COLOR: '1' })
    plain.terminal.line([{ text: 'bad', style: 'bad' }])
    expect(plain.text()).toBe('bad\n')
  })

  test('long lines break at spaces and hang', () => {
    const { terminal, text } = terminalOn({ columns: 40 })
    terminal.line(`start ${'word '.repeat(12)}`, 6)
    const rows = text().trimEnd().split('\n')
    expect(rows.length).toBeGreaterThan(1)
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(40)
    for (const row of rows.slice(1)) expect(row).toMatch(/^ {6}word/)
  })

  test('a number and its per cent stay on one row', () => {
    const { terminal, text } = terminalOn({ columns: 40 })
    terminal.line('rollouts within 10 tokens of limits 31.3 % (threshold > 20 %)', 2)
    expect(text()).toBe('rollouts within 10 tokens of limits\n  31.3 % (threshold > 20 %)\n')
  })

  test('a word longer than a row is cut, and nothing of it is lost', () => {
    const { terminal, text } = terminalOn({ columns: 40 })
    const word = Array.from({ length: 130 }, (_, i) => i % 10).join('')
    terminal.line(word, 2)
    expect(text().replace(/\n( {2})?/g, '')).toBe(word)
  })

  test('wide characters count twice', () => {
    expect(displayWidth('東京')).toBe(4)
    expect(displayWidth('e\u0301')).toBe(1)
  })

  test('a last column without room goes on below, in whole words', () => {
    const { terminal, text } = terminalOn({ columns: 60 })
    printTable(terminal, ['a', 'b'], [['x'.repeat(52), 'some words that find no place']])
    expect(text()).toMatch(/^ {30}words that find no place$/m)
  })

  test('blanks behind a full row are no row', () => {
    const { terminal, text } = terminalOn({ columns: 40 })
    terminal.line(['a'.repeat(20), ' ', 'b'.repeat(19), '  ', ''])
    terminal.line(['a'.repeat(20), ' ', 'b'.repeat(19), '  ', 'A01'])
    expect(text()).toBe(`${'a'.repeat(20)} ${'b'.repeat(19)}\n${'a'.repeat(20)} ${'b'.repeat(19)}\nA01\n`)
  })

  test('blanks at the end of a row are left out inside of a style as well: in a narrow window they were a row', () => {
    const { terminal, text } = terminalOn({ isTTY: true, columns: 40 })
    printTable(terminal, ['code', 'needs', 'fault'], [['M01', 'x'.repeat(60), 'some words']])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are left out
    const rows = text().replace(/\u001b\[[\d;]*m/g, '')
    for (const row of rows.split('\n')) expect(row.length).toBeLessThanOrEqual(40)
    expect(rows).not.toMatch(/ $/m)
  })

  test('a last column with room wraps under its heading, also in the right half', () => {
    const { terminal, text } = terminalOn({ columns: 60 })
    printTable(terminal, ['a', 'b'], [['x'.repeat(34), 'words that go on in a second line']])
    expect(text()).toMatch(/^ {36}second line$/m)
  })

  test('a table lines up', () => {
    const { terminal, text } = terminalOn({})
    printTable(
      terminal,
      ['code', 'what'],
      [
        ['M01', 'one'],
        ['東', 'two'],
      ],
    )
    expect(text()).toBe('code  what\nM01   one\n東    two\n')
  })
})
