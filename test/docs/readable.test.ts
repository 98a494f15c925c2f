import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageRoot } from '../../cli/package-root.ts'
import { LONGEST_LINE } from './wrapped.ts'

const root = packageRoot()
const read = (page: string) => readFileSync(join(root, page), 'utf8')
const inFolder = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))

const WRITTEN = ['README.md', ...inFolder('docs'), ...inFolder('docs/decisions')]

describe('the documentation can be read', () => {
  it.each(WRITTEN)('in lines that fit a window: %s', (page) => {
    const long = read(page)
      .split('\n')
      .filter((line) => !line.startsWith('|') && line.length > LONGEST_LINE)
    expect(long).toEqual([])
  })

  it('of performance as a reference, and not as a diary', () => {
    const lines = read('docs/performance.md').split('\n')
    expect(lines.length).toBeLessThanOrEqual(220)
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(LONGEST_LINE)
  })

  it('of performance with a measure of the bench behind each goal', () => {
    const goals = /## The goals\n(.*?)\n## /s.exec(read('docs/performance.md'))?.[1] ?? ''
    const named = [...goals.matchAll(/\| `(\w+)` \|$/gm)].map(([, name]) => name as string)
    const measures = [...read('test/bench/main.ts').matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name)
    expect(named.length).toBeGreaterThan(10)
    for (const name of named) expect(measures).toContain(name)
  })
})
