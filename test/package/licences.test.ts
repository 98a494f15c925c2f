import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packageRoot } from '../../cli/package-root.ts'

interface Gate {
  carriedBy(dist: string, builds: readonly string[]): Set<string>
  licenceOf(modules: string, named: string): string
}

const script = pathToFileURL(join(packageRoot(), 'scripts', 'licence-gate.mjs')).href
const { carriedBy, licenceOf } = (await import(script)) as Gate

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-licences-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

describe('the licences of what is shipped', () => {
  it('are written as the package states them', () => {
    write('@made/up/package.json', JSON.stringify({ version: '1.0.0', license: 'ISC' }))
    write('@made/up/LICENSE.md', 'Do with it what you want.\n')
    expect(licenceOf(folder, '@made/up@1.0.0')).toBe('@made/up@1.0.0\nLicence: ISC\n\nDo with it what you want.')
  })

  it.each([
    ['GPL-3.0-only', 'GPL-3.0-only'],
    ['(MIT OR GPL-3.0-or-later)', '(MIT OR GPL-3.0-or-later)'],
    ['UNLICENSED', 'UNLICENSED'],
    ['mit', 'mit'],
    [undefined, 'no licence that it names'],
    ['', 'no licence that it names'],
    [{ type: 'MIT' }, 'no licence that it names'],
  ])('refuse a package under %j', (license, named) => {
    write('made-up/package.json', JSON.stringify({ version: '1.0.0', license }))
    write('made-up/LICENSE', 'MIT License')
    expect(() => licenceOf(folder, 'made-up@1.0.0')).toThrow(`made-up@1.0.0 is under ${named} and may not be shipped`)
  })

  it('are of the version that is in the build, and of no other', () => {
    write('made-up/package.json', JSON.stringify({ version: '2.0.0', license: 'MIT' }))
    expect(() => licenceOf(folder, 'made-up@1.0.0')).toThrow('made-up@1.0.0 is in a build, and 2.0.0 in node_modules')
  })

  it('are asked of all that any build carries, and a build that does not say is refused', () => {
    write('cli/packages/main.json', '["a@1.0.0", "b@1.0.0"]')
    write('renderer/packages/index.json', '["b@1.0.0"]')
    write('renderer/packages/worker.json', '["c@1.0.0"]')
    expect([...carriedBy(folder, ['cli', 'renderer'])]).toEqual(['a@1.0.0', 'b@1.0.0', 'c@1.0.0'])
    expect(() => carriedBy(folder, ['cli', 'electron'])).toThrow('does not say which packages')
  })
})
