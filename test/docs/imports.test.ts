import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/** Files that a file needs to run, at its start: not types, and not what it loads later. */
const imports = new Map<string, string[]>(
  ['cli', 'electron', 'renderer', 'shared'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name): [string, string[]] => {
        const path = join(folder, name)
        const statements = readFileSync(path, 'utf8').matchAll(/^(?:import|export) (?!type )([^;]*?)from '(\.[^']+)'/gm)
        return [path, [...statements].map(([, , to = '']) => join(dirname(path), to))]
      }),
  ),
)

/** The way back to a file by its imports, null where there is none. */
function cycleFrom(start: string): string[] | null {
  const seen = new Set<string>()
  const walk = (path: string): string[] | null => {
    for (const to of imports.get(path) ?? []) {
      if (to === start) return [path, start]
      if (seen.has(to)) continue
      seen.add(to)
      const rest = walk(to)
      if (rest !== null) return [path, ...rest]
    }
    return null
  }
  return walk(start)
}

test('no file imports itself by way of others', () => {
  expect([...imports.values()].flat().length).toBeGreaterThan(2000)
  expect([...imports.keys()].flatMap((path) => (cycleFrom(path) === null ? [] : [cycleFrom(path)]))).toEqual([])
})
