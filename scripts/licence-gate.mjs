import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupFailed } from './setup.mjs'

/** What may be carried in what is shipped, under these licences (SPDX). */
const ALLOWED = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'])

/**
 * `name@version` of everything that these builds say they carry (`scripts/bundled-packages.ts`). A build that says nothing
 * is refused: its packages would be shipped without their licences.
 */
export function carriedBy(dist, builds) {
  const carried = new Set()
  for (const build of builds) {
    const folder = join(dist, build, 'packages')
    const lists = existsSync(folder) ? readdirSync(folder) : []
    if (lists.length === 0) throw new SetupFailed(`${folder} does not say which packages are in that build.`)
    for (const list of lists) {
      for (const named of JSON.parse(readFileSync(join(folder, list), 'utf8'))) carried.add(named)
    }
  }
  return carried
}

/** A package with its licence, as it is written beside what is shipped. Throws a sentence where it may not be shipped. */
export function licenceOf(modules, named) {
  const at = named.lastIndexOf('@')
  const [name, version] = [named.slice(0, at), named.slice(at + 1)]
  const { license, version: installed } = manifestOf(modules, name)
  if (installed !== version) {
    throw new SetupFailed(`${named} is in a build, and ${installed} in node_modules: its licence is not at hand.`)
  }
  if (!ALLOWED.has(license)) {
    const under = typeof license === 'string' && license !== '' ? license : 'no licence that it names'
    throw new SetupFailed(`${named} is under ${under} and may not be shipped. Replace it.`)
  }
  const folder = join(modules, name)
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.|$)/i.test(entry))
  const text =
    file === undefined
      ? 'The package states its licence by name only.'
      : readFileSync(join(folder, file), 'utf8').trim()
  return `${named}\nLicence: ${license}\n\n${text}`
}

export function manifestOf(modules, name) {
  return JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'))
}
