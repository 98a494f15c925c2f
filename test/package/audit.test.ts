import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { packageRoot } from '../../cli/package-root.ts'

const REACT: string = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).devDependencies.react

let registry: Server | null = null
afterEach(() => registry?.close())

/** A registry that knows these advisories, and of every package the versions that npm asks for. */
async function registryWith(advisories: object): Promise<string> {
  registry = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' })
    const name = decodeURIComponent(request.url?.slice(1) ?? '')
    const versions = { [REACT]: { name, version: REACT } }
    response.end(JSON.stringify(name.endsWith('/advisories/bulk') ? advisories : { name, versions }))
  })
  await new Promise<void>((listening) => registry?.listen(0, '127.0.0.1', listening))
  return `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`
}

function audit(address: string, ...options: readonly string[]): Promise<{ code: number | null; said: string }> {
  const env = { ...process.env, npm_config_registry: address, npm_config_fetch_retries: '0', GITHUB_ACTIONS: '' }
  const child = spawn(process.execPath, [join(packageRoot(), 'scripts', 'audit.mjs'), ...options], { env })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  return new Promise((done) => child.on('close', (code) => done({ code, said })))
}

describe('npm run audit', () => {
  it('fails on a package with a known vulnerability, and names it', async () => {
    const advisory = {
      id: 1,
      title: 'made up',
      url: 'https://example.org/1',
      severity: 'high',
      vulnerable_versions: '>=0',
      cwe: [],
      cvss: { score: 0, vectorString: null },
    }
    const { code, said } = await audit(await registryWith({ react: [advisory] }))
    expect(said).toContain('react')
    expect(code).toBe(1)
  })

  it('passes where nothing is known against any', async () => {
    const { code, said } = await audit(await registryWith({}))
    expect(said).toMatch(/0 of \d+ packages/)
    expect(code).toBe(0)
  })

  it('says that nobody answered, and is no failure', async () => {
    const { code, said } = await audit('http://127.0.0.1:1/')
    expect(said).toContain('Not audited')
    expect(code).toBe(0)
  })

  it('fails before a release where nobody answered', async () => {
    const { code, said } = await audit('http://127.0.0.1:1/', '--required')
    expect(said).toContain('Not audited')
    expect(code).toBe(1)
  })
})
