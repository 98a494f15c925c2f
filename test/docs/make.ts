import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFormatFacts } from './format-facts.ts'
import { documentationPages } from './pages.ts'
import { withQueryFields } from './query-fields.ts'
import { storiesOfFixtures } from './stories.ts'

/** `stories` writes what the fixtures say into the source, `pages` the documentation that the source then gives. */
const root = process.cwd()
if (process.argv[2] === 'stories') {
  const text = `import type { CheckStory } from './stories.ts'

/** Written by \`npm run docs\` from the fixtures of checks and defects. */
export const STORIES: Readonly<Record<string, CheckStory>> = ${JSON.stringify(storiesOfFixtures(), null, 2)}
`
  writeFileSync(join(root, 'shared', 'checks', 'reporting', 'fixture-stories.ts'), text)
} else {
  const folder = join(root, 'docs', 'checks')
  mkdirSync(folder, { recursive: true })
  const pages = documentationPages()
  for (const name of readdirSync(folder)) if (name.endsWith('.md') && !pages.has(name)) rmSync(join(folder, name))
  for (const [name, text] of pages) writeFileSync(join(folder, name), text)
  const query = join(root, 'docs', 'query.md')
  writeFileSync(query, withQueryFields(readFileSync(query, 'utf8')))
  const formats = join(root, 'docs', 'formats.md')
  writeFileSync(formats, withFormatFacts(readFileSync(formats, 'utf8'), join(root, 'test', 'fixtures', 'formats')))
}
