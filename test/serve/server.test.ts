import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../../cli/server/http-server.ts'
import { ServedFiles } from '../../cli/server/served-files.ts'
import { createSite } from '../../cli/server/site.ts'
import { type RawAnswer, rawRequest } from './raw-request.ts'

const SECRET = 'nobody was given this'

let folder: string
let server: RunningServer
let cookie: string
let served: ServedFiles

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-site-'))
  const places = {
    page: join(folder, 'dist', 'renderer'),
    preload: join(folder, 'dist', 'preload.cjs'),
    tokenizers: join(folder, 'dist', 'tokenizers'),
    samples: join(folder, 'samples'),
  }
  for (const path of [places.page, join(places.tokenizers, 'qwen3'), places.samples])
    mkdirSync(path, { recursive: true })
  writeFileSync(join(places.page, 'index.html'), '<!doctype html><title>page</title>')
  writeFileSync(join(places.page, 'main.js'), 'void 0')
  mkdirSync(join(places.page, 'workers'))
  writeFileSync(join(places.page, 'workers', 'engine.js'), 'void 0')
  writeFileSync(join(places.page, '.built-from'), SECRET)
  writeFileSync(join(places.tokenizers, 'qwen3', 'tokenizer.compact'), 'ids')
  writeFileSync(join(places.samples, 'one.jsonl.gz'), 'sample')
  writeFileSync(join(places.samples, 'make.ts'), SECRET)
  writeFileSync(join(folder, 'secret.txt'), SECRET)
  symlinkSync(join(folder, 'secret.txt'), join(places.page, 'link.txt'))
  writeFileSync(join(folder, 'run.jsonl'), '0123456789')
  served = new ServedFiles()
  const session = async () => ({
    files: [served.add(join(folder, 'run.jsonl'), 'run.jsonl', 10)],
    sample: null,
    notice: null,
  })
  server = await startServer(createSite({ places, served, session }), { host: '127.0.0.1', port: 0, orNext: false })
  const entered = await rawRequest(server.port, new URL(server.url).pathname + new URL(server.url).search)
  cookie = (entered.headers['set-cookie'] ?? '').split(';')[0] ?? ''
})

afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawAnswer> {
  return rawRequest(server.port, path, { cookie, ...headers }, method)
}

async function fileUrl(): Promise<string> {
  return (JSON.parse((await get('/session.json')).body) as { files: { url: string }[] }).files[0]!.url
}

describe('the token', () => {
  test('in the printed address is changed for a cookie, and leaves the address', async () => {
    const entered = await rawRequest(server.port, `/${new URL(server.url).search}`)
    expect(entered.status).toBe(303)
    expect(entered.headers.location).toBe('/')
    expect(entered.headers['set-cookie']).toMatch(
      /^rollout-inspector-\d+=[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict$/,
    )
  })

  test.each([
    ['no cookie', {}],
    ['another token', { cookie: 'rollout-inspector-PORT=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['an empty token', { cookie: 'rollout-inspector-PORT=' }],
  ])('is asked for: %s gets nothing', async (_name, headers: Record<string, string>) => {
    const sent = Object.fromEntries(
      Object.entries(headers).map(([key, value]) => [key, value.replace('PORT', String(server.port))]),
    )
    for (const path of ['/', '/main.js', '/session.json', await fileUrl(), '/?token=', '/?token=wrong', '/nothing']) {
      const answer = await rawRequest(server.port, path, sent)
      expect(answer.status).toBe(403)
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
  })

  test('is found behind what another server of this machine put before it', async () => {
    const name = cookie.split('=')[0]
    expect((await rawRequest(server.port, '/', { cookie: `${name}=theirs; ${cookie}` })).status).toBe(200)
    expect((await rawRequest(server.port, '/', { cookie: `${name}=theirs; ${name}=` })).status).toBe(403)
  })

  test('is another one for every server', async () => {
    const other = await startServer(async () => new Response('other'), { host: '127.0.0.1', port: 0, orNext: false })
    const value = cookie.split('=')[1]
    const answer = await rawRequest(other.port, '/', { cookie: `rollout-inspector-${other.port}=${value}` })
    await other.close()
    expect(answer.status).toBe(403)
  })
})

describe('other pages', () => {
  test.each([
    'evil.example',
    'evil.example:47613',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '127.0.0.1@evil.example',
    '10.0.0.7',
    '',
  ])('that call this server %o (DNS rebinding) get nothing, with the token too', async (host) => {
    for (const path of ['/', await fileUrl(), `/${new URL(server.url).search}`]) {
      const answer = await get(path, { host })
      expect([400, 421]).toContain(answer.status)
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
  })

  test.each(['localhost', '127.0.0.1:9999', '[::1]:9999', 'LOCALHOST:80'])('a tunnel may call it %s', async (host) => {
    expect((await get('/', { host })).status).toBe(200)
  })

  test.each<Record<string, string>>([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  ])('with %o get nothing', async (headers) => {
    expect((await get(await fileUrl(), headers)).status).toBe(403)
  })

  test('a link from elsewhere opens the page', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect((await get('/', headers)).status).toBe(200)
  })
})

describe('files', () => {
  test('are read whole and by range, under a handle', async () => {
    const url = await fileUrl()
    expect(url).toMatch(/^\/file\/[\w-]{22}$/)
    expect(await get(url)).toMatchObject({ status: 200, body: '0123456789' })
    const part = await get(url, { range: 'bytes=3-5' })
    expect(part).toMatchObject({ status: 206, body: '345' })
    expect(part.headers).toMatchObject({
      'content-range': 'bytes 3-5/10',
      'content-length': '3',
      'accept-ranges': 'bytes',
    })
    const beyond = await get(url, { range: 'bytes=10-20' })
    expect(beyond.status).toBe(416)
    expect(beyond.headers['content-range']).toBe('bytes */10')
  })

  test('have the same handle each time, and a size without a body', async () => {
    const url = await fileUrl()
    expect(await fileUrl()).toBe(url)
    const head = await get(url, {}, 'HEAD')
    expect(head).toMatchObject({ status: 200, body: '' })
    expect(head.headers['content-length']).toBe('10')
  })

  test('are bytes to a browser, whatever they are called', async () => {
    const path = join(folder, 'attack.html')
    writeFileSync(path, '<script>alert(1)</script>')
    const answer = await get(served.add(path, 'attack.html', 25).url)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
    })
  })

  test('that are gone are a sentence', async () => {
    const path = join(folder, 'gone.jsonl')
    writeFileSync(path, 'x')
    const { url } = served.add(path, 'gone.jsonl', 1)
    rmSync(path)
    expect(await get(url)).toMatchObject({ status: 404, body: expect.stringContaining('is gone') })
  })

  test('that are empty are empty', async () => {
    const path = join(folder, 'empty.jsonl')
    writeFileSync(path, '')
    const { url } = served.add(path, 'empty.jsonl', 0)
    expect(await get(url)).toMatchObject({ status: 200, body: '' })
    expect((await get(url, { range: 'bytes=0-' })).status).toBe(416)
  })

  test('that shrink while they are read break the answer off', async () => {
    const path = join(folder, 'shrinks.jsonl')
    writeFileSync(path, Buffer.alloc(64 << 20))
    const { url } = served.add(path, 'shrinks.jsonl', 64 << 20)
    const response = await fetch(`http://127.0.0.1:${server.port}${url}`, { headers: { cookie } })
    const reader = response.body!.getReader()
    await reader.read()
    truncateSync(path, 0)
    const rest = async () => {
      for (;;) if ((await reader.read()).done) return
    }
    await expect(rest()).rejects.toThrow()
  })

  test('bound to a folder are not read once a link leads out of it', async () => {
    const bound = join(folder, 'bound')
    mkdirSync(bound)
    const path = join(bound, 'run.jsonl')
    writeFileSync(path, 'inside')
    const { url } = served.add(path, 'run.jsonl', 6, bound)
    expect((await get(url)).body).toBe('inside')
    rmSync(path)
    symlinkSync(join(folder, 'secret.txt'), path)
    const answer = await get(url)
    expect(answer.status).toBe(404)
    expect(answer.body).not.toContain(SECRET)
  })
})

describe('paths', () => {
  test.each([
    '/../../secret.txt',
    '/%2e%2e/%2e%2e/secret.txt',
    '/..%2f..%2fsecret.txt',
    '/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/..%5c..%5csecret.txt',
    '/tokenizers/../../../secret.txt',
    '/tokenizers/..%2f..%2f..%2fsecret.txt',
    '/samples/..%2fsecret.txt',
    '/samples/..%2f..%2fsecret.gz',
    '/samples/make.ts',
    '/link.txt',
    '/.built-from',
    '/%2ebuilt-from',
    '/file/',
    '/file/AAAAAAAAAAAAAAAAAAAAAA',
    '/file/..%2f..%2fsecret.txt',
    '/main.js%00.txt',
    '/main.js:stream',
    '/%',
    '/%ff%fe',
    '//etc/passwd',
    'http://evil.example/../../secret.txt',
    '/main.js/',
    '/tokenizers',
    '/tokenizers/qwen3',
    '/qwen3/tokenizer.compact',
  ])('%s leads nowhere', async (path) => {
    const answer = await get(path)
    expect(answer.status).toBe(404)
    expect(answer.body).not.toContain(SECRET)
  })

  test.each([
    ['/', 'text/html; charset=utf-8'],
    ['/?anything', 'text/html; charset=utf-8'],
    ['/main.js', 'text/javascript; charset=utf-8'],
    ['/tokenizers/qwen3/tokenizer.compact', 'application/octet-stream'],
    ['/samples/one.jsonl.gz', 'application/octet-stream'],
  ])('%s is handed out as %s', async (path, type) => {
    const answer = await get(path)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe(type)
  })

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('%s is not taken', async (method) => {
    const answer = await get('/', {}, method)
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('GET, HEAD')
  })

  test('every answer carries the policy, and none is cached', async () => {
    const answers = [
      await get('/'),
      await get('/nothing'),
      await get(await fileUrl()),
      await rawRequest(server.port, '/'),
    ]
    for (const { headers } of answers) {
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(headers['content-security-policy']).not.toMatch(/unsafe|\*/)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      })
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  test('only the scripts of workers may compile WebAssembly, and nothing may evaluate', async () => {
    const policy = async (path: string) => String((await get(path)).headers['content-security-policy'])
    const ofPage = await policy('/')
    expect(await policy('/workers/engine.js')).toBe(
      ofPage.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'"),
    )
    for (const path of ['/main.js', '/workers/nothing.js', '/workers/../main.js', '/session.json', await fileUrl()])
      expect(await policy(path), path).toBe(ofPage)
  })
})
