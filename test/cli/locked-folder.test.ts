import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findAll, findFiles } from '../../cli/files.ts'
import type { CommandIo } from '../../cli/io.ts'
import { listFolder, openForPage } from '../../cli/server/opening.ts'
import { ServedFiles } from '../../cli/server/served-files.ts'

// The tests may run as a person who may list every folder.
vi.mock(import('node:fs/promises'), async (importOriginal) => {
  const original = await importOriginal()
  const readdir = async (path: string, ...rest: never[]) => {
    if (basename(path) === 'locked') throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
    return (original.readdir as (...all: unknown[]) => Promise<unknown>)(path, ...rest)
  }
  return { ...original, readdir: readdir as unknown as typeof original.readdir }
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-locked-'))
  await mkdir(join(folder, 'run', 'locked'), { recursive: true })
  await writeFile(join(folder, 'run', 'a.jsonl'), '{}')
  await writeFile(join(folder, 'run', 'locked', 'b.jsonl'), '{}')
})
afterAll(() => rm(folder, { recursive: true }))

const LOCKED = 'run/locked may not be read. Check its permissions.'

describe('a folder in a folder that may not be listed', () => {
  it('costs the command line its own files alone, and is told', async () => {
    const found = await findAll(['run'], { directory: folder } as CommandIo, null)
    expect(found.files.map(({ name }) => name)).toEqual(['a.jsonl'])
    expect(found.problems).toEqual([{ name: 'run/locked', bytes: 0, code: 'read-error', message: LOCKED }])
  })

  it('named alone is told once', async () => {
    const found = await findAll(['run/locked'], { directory: folder } as CommandIo, null)
    expect(found).toEqual({
      files: [],
      again: [],
      problems: [{ name: 'run/locked', bytes: 0, code: 'read-error', message: LOCKED }],
    })
  })

  it('costs the page its own files alone, and is told', async () => {
    const opened = await openForPage(['run'], folder, new ServedFiles())
    expect(opened.files.map(({ name }) => name)).toEqual(['a.jsonl'])
    expect(opened.problems).toEqual([LOCKED])
    const listed = await listFolder(join(folder, 'run'), new ServedFiles())
    expect(listed.files.map(({ name }) => name)).toEqual(['a.jsonl'])
    expect(listed.problems).toEqual([LOCKED])
  })

  it('is an error where no file may be missing: the reports that are merged', async () => {
    await expect(findFiles('run', folder)).rejects.toThrow(LOCKED)
  })
})
