import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { commandLine } from './command-line.ts'
import { searchRollouts } from './dumps.ts'

// The tests may run as a person who may open every file.
vi.mock(import('node:fs/promises'), async (importOriginal) => {
  const original = await importOriginal()
  const open = async (path: string, ...rest: never[]) => {
    if (basename(path) === 'locked.jsonl') throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
    return (original.open as (...all: unknown[]) => Promise<unknown>)(path, ...rest)
  }
  return { ...original, open: open as unknown as typeof original.open }
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-unopened-'))
  await writeFile(join(folder, 'clean.jsonl'), (await searchRollouts(2, [])).join('\n'))
  await writeFile(join(folder, 'locked.jsonl'), '{}')
})
afterAll(() => rm(folder, { recursive: true }))

const LOCKED = 'locked.jsonl may not be read. Check its permissions.'
const inspect = (...argv: string[]) => commandLine(['inspect', ...argv], { directory: folder })

describe('a file that may not be opened, beside one that can be read', () => {
  it('is named in the JSON report with its size, and in what it is merged to', async () => {
    expect(await inspect('clean.jsonl', 'locked.jsonl', '--json', 'part.json')).toMatchObject({ code: 0 })
    const { sources } = JSON.parse(await readFile(join(folder, 'part.json'), 'utf8'))
    expect(sources).toMatchObject([
      { name: 'clean.jsonl' },
      { name: 'locked.jsonl', bytes: 2, records: 0, unreadable: { code: 'read-error', message: LOCKED } },
    ])
    expect((await commandLine(['merge', 'part.json'], { directory: folder })).out).toContain(LOCKED)
  })

  it('is told once in the text', async () => {
    expect((await inspect('clean.jsonl', 'locked.jsonl')).out.split(LOCKED)).toHaveLength(2)
  })

  it.each(['sarif', 'junit', 'markdown', 'html'])('is named in %s', async (format) => {
    expect((await inspect('clean.jsonl', 'locked.jsonl', '--format', format)).out).toContain(LOCKED)
  })
})

it('a file that may not be opened is the one source of a report on nothing else', async () => {
  const { code, out } = await inspect('locked.jsonl', '--format', 'junit', '--json', 'alone.json')
  expect(code).toBe(3)
  expect(out).toContain('<testsuite name="locked.jsonl"')
  expect(JSON.parse(await readFile(join(folder, 'alone.json'), 'utf8')).sources).toMatchObject([
    { name: 'locked.jsonl', unreadable: { message: LOCKED } },
  ])
})
