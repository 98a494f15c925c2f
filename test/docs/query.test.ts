import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseQuery } from '../../shared/query/language/parse.ts'
import { withQueryFields } from './query-fields.ts'

const page = readFileSync('docs/query.md', 'utf8')

test('docs/query.md has the fields as they are; `npm run docs` writes them', () => {
  expect(page).toBe(withQueryFields(page))
})

test('the queries of the page and of the README can be read', () => {
  const block = /\n\n((?: {4}.*\n)+)/.exec(page)?.[1] as string
  const readme = [...readFileSync('README.md', 'utf8').matchAll(/--where '([^']+)'/g)].map(
    ([, query]) => query as string,
  )
  const inline = [...page.matchAll(/`([^`\n]+)`/g)]
    .map(([, code]) => code as string)
    .filter((code) => /[a-z_]+(:|>=|<)\S/.test(code))
  const queries = [
    ...block
      .trim()
      .split('\n')
      .map((line) => line.trim()),
    ...readme,
    ...inline,
  ]
  expect(queries.length).toBeGreaterThan(15)
  for (const query of queries) expect([query, parseQuery(query).problems]).toEqual([query, []])
})
