import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MOST_CONNECTIONS, type RunningServer, startServer } from '../../cli/server/http-server.ts'
import { ServedFiles } from '../../cli/server/served-files.ts'
import { createSite } from '../../cli/server/site.ts'
import { rawRequest } from '../serve/raw-request.ts'
import { ALL_HOSTILE } from './corpus.ts'

const SECRET = 'nobody was given this'
const CONTENT = 'the dump of a person'

let folder: string
let server: RunningServer
let cookie: string
let file: string
let replaced: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inspector-attacked-'))
  const places = {
    page: join(folder, 'page'),
    preload: join(folder, 'preload.cjs'),
    tokenizers: join(folder, 'tokenizers'),
    samples: join(folder, 'samples'),
  }
  for (const path of [places.page, places.tokenizers, places.samples]) mkdirSync(path)
  writeFileSync(join(places.page, 'index.html'), CONTENT)
  writeFileSync(join(folder, 'run.jsonl'), CONTENT)
  writeFileSync(join(folder, 'secret.txt'), SECRET)
  writeFileSync(join(folder, 'preload.cjs'), SECRET)
  symlinkSync(folder, join(places.page, 'up'))
  const served = new ServedFiles()
  const opened = served.add(join(folder, 'run.jsonl'), 'run.jsonl', CONTENT.length)
  file = opened.url
  replaced = served.add(join(folder, 'replaced.jsonl'), 'replaced.jsonl', 1).url
  const session = async () => ({ files: [opened], sample: null, notice: null })
  server = await startServer(createSite({ places, served, session }), { host: '127.0.0.1', port: 0, orNext: false })
  const entered = await rawRequest(server.port, `/${new URL(server.url).search}`)
  cookie = (entered.headers['set-cookie'] ?? '').split(';')[0] ?? ''
})

afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Everything the server answers to these bytes until it hangs up. */
function send(head: string): Promise<string> {
  return new Promise((done, fail) => {
    let answer = ''
    const socket = connect(server.port, '127.0.0.1', () => socket.write(head, 'latin1'))
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      answer += text
    })
    socket.on('error', fail)
    socket.on('close', () => done(answer))
  })
}

const host = () => `127.0.0.1:${server.port}`
/** The same cookie with its value in small letters: the name of it must be right. */
const otherCase = (given: string) => given.replace(/=.*/, (value) => value.toLowerCase())
const statuses = (answer: string) => [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))

describe('requests that no browser makes', () => {
  test.each<[string, () => string]>([
    [
      'two hosts, ours second',
      () => `GET ${file} HTTP/1.1\r\nHost: evil.example\r\nHost: ${host()}\r\nCookie: ${cookie}\r\n`,
    ],
    [
      'two origins',
      () =>
        `GET ${file} HTTP/1.1\r\nHost: ${host()}\r\nOrigin: http://evil.example\r\nOrigin: http://${host()}\r\nCookie: ${cookie}\r\n`,
    ],
    ['no host at all', () => `GET ${file} HTTP/1.0\r\nCookie: ${cookie}\r\n`],
    ['a host with a path', () => `GET ${file} HTTP/1.1\r\nHost: 127.0.0.1/evil\r\nCookie: ${cookie}\r\n`],
    [
      'a forwarded host',
      () => `GET ${file} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: ${host()}\r\nCookie: ${cookie}\r\n`,
    ],
    [
      'the token as a header',
      () => `GET ${file} HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${cookie.split('=')[1]}\r\n`,
    ],
    ['the token at another path', () => `GET ${file}${new URL(server.url).search} HTTP/1.1\r\nHost: ${host()}\r\n`],
    ['the token in another case', () => `GET ${file} HTTP/1.1\r\nHost: ${host()}\r\nCookie: ${otherCase(cookie)}\r\n`],
    [
      'the beginning of the token',
      () => `GET ${file} HTTP/1.1\r\nHost: ${host()}\r\nCookie: ${cookie.slice(0, -1)}\r\n`,
    ],
    [
      'a length and chunks',
      () =>
        `POST ${file} HTTP/1.1\r\nHost: ${host()}\r\nCookie: ${cookie}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n`,
    ],
    [
      'an upgrade',
      () =>
        `GET ${file} HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nCookie: ${cookie}\r\n`,
    ],
    ['CONNECT', () => `CONNECT evil.example:443 HTTP/1.1\r\nHost: ${host()}\r\nCookie: ${cookie}\r\n`],
    ['TRACE', () => `TRACE ${file} HTTP/1.1\r\nHost: ${host()}\r\nCookie: ${cookie}\r\n`],
    [
      'a header that is folded',
      () => `GET ${file} HTTP/1.1\r\nHost: evil.example\r\n ${host()}\r\nCookie: ${cookie}\r\n`,
    ],
    ['a very long header', () => `GET ${file} HTTP/1.1\r\nHost: ${host()}\r\nCookie: ${'a'.repeat(1 << 20)}\r\n`],
  ])('get nothing of a file, nor a cookie: %s', async (_name, request) => {
    const answer = await send(`${request()}Connection: close\r\n\r\n`).catch((error: Error) => error.message)
    expect(answer).not.toContain(CONTENT)
    expect(answer.toLowerCase()).not.toContain('set-cookie')
    for (const status of statuses(answer)) expect(status).toBeGreaterThanOrEqual(400)
  })

  test('a second request hidden in the body of a first is not answered', async () => {
    const hidden = `GET ${file} HTTP/1.1\r\nHost: ${host()}\r\nCookie: ${cookie}\r\n\r\n`
    const answer = await send(
      `GET / HTTP/1.1\r\nHost: ${host()}\r\nContent-Length: ${hidden.length}\r\nConnection: close\r\n\r\n${hidden}`,
    )
    expect(statuses(answer)).toEqual([403])
  })
})

describe('paths', () => {
  test('made of hostile texts, bare and encoded, lead to nothing outside', async () => {
    for (const text of ALL_HOSTILE.filter((each) => !/\p{Surrogate}/u.test(each))) {
      for (const path of [`/${encodeURIComponent(text)}`, `/${encodeURI(text).replaceAll('#', '%23')}`]) {
        const { status, body, headers } = await rawRequest(server.port, path, { cookie })
        // Dots that are resolved away leave the page itself.
        expect([200, 400, 404], path).toContain(status)
        if (status === 200) expect(body).toBe(CONTENT)
        expect(body).not.toContain(SECRET)
        expect(headers.location).toBeUndefined()
        if (status === 404) expect(body).not.toContain(text.slice(0, 40) === '' ? '\0' : `/${text}`)
      }
    }
  })

  test.each([
    '/up/secret.txt',
    '/up/preload.cjs',
    '/%u002e%u002e/secret.txt',
    '/..;/secret.txt',
    '/%252e%252e%252fsecret.txt',
    '/%c0%ae%c0%ae/secret.txt',
    '/\u00b7\u00b7/secret.txt',
    '/./../secret.txt',
    '/.%2e/secret.txt',
    '/tokenizers//../../secret.txt',
    '/tokenizers/%2fetc%2fpasswd',
    '/samples/%2e%2e.gz',
    '/file/%00',
    '/FILE/x',
    '\\..\\secret.txt',
    'file:///etc/passwd',
    '*',
  ])('%s leads nowhere', async (path) => {
    const { status, body } = await rawRequest(server.port, path, { cookie })
    expect([400, 404]).toContain(status)
    expect(body).not.toMatch(/nobody was given|root:/)
  })
})

test.skipIf(process.platform === 'win32')('a file that a pipe took the place of is not waited for', async () => {
  const path = join(folder, 'replaced.jsonl')
  execFileSync('mkfifo', [path])
  expect((await rawRequest(server.port, replaced, { cookie })).status).toBe(404)
})

describe('ranges', () => {
  test.each([
    ['bytes=0-99999999999999999999999', 206],
    ['bytes=99999999999999999999999-', 416],
    ['bytes=-99999999999999999999999', 206],
    ['bytes=-0', 416],
    ['bytes=5-2', 200],
    ['bytes=-', 200],
    ['bytes=--5', 200],
    ['bytes=1e3-', 200],
    ['bytes=0x1-0x4', 200],
    ['bytes= 1-2', 200],
    ['bytes=NaN-', 200],
    ['items=0-1', 200],
    [`bytes=${Array.from({ length: 500 }, (_, at) => `${at}-`).join(',')}`, 200],
  ])('%s is answered within the file', async (range, status) => {
    const answer = await rawRequest(server.port, file, { cookie, range })
    expect(answer.status).toBe(status)
    if (status === 416) expect(answer.body).not.toContain(CONTENT)
    else {
      expect(answer.body).toBe(CONTENT)
      expect(Number(answer.headers['content-length'])).toBe(CONTENT.length)
    }
  })
})

test('what is private is in no cache and no address: neither the token, nor a path of this machine', async () => {
  const answers = await Promise.all(
    ['/', '/session.json', file, '/nothing'].map((path) => rawRequest(server.port, path, { cookie })),
  )
  const token = cookie.split('=')[1] as string
  for (const { headers, body } of answers) {
    expect(headers['cache-control']).toBe('no-store')
    expect(headers.etag).toBeUndefined()
    expect(headers['last-modified']).toBeUndefined()
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(JSON.stringify(headers) + body).not.toContain(token)
    expect(JSON.stringify(headers) + body).not.toContain(folder)
  }
})

test('strangers who hold thousands of connections take neither the page from whom it is open with, nor all descriptors', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = () =>
    new Promise<number | undefined>((done, fail) => {
      get({ host: '127.0.0.1', port: server.port, path: file, headers: { cookie }, agent }, (response) => {
        response.resume().on('end', () => done(response.statusCode))
      }).on('error', fail)
    })
  expect(await ask()).toBe(200)
  let isRefused = 0
  const strangers = Array.from({ length: 2000 }, () => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: '))
    return socket.on('error', () => undefined).on('close', () => isRefused++)
  })
  await expect.poll(() => isRefused).toBeGreaterThanOrEqual(2000 - MOST_CONNECTIONS)
  expect(await ask()).toBe(200)
  for (const socket of strangers) socket.destroy()
  await expect.poll(() => isRefused).toBe(2000)
  expect(
    await send(`GET ${file} HTTP/1.1\r\nHost: ${host()}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`),
  ).toContain(CONTENT)
  agent.destroy()
})
