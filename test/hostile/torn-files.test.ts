import { execFile, spawn } from 'node:child_process'
import { existsSync, watch } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WholeFile, writeWhole } from '../../cli/whole-file.ts'
import { searchRollouts } from '../cli/dumps.ts'

const MAIN = resolve('dist/cli/main.js')
const OLD = 'what stood here before\n'

let folder: string
const at = (...path: string[]) => join(folder, ...path)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-torn-'))
  const rollouts = await searchRollouts(40, [3, 8])
  await writeFile(at('run.jsonl'), `${rollouts.join('\n')}\n`.repeat(20))
})

afterAll(() => rm(folder, { recursive: true }))

describe('a file that is written whole', () => {
  test('has its old content until the new one is complete, and leaves nothing beside it', async () => {
    await writeFile(at('kept.txt'), OLD)
    const file = await WholeFile.create(at('kept.txt'))
    await file.write('new, and ')
    expect(await readFile(at('kept.txt'), 'utf8')).toBe(OLD)
    await file.write('whole')
    await file.commit()
    expect(await readFile(at('kept.txt'), 'utf8')).toBe('new, and whole')
    const other = await WholeFile.create(at('kept.txt'))
    await other.write('half')
    await other.discard()
    expect(await readFile(at('kept.txt'), 'utf8')).toBe('new, and whole')
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('stays a link, and keeps who may read it', async () => {
    await writeFile(at('private.txt'), OLD)
    await chmod(at('private.txt'), 0o600)
    await symlink('private.txt', at('link.txt'))
    await writeWhole(at('link.txt'), 'new')
    expect(await readFile(at('private.txt'), 'utf8')).toBe('new')
    expect((await stat(at('private.txt'))).mode & 0o777).toBe(0o600)
  })

  test.skipIf(!existsSync('/dev/full'))('says so where there is no room for it', async () => {
    await expect(writeWhole('/dev/full', 'x')).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(existsSync('/dev/full')).toBe(true)
  })
})

describe.skipIf(!existsSync(MAIN) || process.platform === 'win32')('what a command writes', () => {
  const EXPORT = [
    'export',
    'run.jsonl',
    '--flagged',
    '--as',
    'native',
    '--tokenizer',
    'qwen2.5',
    '--jobs',
    '1',
    '--out',
  ]
  const unfinished = async () => (await readdir(folder)).filter((name) => name.startsWith('.unfinished'))

  test.each([
    ['a report', ['inspect', 'run.jsonl', '--tokenizer', 'qwen2.5', '--jobs', '1', '--json', 'out']],
    ['an export', [...EXPORT, 'out.jsonl']],
    [
      'tables',
      ['export', 'run.jsonl', '--flagged', '--as', 'csv', '--tokenizer', 'qwen2.5', '--jobs', '1', '--out', 'tables'],
    ],
  ])('on a disk without room is not there by half: %s', async (_name, argv) => {
    const targets = [at('out'), at('out.jsonl')]
    for (const target of targets) await writeFile(target, OLD)
    // Files may be one block long.
    const command = ['-c', `ulimit -f 1; exec "$0" "$@"`, process.execPath, MAIN, ...argv]
    const ran = await new Promise<{ code: unknown; err: string }>((done) => {
      execFile('sh', command, { cwd: folder }, (error, _out, err) => done({ code: error?.code ?? 0, err }))
    })
    expect(ran.code, ran.err).toBe(2)
    expect(ran.err.replace(/\s+/g, ' ')).toMatch(/could not be written: .*\. Nothing of it was kept\./)
    for (const target of targets) expect(await readFile(target, 'utf8')).toBe(OLD)
    expect(await unfinished()).toEqual([])
    const tables = await readdir(at('tables')).catch(() => [])
    expect(tables.filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('is the old or the new, whole, when the command is killed at any moment', { timeout: 120_000 }, async () => {
    /** Runs the export; `killAfter`: milliseconds from when its file is begun. */
    const run = (killAfter: number | null) =>
      new Promise<void>((done) => {
        const child = spawn(process.execPath, [MAIN, ...EXPORT, 'killed.jsonl'], { cwd: folder, stdio: 'ignore' })
        const begins = watch(folder, (_kind, name) => {
          if (killAfter !== null && name?.startsWith('.unfinished')) setTimeout(() => child.kill('SIGKILL'), killAfter)
        })
        child.once('exit', () => {
          begins.close()
          done()
        })
      })
    await run(null)
    const whole = await readFile(at('killed.jsonl'), 'utf8')
    expect(whole.split('\n').length).toBeGreaterThan(20)
    let torn = 0
    for (let round = 0; round < 8; round++) {
      await writeFile(at('killed.jsonl'), OLD)
      await run(round * 5)
      expect([OLD, whole]).toContain(await readFile(at('killed.jsonl'), 'utf8'))
      const left = await unfinished()
      torn += left.length
      for (const name of left) await rm(at(name))
    }
    // Some of them were killed while the file was being written.
    expect(torn).toBeGreaterThan(0)
  })
})
