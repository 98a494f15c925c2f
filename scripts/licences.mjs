import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { carriedBy, licenceOf, manifestOf } from './licence-gate.mjs'
import { announce, BUNDLES, ensureBuilt, ensureInstalled, main, root, TOKENIZERS } from './setup.mjs'
import { termsOf } from './tokenizer-terms.mjs'

// Writes dist/THIRD-PARTY-LICENCES.txt: every package that the builds carry with its licence. Fails on one that may not be carried.
await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  const dist = join(root, 'dist')
  const modules = join(root, 'node_modules')
  // Tokenizers are copied, which no bundler tells of.
  const copied = Object.values(TOKENIZERS).map((name) => `${name}@${manifestOf(modules, name).version}`)
  const carried = new Set([...carriedBy(dist, BUNDLES), ...copied])
  const texts = [...carried].sort().map((named) => licenceOf(modules, named))
  const terms = Object.keys(TOKENIZERS).map(termsOf)
  writeFileSync(join(dist, 'THIRD-PARTY-LICENCES.txt'), `${[...terms, ...texts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
  announce(
    `Licences of ${texts.length} packages and ${terms.length} tokenizers written to dist/THIRD-PARTY-LICENCES.txt`,
  )
  return 0
})
