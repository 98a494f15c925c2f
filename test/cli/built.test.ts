import { execFile, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { searchRollouts } from './dumps.ts'

/** The command as it is installed; `npm test` builds it first. */
const MAIN = resolve('dist/cli/main.js')

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-built-'))
  const rollouts = await searchRollouts(40, [3, 8])
  await writeFile(join(folder, 'small.jsonl'), `${rollouts.join('\n')}\n`)
  // Large enough for worker threads to be worth their start.
  const repeats = Math.ceil((9 << 20) / rollouts.join('\n').length)
  await writeFile(join(folder, 'large.jsonl'), `${Array<string>(repeats).fill(rollouts.join('\n')).join('\n')}\n`)
})

afterAll(() => rm(folder, { recursive: true }))

function command(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [MAIN, ...argv], { cwd: folder, maxBuffer: 1 << 28 }, (error, out, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : 0, out, err })
    })
  })
}

describe.skipIf(!existsSync(MAIN))('the built command', () => {
  test('audits a file that its caller stands beside, and says so by its exit code', async () => {
    const ran = await command('inspect', 'small.jsonl', '--json', '-')
    expect(ran.err).toBe('')
    expect(ran.code).toBe(1)
    expect(JSON.parse(ran.out)).toMatchObject({ tokenizer: { id: 'qwen2.5' }, totals: { trajectories: 40 } })
  })

  test('worker threads give the report that one thread gives', async () => {
    const options = ['inspect', 'large.jsonl', '--tokenizer', 'qwen2.5', '--json']
    const [one, two] = [
      await command(...options, 'one.json', '--jobs', '1'),
      await command(...options, 'two.json', '--jobs', '2'),
    ]
    expect([one.code, two.code]).toEqual([1, 1])
    expect(await readFile(join(folder, 'two.json'), 'utf8')).toBe(await readFile(join(folder, 'one.json'), 'utf8'))
  }, 60_000)

  test('a reader that has seen enough does not change what was found', async () => {
    const child = spawn(process.execPath, [MAIN, 'inspect', join(folder, 'small.jsonl'), '--json', '-'])
    child.stdout.destroy()
    expect(await new Promise((done) => child.on('exit', done))).toBe(1)
  })

  test('a reader that has seen enough is no error', async () => {
    const child = spawn(process.execPath, [MAIN, 'checks', '--json'], { stdio: ['ignore', 'pipe', 'pipe'] })
    let err = ''
    child.stderr.on('data', (text) => {
      err += text
    })
    child.stdout.destroy()
    const code = await new Promise((done) => child.on('exit', done))
    expect(err).toBe('')
    expect(code).toBe(0)
  })

  test.skipIf(!existsSync('/dev/full')).each([
    ['inspect', 'nowhere.jsonl', 2],
    ['inspect', 'blank.jsonl', 3],
    ['checks', 'Z9', 2],
  ])('what cannot be said on a full standard error is said by the exit code: %s %s', async (name, file, code) => {
    await writeFile(join(folder, 'blank.jsonl'), '')
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [MAIN, name, file], { cwd: folder, stdio: ['ignore', 'ignore', full] })
    closeSync(full)
    expect(await new Promise((done) => child.on('close', done))).toBe(code)
  })

  test.skipIf(!existsSync('/dev/full')).each([['--json', '-'], []])(
    'a full disk below the standard output is one sentence and 2, and no finding: inspect %s %s',
    async (...options) => {
      const full = openSync('/dev/full', 'w')
      const child = spawn(process.execPath, [MAIN, 'inspect', join(folder, 'small.jsonl'), ...options], {
        stdio: ['ignore', full, 'pipe'],
      })
      closeSync(full)
      let err = ''
      child.stderr?.on('data', (text) => {
        err += text
      })
      const code = await new Promise((done) => child.on('close', done))
      expect({ code, err }).toEqual({
        code: 2,
        err: 'Standard output could not be written: the disk is full. What is there is cut off.\n',
      })
    },
  )

  test('a mistake is one sentence and 2', async () => {
    const ran = await command('inspect', 'nowhere.jsonl')
    expect(ran).toEqual({ code: 2, out: '', err: 'nowhere.jsonl does not exist. Check the path.\n' })
  })
})
