import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { searchRollouts } from '../cli/dumps.ts'

const MAIN = resolve('dist/cli/main.js')
const SHUT = pathToFileURL(fileURLToPath(new URL('no-network-preload.mjs', import.meta.url))).href

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-offline-'))
  const rollouts = `${(await searchRollouts(40, [3, 8])).join('\n')}\n`
  await writeFile(join(folder, 'run.jsonl'), rollouts)
  // Large enough for worker threads to be worth their start.
  await writeFile(join(folder, 'large.jsonl'), rollouts.repeat(Math.ceil((9 << 20) / rollouts.length)))
})

afterAll(() => rm(folder, { recursive: true }))

function offline(...argv: string[]): Promise<{ code: number; err: string }> {
  return new Promise((done) => {
    const options = {
      cwd: folder,
      maxBuffer: 1 << 28,
      env: { ...process.env, HF_TOKEN: 'x', HTTPS_PROXY: 'http://127.0.0.1:9' },
    }
    execFile(process.execPath, ['--import', SHUT, MAIN, ...argv], options, (error, _out, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : 0, err })
    })
  })
}

describe.skipIf(!existsSync(MAIN))('the built command with every way out shut', () => {
  const commands = [
    'inspect run.jsonl',
    'inspect run.jsonl --tokenizer Qwen/Qwen2.5-7B-Instruct --format html',
    'inspect large.jsonl --jobs 2 --tokenizer qwen2.5',
    'inspect https://evil.example/run.jsonl',
    'show run.jsonl --index 3',
    'export run.jsonl --flagged --as csv --out tables',
    'formats',
    'checks M01',
    '--version',
  ]
  test.each(commands)('%s tries none', async (command) => {
    const { code, err } = await offline(...command.split(' '))
    expect(err).not.toContain('NETWORK')
    expect(code).toBeLessThanOrEqual(2)
  })

  test('the trap shuts: `serve` is told of', async () => {
    expect((await offline('serve', '.', '--port', '0')).err).toContain('NETWORK: listen')
  })
})
