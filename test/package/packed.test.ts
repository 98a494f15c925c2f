import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageRoot } from '../../cli/package-root.ts'

const npm = (parameters: readonly string[], cwd: string) => {
  const { status, stdout, stderr } = spawnSync('npm', parameters, { cwd, encoding: 'utf8', timeout: 110_000 })
  if (status !== 0) throw new Error(`npm ${parameters.join(' ')} ended with ${status}:\n${stderr}`)
  return stdout
}

describe('the package, packed and installed in an empty folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-packed-'))
  const installed = join(folder, 'node_modules', 'rollout-inspector')
  const command = join(folder, 'node_modules', '.bin', 'rollout-inspector')
  const sample = join(folder, 'rollouts.jsonl.gz')
  let server: ChildProcess | null = null

  beforeAll(() => {
    npm(['pack', '--silent', '--pack-destination', folder], packageRoot())
    const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    writeFileSync(join(folder, 'package.json'), '{"name":"empty","version":"1.0.0"}')
    // Nothing is fetched: the package carries all that it runs on.
    npm(['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], folder)
    copyFileSync(join(packageRoot(), 'samples', 'verifiers-2025-08.jsonl.gz'), sample)
  })
  afterAll(() => {
    server?.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  it('brings no other package, and no source', () => {
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'rollout-inspector',
    ])
    for (const absent of ['shared', 'test', 'dist/tools', 'node_modules']) {
      expect(existsSync(join(installed, absent)), absent).toBe(false)
    }
  })

  it('carries the licences of what is in it', () => {
    const licences = readFileSync(join(installed, 'dist', 'THIRD-PARTY-LICENCES.txt'), 'utf8')
    for (const named of [
      /^react@/m,
      /^dexie@/m,
      /^@huggingface\/tokenizers@/m,
      /^zod@/m,
      /Meta Platforms/,
      /Alibaba Cloud/,
    ]) {
      expect(licences).toMatch(named)
    }
  })

  it('says beside each tokenizer under which terms its model is, and that it was changed', () => {
    const beside = (id: string) => readFileSync(join(installed, 'dist', 'tokenizers', id, 'LICENSE'), 'utf8')
    expect(beside('llama3')).toMatch(/Built with Llama\. .*Llama 3\.2 Community License, Copyright © Meta Platforms/)
    expect(beside('qwen2.5')).toMatch(/Copyright Alibaba Cloud, Apache License 2\.0/)
    expect(beside('qwen3')).toMatch(/Copyright Alibaba Cloud, Apache License 2\.0/)
    for (const id of ['llama3', 'qwen2.5', 'qwen3']) expect(beside(id), id).toContain('Changed here: ')
  })

  it('inspects', () => {
    const { status, stdout, stderr } = spawnSync(command, ['inspect', sample], { cwd: folder, encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(status).toBe(1)
    expect(stdout).toMatch(/96 rollouts in 96 records/)
    expect(stdout).toMatch(/H02.*supported/)
  })

  it('serves the page, its tokenizers and the folder', async () => {
    const child = spawn(command, ['serve', folder, '--port', '0'], { cwd: folder })
    server = child
    const address = await new Promise<string>((resolve, reject) => {
      let said = ''
      const listen = (chunk: Buffer) => {
        said += chunk
        const url = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(said)?.[0]
        if (url !== undefined) resolve(url)
      }
      child.stdout.on('data', listen)
      child.stderr.on('data', listen)
      child.on('exit', (code) => reject(new Error(`serve ended with ${code}: ${said}`)))
    })
    const page = await fetch(address, { redirect: 'manual' })
    const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? ''
    const get = (path: string) => fetch(new URL(path, address), { headers: { cookie } })
    expect(await (await get('/')).text()).toMatch(/<div id="root">/)
    expect((await get('/tokenizers/qwen3/tokenizer.compact')).status).toBe(200)
    const session = (await (await get('/session.json')).json()) as { folder: { files: { name: string }[] } }
    expect(session.folder.files.map(({ name }) => name)).toContain('rollouts.jsonl.gz')
  })
})
