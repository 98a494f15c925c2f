import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { CHECKS } from '../../shared/checks/registry.ts'
import { STORIES } from '../../shared/checks/reporting/fixture-stories.ts'
import { type CheckPage, checkPage } from '../../shared/exports/check-page.ts'
import { pageMarkdown, pageText } from '../../shared/exports/check-page-text.ts'
import { documentationPages } from './pages.ts'
import { storiesOfFixtures } from './stories.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'checks')
const pages = documentationPages()

test('the stories in the source are those of the fixtures; `npm run docs` writes them', () => {
  expect(STORIES).toEqual(storiesOfFixtures())
})

describe('docs/checks', () => {
  it('has the index and a page for each check, and nothing else', () => {
    expect(readdirSync(FOLDER).sort()).toEqual([...pages.keys()].sort())
  })

  it.each([...pages])('%s is what the checks say; `npm run docs` writes it', (name, text) => {
    expect(readFileSync(join(FOLDER, name), 'utf8')).toBe(text)
  })

  it('links to pages that are there', () => {
    const linked = [...(pages.get('README.md') ?? '').matchAll(/\]\(([^)]+)\)/g)].map(([, to]) => to)
    expect(linked).toEqual(CHECKS.map(({ code }) => `${code}.md`))
  })
})

describe('a page', () => {
  const all = CHECKS.map(({ code }) => checkPage(code) as CheckPage)

  it('says of every check why, what to do, what trips it and what does not, and by which numbers', () => {
    for (const { code, sections } of all) {
      const headings = sections.map(({ heading }) => heading)
      for (const heading of [
        'Why it matters',
        'Usual fix',
        'What trips it',
        'What looks like it and is right',
        'When it is systematic (--threshold ID=VALUE)',
        'Seen in',
      ]) {
        expect([code, headings]).toEqual([code, expect.arrayContaining([heading])])
      }
    }
  })

  it('tells what all checks share once, in the index, and leaves it short on its own', () => {
    expect(pages.get('README.md')).toContain('- `systematic-share`: 0.95 (share, 0 to 1). ')
    for (const page of all) {
      expect(pageMarkdown(page)).toContain('`systematic-share`, ')
      expect(pageMarkdown(page)).not.toContain('- `systematic-share`')
    }
    expect(pageText(all[0] as CheckPage)).toContain('checks A01` explains')
  })

  it('names the defects that explain a check', () => {
    const named = (code: string) =>
      checkPage(code)
        ?.sections.find(({ heading }) => heading === 'Defects that explain it')
        ?.items.map(({ name }) => name)
    expect(named('M15')).toContain('V1')
    expect(named('L01')).toEqual(expect.arrayContaining(['V1', 'L08']))
    expect(named('L08') ?? []).not.toContain('L08')
  })

  it('lets nothing of a template become markup, and is whole without markup too', () => {
    for (const page of all) {
      expect(pageMarkdown(page)).not.toMatch(/(?<!\\)<(?!\|?$)/)
      expect(pageText(page)).toContain(page.sections[0]?.items[0]?.text)
    }
  })

  it('is there for checks alone', () => {
    expect(checkPage('M99')).toBeNull()
    expect(checkPage('toString')).toBeNull()
  })
})
