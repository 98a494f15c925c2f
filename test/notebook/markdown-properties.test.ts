import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editHypothesis } from '../../shared/notebook/edit.ts'
import { importFolder, writeFolder } from '../../shared/notebook/markdown/folder.ts'
import { folderOf } from '../../shared/notebook/markdown/folder-files.ts'
import { parsePage } from '../../shared/notebook/markdown/page.ts'
import { bytesOfText, textOfBytes } from '../../shared/notebook/markdown/text.ts'
import type { Hypothesis } from '../../shared/notebook/model.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { DEED, minute } from './edits.ts'
import { fixtureFiles } from './fixture-folder.ts'

const { folder } = folderOf(fixtureFiles(), 'x', minute(0))!
const start = importFolder(newNotebook(), folder).notebook

const PLAIN_LINE = fc.stringMatching(/^[a-z0-9`_.,é✅ ]{1,30}$/).map((line) => `t${line.trimEnd()}`)
const PLAIN = fc.array(PLAIN_LINE, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n'))
const TEXT_FIELDS = [
  'description',
  'rootCause',
  'why',
  'invalidation',
  'questions',
  'testing',
  'related',
  'results',
  'nextAction',
] as const

describe('text of bytes', () => {
  test('gives any bytes back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(bytesOfText(textOfBytes(bytes))).toEqual(bytes)
      }),
    )
  })

  test('is what a decoder gives where that is possible', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        const plain = text.replace(/\p{Surrogate}/gu, '')
        expect(textOfBytes(new TextEncoder().encode(plain))).toBe(plain)
      }),
    )
  })

  test('keeps the forms of UTF-8 that are forbidden', () => {
    for (const bytes of [
      [0xed, 0xa0, 0x80],
      [0xc0, 0x80],
      [0xe0, 0x80, 0x80],
      [0xf0, 0x80, 0x80, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe2, 0x9c],
      [0xf0, 0x9f, 0x94, 0x84, 0x84],
    ])
      expect([...bytesOfText(textOfBytes(Uint8Array.from(bytes)))]).toEqual(bytes)
  })
})

describe('sections', () => {
  test('of any text lie inside it, one in the other', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '# A',
        '## B',
        '### C ##',
        '---',
        '***',
        '```',
        '~~~~',
        '',
        '| a | b |',
        '|---|---|',
        '**x**: y',
        '- **z:** w',
        '####### no',
      ),
      fc.string({ maxLength: 12 }),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.constantFrom('\n', '\r\n'), (lines, ending) => {
        const text = lines.join(ending)
        const page = parsePage(text)
        expect(page.lines.map(({ start, next }) => text.slice(start, next)).join('')).toBe(text)
        for (const section of page.sections) {
          const { start, titleStart, titleEnd, body, ownEnd, end } = section
          expect([start, titleStart, titleEnd, body, ownEnd, end].toSorted((a, b) => a - b)).toEqual([
            start,
            titleStart,
            titleEnd,
            body,
            ownEnd,
            end,
          ])
          expect(text.slice(titleStart, titleEnd)).toBe(section.title)
        }
        for (const { cells, end } of page.tables.flat())
          for (const cell of cells) {
            expect(text.slice(cell.start, cell.end)).toBe(cell.text)
            expect(cell.end).toBeLessThanOrEqual(end)
          }
      }),
    )
  })
})

describe('an edit', () => {
  test('of a text touches its own part, and is read again as it was written', () => {
    fc.assert(
      fc.property(fc.constantFrom(...start.hypotheses), fc.constantFrom(...TEXT_FIELDS), PLAIN, (of, field, text) => {
        if (of.file === null) return
        const changed = editHypothesis(start, of.id, { [field]: text }, { at: minute(1) })
        const { pages } = writeFolder(changed)
        if (text === of[field]) {
          expect(pages).toEqual([])
          return
        }
        expect(pages.map(({ path }) => path)).toEqual([of.file])
        const before = folder.pages.find(({ path }) => path === of.file)!.text
        const after = pages[0]!.text
        // What stood around the old text stands around the new one.
        const old = of[field].split('\n').map((line) => line.trimEnd())
        expect(without(after, [...text.split('\n'), ...old])).toEqual(without(before, [...text.split('\n'), ...old]))
        const again = importFolder(newNotebook(), {
          ...folder,
          pages: folder.pages.map((page) => (page.path === of.file ? pages[0]! : page)),
        }).notebook
        const expected: Hypothesis = { ...of, [field]: text }
        expect(again.hypotheses.find(({ id }) => id === of.id)).toEqual(expected)
        expect(again.hypotheses.filter(({ id }) => id !== of.id)).toEqual(
          start.hypotheses.filter(({ id }) => id !== of.id),
        )
      }),
      { numRuns: 150 },
    )
  })

  test('of any kind leaves the pages of all others alone, and never throws', () => {
    fc.assert(
      fc.property(fc.array(DEED, { minLength: 1, maxLength: 5 }), (deeds) => {
        const changed = deeds.reduce((notebook, deed, at) => deed(notebook, minute(at + 1)), start)
        const touched = new Set(changed.history.flatMap(({ of }) => (of.kind === 'hypothesis' ? [of.id] : [])))
        for (const { path } of writeFolder(changed).pages) {
          const owner = changed.hypotheses.find(({ file }) => file === path)
          if (owner !== undefined) expect([...touched]).toContain(owner.id)
          expect(path).not.toMatch(/ideas|template|experimental-results/)
        }
      }),
      { numRuns: 60 },
    )
  })
})

/** The lines that are neither blank, nor a heading that was added, nor a template's own words, nor one of these. */
function without(text: string, lines: readonly string[]): string[] {
  const left = new Set(lines)
  return text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !left.has(line) && !left.has(line.replace(/^\*\*[^*]+\*\*: ?/, '')))
    .filter((line) => !/^## |^\[.*\]$|^\*\*(?:Next Action|Reasoning)\*\*/.test(line))
}
