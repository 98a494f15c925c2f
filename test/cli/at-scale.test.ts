import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { searchRollouts } from './dumps.ts'

/** The command as it is installed; `npm test` builds it first. */
const MAIN = resolve('dist/cli/main.js')
const PARTS = 3

let folder: string
let page: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-at-scale-'))
  page = await readFile(resolve('docs/at-scale.md'), 'utf8')
  const rollouts = await searchRollouts(PARTS * 4, [2, 9])
  for (let part = 0; part < PARTS; part++) {
    const name = join(folder, 'run 17', `step_${part}`)
    await mkdir(name, { recursive: true })
    await writeFile(join(name, 'rollouts.jsonl'), `${rollouts.slice(part * 4, part * 4 + 4).join('\n')}\n`)
  }
  await mkdir(join(folder, 'run 17', 'step_3'))
  await writeFile(join(folder, 'run 17', 'step_3', 'rollouts.jsonl'), '')
  await mkdir(join(folder, 'bin'))
  const command = join(folder, 'bin', 'rollout-inspector')
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`)
  await chmod(command, 0o755)
}, 60_000)

afterAll(() => rm(folder, { recursive: true }))

/** The command lines of the page that are marked with a name, for the run of this test. */
function recipe(name: string): string {
  const block = new RegExp(`^\`\`\`sh ${name}\\n([^]*?)^\`\`\``, 'm').exec(page)?.[1]
  if (block === undefined) throw new Error(`docs/at-scale.md has no recipe marked ${name}`)
  expect(block).toContain('export RUN=/data/run-17\n')
  return block.replace('/data/run-17', `'${join(folder, 'run 17')}'`)
}

function shell(script: string, directory: string): Promise<{ code: number; err: string }> {
  const env = { ...process.env, PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}` }
  return new Promise((done) => {
    execFile('sh', ['-c', script], { cwd: directory, env }, (error, _, err) => {
      done({ code: typeof error?.code === 'number' ? error.code : 0, err })
    })
  })
}

const has = (program: string) => spawnSync(program, ['--version']).status === 0

describe.skipIf(!existsSync(MAIN))('the recipes of docs/at-scale.md', () => {
  test.skipIf(!has('parallel'))('with GNU parallel give the report of the whole run', () => runs('parallel'), 120_000)
  test.skipIf(!has('xargs'))('with xargs give the report of the whole run', () => runs('xargs'), 120_000)

  async function runs(name: string): Promise<void> {
    const directory = join(folder, name)
    await mkdir(directory)
    const ran = await shell(recipe(name), directory)
    expect(ran.err).toContain('is empty')
    expect(ran.code).toBe(1)
    expect(await readdir(join(directory, 'reports'))).toHaveLength(PARTS + 1)
    const at = await shell(`rollout-inspector inspect '${join(folder, 'run 17')}' --json at-once.json`, directory)
    expect(at.code).toBe(1)
    expect(await readFile(join(directory, 'whole.json'), 'utf8')).toBe(
      await readFile(join(directory, 'at-once.json'), 'utf8'),
    )
  }
})
