import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainName } from '../../electron/save-files.ts'
import { csvLine } from '../../shared/exports/csv.ts'
import { exportFileNames } from '../../shared/exports/file-names.ts'
import { REPORT_FORMATS } from '../../shared/exports/report-formats.ts'
import type { Report, SourceReport } from '../../shared/model/report.ts'
import { finding, report } from '../exports/report-fixture.ts'
import { ALL_HOSTILE, HARMLESS } from './corpus.ts'
import { csvRecords, FORMULA } from './csv-records.ts'

/** A report in which everything that a dump can say is one of `texts`, each in every place, and sentences that quote a dump quote them all. */
function reportOf(texts: readonly string[]): Report {
  const plain = report()
  const [source] = plain.sources as [SourceReport]
  const said = texts.join(' ')
  return {
    ...plain,
    checks: plain.checks.map((check) => ({ ...check, reason: check.reason === null ? null : said })),
    hypotheses: plain.hypotheses.map((verdict) => ({
      ...verdict,
      because: verdict.because.map((measure) => ({ ...measure, measure: said })),
      missing: verdict.missing.length === 0 ? [] : [said],
      would_change: [said],
      recorded_by: [said],
    })),
    sources: texts.map((text) => ({
      ...source,
      name: text,
      drift: [text],
      missing: source.missing,
      skipped: [{ record: 1, line: null, byte: 0, code: 'bad-json', message: text }],
      format: { id: 'native', version: null, confidence: 1, evidence: [text] },
      unreadable: { code: 'damaged', message: text },
    })),
    tokenizer: { id: texts.join(' '), origin: 'file', confidence: 1, evidence: [...texts] },
    findings: texts.map((text, at) =>
      finding('M01', { source: at, message: text, trajectory: text, group: text, fingerprint: `M01-${at}` }),
    ),
  }
}

const judgement = { failOn: 'error', known: new Set<string>() } as const
const written = (id: string, texts: readonly string[]) =>
  REPORT_FORMATS.find((format) => format.id === id)!.write(reportOf(texts), judgement)

/** The tags of a page and which attributes they have, without what stands in these. */
const tags = (markup: string) => new Set(markup.replace(/"[^"]*"/g, '""').match(/<[^>]*>/g))

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
const ACTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

test('there are at least 200 hostile texts, each once', () => {
  expect(ALL_HOSTILE.length).toBeGreaterThanOrEqual(200)
  expect(new Set(ALL_HOSTILE).size).toBe(ALL_HOSTILE.length)
})

describe('a report of nothing but hostile texts', () => {
  test.each(['html', 'junit'])('as %s has the tags of a harmless one, and no others', (id) => {
    const hostile = written(id, ALL_HOSTILE)
    const known = tags(written(id, HARMLESS))
    expect([...tags(hostile)].filter((tag) => !known.has(tag))).toEqual([])
    expect(hostile).not.toMatch(ACTIVE)
    // What stands outside tags holds no bare ampersand either.
    expect(hostile.replace(/&(?:amp|lt|gt|quot|#39);/g, '').replace(/<style>[\s\S]*?<\/style>/, '')).not.toContain('&')
  })

  test('as Markdown stands in code spans alone', () => {
    const hostile = written('markdown', ALL_HOSTILE)
    expect(hostile).not.toMatch(ACTIVE)
    const outside = (text: string) => new Set(text.split('\n').map(withoutCode))
    const known = outside(written('markdown', HARMLESS))
    // A sentence that quotes nothing alive is written as text, and is in a code span as a whole here.
    const isCode = (line: string) => /^ *- (?:M15: )?\u2026$/.test(line)
    expect([...outside(hostile)].filter((line) => !known.has(line) && !isCode(line))).toEqual([])
  })

  test('as SARIF has no link in a message, and no address outside the run', () => {
    const hostile = written('sarif', ALL_HOSTILE)
    expect(hostile).not.toMatch(ACTIVE)
    const messages: string[] = []
    const addresses: string[] = []
    JSON.parse(hostile, (key, value) => {
      if (key === 'message') messages.push(value.text)
      if (key === 'uri') addresses.push(value)
      return value
    })
    expect(messages.length).toBeGreaterThan(ALL_HOSTILE.length * 3)
    for (const text of messages) {
      // SARIF 2.1.0, 3.11.6: a link is [text](place), unless a bracket of it is escaped.
      expect(text).not.toMatch(/(?<!\\)\]\(/)
      expect(text).not.toMatch(ACTIVE)
    }
    const base = 'https://base.example/a/b/c/'
    for (const address of addresses) expect(new URL(address, base).href.startsWith(base), address).toBe(true)
  })
})

/** A line with its code spans (CommonMark 6.1: as many backticks at the end as at the start) replaced by a sign. */
function withoutCode(line: string): string {
  let rest = line
  let shown = ''
  for (;;) {
    const open = /`+/.exec(rest)
    if (open === null) return shown + rest
    const after = rest.slice(open.index + open[0].length)
    const close = [...after.matchAll(/`+/g)].find((run) => run[0].length === open[0].length)
    if (close === undefined) return shown + rest
    shown += `${rest.slice(0, open.index)}\u2026`
    rest = after.slice(close.index + close[0].length)
  }
}

describe('a table', () => {
  test('has one cell for each hostile text, that no spreadsheet runs', () => {
    for (const text of ALL_HOSTILE) {
      const [cells, ...others] = csvRecords(csvLine(['before', text, 'after']))
      expect(others).toEqual([])
      expect(cells).toEqual(['before', expect.any(String), 'after'])
      expect([text, `'${text}`]).toContain(cells?.[1])
      expect(cells?.[1]).not.toMatch(FORMULA)
    }
  })
})

describe('names of written files', () => {
  const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
  const isPlain = (name: string) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no name may have
    expect(name).not.toMatch(/[\u0000-\u001f<>:"/\\|?*]/)
    expect(name).not.toMatch(/^\.|[. ]$/)
    expect(name).not.toMatch(DEVICE)
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
    expect(name).not.toMatch(/\p{Surrogate}/u)
  }
  const namesOf = (names: readonly string[]) =>
    exportFileNames(
      names.map((name) => ({ name }) as SourceReport),
      'selected.jsonl',
    )

  test('are plain and apart, for all hostile names at once', () => {
    const names = namesOf(ALL_HOSTILE)
    for (const name of names) isPlain(name)
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ALL_HOSTILE.length)
  })

  test('are apart though a number that tells two apart is in the name of a third', () => {
    const names = namesOf(['run.1.jsonl', 'a/run.jsonl', 'b/run.jsonl', 'run.2.jsonl', 'c/run.1.jsonl'])
    expect(new Set(names).size).toBe(5)
  })

  test('are apart and plain, whatever the sources are called', () => {
    const piece = fc.constantFrom(
      'run',
      'RUN',
      '1',
      '.',
      '0',
      '/',
      'con',
      ' ',
      '\u6771',
      '\ud83d\ude00',
      '\u00e9',
      'e\u0301',
    )
    fc.assert(
      fc.property(fc.array(fc.string({ unit: piece, maxLength: 6 }), { minLength: 1, maxLength: 12 }), (sources) => {
        const names = namesOf(sources)
        for (const name of names) isPlain(name)
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(sources.length)
      }),
      { numRuns: 500 },
    )
  })

  test('that the page suggests to the save dialog are plain', () => {
    for (const text of ALL_HOSTILE) isPlain(plainName(text))
  })
})
