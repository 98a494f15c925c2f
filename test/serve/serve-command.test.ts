import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CommandIo } from '../../cli/io.ts'
import { serve } from '../../cli/serve.ts'
import { openerOf } from '../../cli/server/browser.ts'
import { hostPage } from '../../cli/server/host.ts'
import { ServedFiles } from '../../cli/server/served-files.ts'
import type { PageSession } from '../../cli/server/site.ts'

let folder: string
let output: { stdout: string; stderr: string }
let io: CommandIo

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-serve-'))
  output = { stdout: '', stderr: '' }
  const to = (name: 'stdout' | 'stderr') => ({ write: (text: string | Uint8Array) => (output[name] += String(text)) })
  io = { stdout: to('stdout'), stderr: to('stderr'), stdin: (async function* () {})(), env: {}, directory: folder }
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Enters by the printed address, as a browser does, and gives a fetch that carries the cookie. */
async function enter(): Promise<(path: string) => Promise<Response>> {
  await expect.poll(() => output.stdout).toContain('http://')
  const url = output.stdout.match(/http:\S+/)![0]
  const entered = await fetch(url, { redirect: 'manual' })
  const cookie = entered.headers.get('set-cookie')!.split(';')[0]!
  return (path) => fetch(new URL(path, url), { headers: { cookie } })
}

test('serve offers what may belong to a run under its folder, with its place in it, opens none of it, and nothing that a link brings in', async () => {
  mkdirSync(join(folder, 'runs', 'steps'), { recursive: true })
  writeFileSync(join(folder, 'outside.jsonl'), 'outside')
  writeFileSync(join(folder, 'runs', 'steps', 'step_1.jsonl'), '{"a":1}\n')
  writeFileSync(join(folder, 'runs', 'notes.md'), 'not a dump')
  for (const name of ['config.yaml', 'train.log']) writeFileSync(join(folder, 'runs', name), 'group_size: 8')
  symlinkSync(join(folder, 'outside.jsonl'), join(folder, 'runs', 'leak.jsonl'))
  symlinkSync(folder, join(folder, 'runs', 'above'))
  const stop = new AbortController()
  const end = serve(['runs', '--port', '0'], io, stop.signal)
  const get = await enter()
  const session = async () => (await (await get('/session.json')).json()) as PageSession
  const list = async () => (await session()).folder!
  expect((await session()).files).toEqual([])
  const { name, key, files } = await list()
  expect(name).toBe('runs')
  expect(key).toBe(createHash('sha256').update(join(folder, 'runs')).digest('hex'))
  expect(files.map(({ name }) => name)).toEqual(['config.yaml', 'steps/step_1.jsonl', 'train.log'])
  expect(await (await get(files[1]!.url)).text()).toBe('{"a":1}\n')
  writeFileSync(join(folder, 'runs', 'steps', 'step_2.jsonl'), '{}\n')
  expect((await list()).files.map(({ name }) => name)).toEqual([
    'config.yaml',
    'steps/step_1.jsonl',
    'steps/step_2.jsonl',
    'train.log',
  ])
  stop.abort()
  expect(await end).toBe(0)
})

// Elsewhere the addresses of loopback beside the first are not set up.
test.runIf(process.platform === 'linux')('serve listens on this machine alone, unless told otherwise', async () => {
  const stop = new AbortController()
  const end = serve(['.', '--port', '0'], io, stop.signal)
  await expect.poll(() => output.stdout).toContain('http://')
  expect(output.stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+\/\?token=/)
  const port = Number(/:(\d+)\/\?token=/.exec(output.stdout)?.[1])
  // Whoever listens on all addresses has the port on every other one of loopback as well.
  const other = await new Promise<string>((done) => {
    const socket = connect(port, '127.0.0.2', () => done('connected'))
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? ''))
  })
  expect(other).not.toBe('connected')
  stop.abort()
  expect(await end).toBe(0)
})

test('serve opens files that were named as one run, and lists nothing beside them', async () => {
  for (const name of ['step_1.jsonl', 'step_2.jsonl', 'step_3.jsonl'])
    writeFileSync(join(folder, name), `{"${name}":1}\n`)
  const stop = new AbortController()
  const end = serve(['step_1.jsonl', 'step_3.jsonl', '--port', '0'], io, stop.signal)
  const get = await enter()
  const { files, folder: offered } = (await (await get('/session.json')).json()) as PageSession
  expect(files.map(({ name }) => name)).toEqual(['step_1.jsonl', 'step_3.jsonl'])
  expect(await (await get(files[1]!.url)).text()).toBe('{"step_3.jsonl":1}\n')
  expect(offered).toBeUndefined()
  stop.abort()
  expect(await end).toBe(0)
})

test('files of one name are told apart by their folders, and what becomes of them later is said, once in the terminal', async () => {
  for (const name of ['one', 'other']) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'rollouts.jsonl'), '{}\n')
  }
  const stop = new AbortController()
  const end = serve(['one/rollouts.jsonl', 'other/rollouts.jsonl', '--port', '0'], io, stop.signal)
  const get = await enter()
  const session = async () => (await (await get('/session.json')).json()) as PageSession
  expect((await session()).files.map(({ name }) => name)).toEqual(['one/rollouts.jsonl', 'other/rollouts.jsonl'])
  expect((await session()).problems).toEqual([])
  rmSync(join(folder, 'other'), { recursive: true })
  for (let load = 0; load < 2; load++)
    expect((await session()).problems).toEqual(['other/rollouts.jsonl does not exist. Check the path.'])
  expect(output.stderr.match(/rollouts\.jsonl does not exist/g)).toHaveLength(1)
  stop.abort()
  expect(await end).toBe(0)
})

test('a folder that is gone is said to the page, without saying where it was', async () => {
  mkdirSync(join(folder, 'runs'))
  const stop = new AbortController()
  const end = serve(['runs', '--port', '0'], io, stop.signal)
  const get = await enter()
  rmSync(join(folder, 'runs'), { recursive: true })
  const session = (await (await get('/session.json')).json()) as PageSession
  expect(session.folder?.files).toEqual([])
  expect(session.problems).toEqual(['runs does not exist. Check the path.'])
  stop.abort()
  expect(await end).toBe(0)
})

test('what a file is called changes nothing of the terminal that its problem is told in', async () => {
  const name = 'a\u001b]0;renamed\u0007\u202e.jsonl'
  writeFileSync(join(folder, name), '{}\n')
  const stop = new AbortController()
  const end = serve([name, '--port', '0'], io, stop.signal)
  const get = await enter()
  rmSync(join(folder, name))
  await get('/session.json')
  expect(output.stderr).toContain('a␛]0;renamed␇‹U+202E›.jsonl does not exist')
  stop.abort()
  expect(await end).toBe(0)
})

test.each([
  [[], /takes one folder/],
  [['.', '.'], /takes one folder, or files/],
  [['gone'], /gone does not exist/],
  [['.', 'gone'], /gone does not exist/],
  [['.', '--port', 'x'], /--port x is no port number/],
  [['.', '--port', '70000'], /--port 70000 is no port number/],
  [['.', '--prot', '1'], /^--prot is not an option of this command\. Did you mean --port\?/],
  [['.', '--port'], /^--port needs a value: --port N\./],
  [['.', '--host', '203.0.113.9', '--port', '0'], /203\.0\.113\.9 is no address of this machine/],
])('serve %j is a usage error', async (parameters, message) => {
  await expect(serve(parameters, io)).rejects.toThrow(message)
})

test('a port that was asked for and is taken is an error; the usual one gives way and says what that means', async () => {
  const holder = createServer()
  const taken = await new Promise<number>((done) =>
    holder.listen(0, '127.0.0.1', () => done((holder.address() as { port: number }).port)),
  )
  await expect(serve(['.', '--port', String(taken)], io)).rejects.toThrow(`Port ${taken} is taken`)
  const listen = { host: '127.0.0.1', port: taken, orNext: true }
  const server = await hostPage(
    { served: new ServedFiles(), files: async () => ({ files: [], problems: [] }), listen },
    io,
  )
  expect(server.port).toBeGreaterThan(taken)
  expect(output.stderr).toContain(`Port ${taken} is taken`)
  expect(output.stderr).toContain('made at port')
  const session = (await (await (await enter())('/session.json')).json()) as { notice: string }
  expect(output.stderr).toContain(session.notice)
  await server.close()
  holder.close()
})

test('a browser is opened only where there is a screen', () => {
  expect(openerOf('linux', {})).toBeNull()
  expect(openerOf('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toEqual(['xdg-open'])
  expect(openerOf('darwin', {})).toEqual(['open'])
  expect(openerOf('win32', {})?.[0]).toBe('cmd')
})
