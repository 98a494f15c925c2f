import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { watchPaths } from '../../cli/watch.ts'
import type { Report } from '../../shared/model/report.ts'
import { commandLine, type Ran } from './command-line.ts'
import { searchRollouts } from './dumps.ts'

const FAULTY = 9
let rollouts: string[]
let folder: string
let path: string

beforeAll(async () => {
  rollouts = (await searchRollouts(16, [FAULTY])).map((line) => `${line}\n`)
})

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-follow-'))
  path = join(folder, 'run.jsonl')
})

afterEach(() => rm(folder, { recursive: true }))

const part = (from: number, to: number) => rollouts.slice(from, to).join('')
const sourcesOf = ({ out }: Ran) =>
  (JSON.parse(out) as Report).sources.map(({ name, records, skipped }) => [name, records, skipped.length])

/** What the command is while files are written: `until` resolves once so many rollouts were read. */
function following(...argv: string[]) {
  const end = new AbortController()
  const waiting: { readonly text: string; resolve(): void }[] = []
  let said = ''
  const ran = commandLine(['inspect', '--follow', ...argv, '--tokenizer', 'qwen2.5', '--jobs', '1'], {
    directory: folder,
    tty: true,
    interrupted: end.signal,
    onError(text) {
      said += text
      for (const each of waiting) if (said.includes(each.text)) each.resolve()
    },
  })
  return {
    ran,
    end: () => end.abort(),
    said: (text: string) =>
      new Promise<void>((resolve) => {
        if (said.includes(text)) resolve()
        else waiting.push({ text, resolve })
      }),
  }
}

describe('inspect --follow', () => {
  test('reads on what is written, and says what it is when the person ends it', async () => {
    await writeFile(path, part(0, 3) + part(3, 4).slice(0, 50))
    const run = following('run.jsonl', '--json', '-', '--fail-on', 'none')
    await run.said('following, 3 rollouts read')
    await appendFile(path, part(3, 4).slice(50) + part(4, 12))
    await run.said('following, 12 rollouts read')
    run.end()
    const ran = await run.ran
    expect(ran.code).toBe(0)
    const once = await commandLine(
      ['inspect', 'run.jsonl', '--json', '-', '--fail-on', 'none', '--tokenizer', 'qwen2.5', '--jobs', '1'],
      { directory: folder },
    )
    const expected = JSON.parse(once.out) as Report
    const report = JSON.parse(ran.out) as Report
    expect(report.sources[0]?.sha256).toBeNull()
    const plain = ({ sources, aggregates: _, ...rest }: Report) => ({
      ...rest,
      sources: sources.map((source) => ({ ...source, sha256: null })),
    })
    expect(plain(report)).toEqual(plain(expected))
  })

  test('ends with the fail code at the first finding that fails, and names its place', async () => {
    await writeFile(path, part(0, 4))
    const run = following('run.jsonl', '--json', '-')
    await run.said('following, 4 rollouts read')
    await appendFile(path, part(4, 14))
    const ran = await run.ran
    expect(ran.code).toBe(1)
    expect(ran.err.replace(/\s+/g, ' ')).toContain(`M01 in run.jsonl, line ${FAULTY + 1}, rollout q${FAULTY}: `)
    expect(JSON.parse(ran.out)).toMatchObject({ totals: { trajectories: 14 } })
  })

  test('takes files that come to a folder', async () => {
    const run = following('.', '--json', '-')
    await mkdir(join(folder, 'step_1'))
    await writeFile(join(folder, 'step_1', 'rank_0.jsonl'), part(0, 4))
    await run.said('following, 4 rollouts read')
    await writeFile(join(folder, 'step_0.jsonl'), part(4, 8))
    await run.said('following, 8 rollouts read')
    run.end()
    expect(sourcesOf(await run.ran)).toEqual([
      ['step_0.jsonl', 4, 0],
      ['step_1/rank_0.jsonl', 4, 0],
    ])
  })

  test('reads a file that was rotated to its end, and the new one beside it', async () => {
    await writeFile(path, part(0, 3))
    const run = following('run.jsonl', '--json', '-')
    await run.said('following, 3 rollouts read')
    await appendFile(path, part(3, 5))
    await rename(path, `${path}.1`)
    await writeFile(path, part(5, 6))
    await run.said('following, 6 rollouts read')
    run.end()
    expect(sourcesOf(await run.ran)).toEqual([
      ['run.jsonl', 1, 0],
      ['run.jsonl.1', 5, 0],
    ])
  })

  test('says that another file took the place of the one that was read', async () => {
    await writeFile(path, part(0, 5))
    const run = following('run.jsonl', '--json', '-')
    await run.said('following, 5 rollouts read')
    await rm(path)
    await writeFile(path, part(5, 7))
    await run.said('following, 7 rollouts read')
    run.end()
    const ran = await run.ran
    expect(ran.err.replace(/\s+/g, ' ')).toContain('run.jsonl was replaced by another file.')
    expect(sourcesOf(ran)).toEqual([
      ['run.jsonl (earlier)', 5, 0],
      ['run.jsonl', 2, 0],
    ])
  })

  test('is refused where it cannot be had', async () => {
    await writeFile(path, part(0, 2))
    for (const argv of [['-'], ['run.jsonl', '--limit', '2'], ['run.jsonl', '--sample', '2'], ['nowhere.jsonl']]) {
      const ran = await commandLine(['inspect', '--follow', ...argv], { directory: folder })
      expect(ran.code).toBe(2)
      expect(ran.err).not.toBe('')
    }
  })

  test('a folder in which nothing is written has nothing to report', async () => {
    const run = following('.')
    await run.said('following, 0 rollouts read')
    run.end()
    expect((await run.ran).code).toBe(3)
  })
})

test('a file is known by its inode under another name, and left out while it is gone', async () => {
  await writeFile(path, part(0, 1))
  const io = { directory: folder } as Parameters<typeof watchPaths>[1]
  const watched = await watchPaths(['run.jsonl'], io, null)
  const [first] = await watched.look()
  await rename(path, `${path}.1`)
  const [renamed] = await watched.look()
  expect(renamed).toMatchObject({ source: { name: 'run.jsonl.1' }, identity: first?.identity })
  await rm(`${path}.1`)
  expect(await watched.look()).toEqual([])
})

const MAIN = resolve('dist/cli/main.js')

test.skipIf(!existsSync(MAIN))(
  'the built command reports when it is interrupted',
  async () => {
    await writeFile(path, part(0, 4))
    const child = spawn(process.execPath, [MAIN, 'inspect', '--follow', 'run.jsonl', '--json', '-'], { cwd: folder })
    let out = ''
    child.stdout.on('data', (text) => {
      out += text
    })
    // At its exit what it wrote may still be on its way here.
    const closed = new Promise((done) => child.on('close', done))
    let said = ''
    const replaced = new Promise<void>((done, fail) => {
      child.stderr.on('data', (text) => {
        said += text
        if (said.includes('replaced')) done()
      })
      child.on('exit', (code) => fail(new Error(`it ended by itself with ${code}: ${said}`)))
    })
    // Nothing tells that it follows by now but what it says of a file that was replaced.
    let isFollowed = false
    const replacing = (async () => {
      for (let turn = 0; !isFollowed; turn = (turn + 1) % 4) {
        await writeFile(join(folder, 'next'), part(2 * turn + 1, 2 * turn + 3))
        await rename(join(folder, 'next'), path)
        await Promise.race([replaced, new Promise((done) => setTimeout(done, 1500))])
      }
    })()
    await replaced.finally(() => {
      isFollowed = true
    })
    await replacing
    child.kill('SIGINT')
    expect(await closed).toBe(0)
    const { sources } = JSON.parse(out) as Report
    expect(sources.map(({ name }) => name)).toContain('run.jsonl (earlier)')
  },
  60_000,
)
