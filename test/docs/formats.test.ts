import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FORMATS } from '../../shared/formats/registry.ts'
import { withFormatFacts } from './format-facts.ts'

const page = readFileSync('docs/formats.md', 'utf8')
const fixtures = join('test', 'fixtures', 'formats')

test('docs/formats.md has what the importers say; `npm run docs` writes it', () => {
  expect(withFormatFacts(page, fixtures)).toBe(page)
})

test('each format has a heading of its own with words before its facts', () => {
  for (const { id } of FORMATS) {
    const written = new RegExp(`^## ${id}\\n\\n(\\w|\`)[^#]*<!-- facts of ${id} -->`, 'm')
    expect([id, written.test(page)]).toEqual([id, true])
  }
})

test('a page without a place for a format is refused', () => {
  expect(() => withFormatFacts(page.replace('<!-- facts of trl -->', ''), fixtures)).toThrow('trl')
  expect(() => withFormatFacts(page.replace('<!-- facts of trl -->', '<!-- facts of tlr -->'), fixtures)).toThrow()
})
