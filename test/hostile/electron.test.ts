import { EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import type { IpcMain, Protocol, Session, WebContents } from 'electron'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { packageRoot } from '../../cli/package-root.ts'
import { CONTENT_SECURITY_POLICY } from '../../cli/server/headers.ts'
import { ServedFiles } from '../../cli/server/served-files.ts'
import { createSite } from '../../cli/server/site.ts'
import { APP_ORIGIN, APP_SCHEME, handleAppScheme } from '../../electron/app-protocol.ts'
import { type Handlers, handleRequests } from '../../electron/ipc-handlers.ts'
import { askBeforeLeaving } from '../../electron/leaving.ts'
import { OpenFiles } from '../../electron/open-files.ts'
import { guardContents, guardSession } from '../../electron/security.ts'
import { windowOptions } from '../../electron/window.ts'
import { ALL_HOSTILE, HOSTILE_TEXTS } from './corpus.ts'

// The twenty lines of Electron's security checklist (electronjs.org/docs/latest/tutorial/security), on plain objects in place of
// Electron's. By its numbers: secure content 4 and 11 here; no Node, isolation, sandbox, web security, insecure content, experiments,
// Blink features and webviews (2, 3, 4, 6, 8 to 11) 1 and 12; permissions (5) 8; content policy (7) 3; options of webviews, navigation,
// windows and addresses for other programs (12 to 15) 7, from other programs 14; a current Electron (16) 13; senders (17) 5 and 12; no `file:` (18) 4 and 12;
// fuses (19) in test/package/desktop.test.ts; Electron's own functions (20) 2.

const root = packageRoot()
let folder: string
let site: ReturnType<typeof createSite>
const served = new ServedFiles()

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'inspector-electron-'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html>')
  mkdirSync(join(folder, 'workers'))
  writeFileSync(join(folder, 'workers', 'engine.js'), '')
  writeFileSync(join(folder, 'run.jsonl'), '{}\n')
  const places = { page: folder, preload: join(folder, 'p'), tokenizers: join(folder, 't'), samples: join(folder, 's') }
  site = createSite({ places, served, session: async () => ({ files: [], sample: null, notice: null }) })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function sources(...folders: string[]): { path: string; text: string }[] {
  const found = folders.flatMap((each) =>
    readdirSync(join(root, each), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:tsx?|html)$/.test(path))
      .map((path) => join(each, path)),
  )
  expect(found.length).toBeGreaterThan(5)
  return found.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** Every address that is somewhere else, or nowhere. */
const ELSEWHERE = [
  ...HOSTILE_TEXTS.links!,
  'https://example.com/',
  'http://127.0.0.1/',
  'file:///',
  'about:blank',
  'about:srcdoc',
  'chrome://settings',
  'rollout-inspector://app.evil/',
  'rollout-inspector://app@evil/',
  'rollout-inspector:/app/',
  'rollout-inspectors://app/',
  '',
]

test('1. a window is isolated, sandboxed, without Node, webviews and experiments', () => {
  expect(windowOptions('/preload.cjs', true, {}).webPreferences).toEqual({
    preload: '/preload.cjs',
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    spellcheck: false,
  })
  const made = sources('electron').filter(({ text }) =>
    /new (?:BrowserWindow|WebContentsView|BrowserView)\(/.test(text),
  )
  expect(made.map(({ path }) => path)).toEqual([join('electron', 'main.ts')])
  expect(made[0]!.text).toMatch(/new BrowserWindow\(windowOptions\(/)
})

test('2. the preload gives the page a few verbs, none of which hands on an event or a channel', async () => {
  const exposed: Record<string, Record<string, (...input: never[]) => unknown>> = {}
  const listeners = new EventEmitter()
  const ipcRenderer = {
    invoke: vi.fn(async (..._request: unknown[]) => undefined),
    on: listeners.on.bind(listeners),
    off: listeners.off.bind(listeners),
  }
  vi.doMock('electron', () => ({
    contextBridge: { exposeInMainWorld: (name: string, verbs: (typeof exposed)[string]) => (exposed[name] = verbs) },
    ipcRenderer,
    webUtils: { getPathForFile: () => '/home/person/run.jsonl' },
  }))
  await import('../../electron/preload.ts')
  vi.doUnmock('electron')
  expect(Object.keys(exposed)).toEqual(['inspector'])
  const verbs = Object.entries(exposed.inspector!).flatMap(([name, verb]) =>
    typeof verb === 'function' ? [{ name, verb: verb as (...input: unknown[]) => unknown }] : [],
  )
  expect(verbs.length).toBeGreaterThan(5)
  // A verb asks what it is for, whatever it is given: no channel comes from the page.
  for (const { name, verb } of verbs.filter(({ name }) => !name.startsWith('on'))) {
    ipcRenderer.invoke.mockClear()
    // Some refuse a text where they take files.
    await (async () => verb('a-channel-of-the-page', 'a-channel-of-the-page'))().catch(() => undefined)
    for (const [channel] of ipcRenderer.invoke.mock.calls) expect(channel, name).not.toBe('a-channel-of-the-page')
  }
  // Who listens is given what was sent, without the event and so without what sent it.
  const heard: unknown[] = []
  for (const { verb } of verbs.filter(({ name }) => name.startsWith('on')))
    verb((...input: unknown[]) => heard.push(...input))
  const event = { sender: ipcRenderer }
  expect(listeners.eventNames().length).toBeGreaterThan(0)
  for (const name of listeners.eventNames()) listeners.emit(name, event, 'what was sent')
  expect(new Set(heard)).toEqual(new Set(['what was sent']))
  // What a path is, the main process alone is told.
  expect(await (exposed.inspector!.rememberDropped as unknown as (file: unknown) => unknown)({})).toBeUndefined()
  expect(ipcRenderer.invoke).toHaveBeenLastCalledWith('remember-dropped', '/home/person/run.jsonl')
})

/** What the application answers at an address of its scheme. */
async function answer(url: string, method = 'GET'): Promise<Response> {
  let handler: ((request: Request) => Promise<Response>) | null = null
  const protocol = { handle: (_scheme: string, given: typeof handler) => void (handler = given) }
  handleAppScheme(protocol as unknown as Protocol, site)
  return handler!({ url, method, headers: new Headers() } as Request)
}

test('3. the content policy comes with every answer and allows nothing from elsewhere, inline or evaluated', async () => {
  const policy = new Map(
    CONTENT_SECURITY_POLICY.split('; ').map((each) => [each.split(' ')[0], each.split(' ').slice(1)]),
  )
  expect(policy.get('default-src')).toEqual(["'none'"])
  for (const name of ['script-src', 'style-src', 'worker-src', 'connect-src', 'font-src'])
    expect(policy.get(name)).toEqual(["'self'"])
  expect(policy.get('img-src')).toEqual(["'self'", 'data:'])
  for (const name of ['object-src', 'base-uri', 'form-action', 'frame-ancestors'])
    expect(policy.get(name)).toEqual(["'none'"])
  expect(policy.size).toBe(11)
  for (const url of [`${APP_ORIGIN}/`, `${APP_ORIGIN}/nothing`, `${APP_ORIGIN}/session.json`]) {
    expect((await answer(url)).headers.get('content-security-policy')).toBe(CONTENT_SECURITY_POLICY)
  }
  // The page is kept apart from every other, and so are its workers.
  for (const url of [`${APP_ORIGIN}/`, `${APP_ORIGIN}/workers/engine.js`]) {
    const { headers } = await answer(url)
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  }
  // Workers, which draw nothing, may compile WebAssembly beside.
  const worker = await answer(`${APP_ORIGIN}/workers/engine.js`)
  expect(worker.headers.get('content-security-policy')).toBe(
    CONTENT_SECURITY_POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'"),
  )
})

test('4. the scheme is a secure origin of its own, that only hands out what is in the folder of the page', async () => {
  // What is compiled of the page's scripts is kept, which gives the page nothing.
  const kept = { codeCache: true }
  expect(APP_SCHEME.privileges).toEqual({ standard: true, secure: true, supportFetchAPI: true, stream: true, ...kept })
  expect((await answer(`${APP_ORIGIN}/`)).status).toBe(200)
  for (const path of ['../x', '..%2f..%2fetc%2fpasswd', '%2e%2e/%2e%2e/etc/passwd', '%5c..%5cx', '%00', 'file/x']) {
    expect((await answer(`${APP_ORIGIN}/${path}`)).status).toBe(404)
  }
  for (const url of ['rollout-inspector://other/', 'rollout-inspector://app.evil/', 'rollout-inspector://app:1/']) {
    expect((await answer(url)).status).toBe(404)
  }
  for (const method of ['POST', 'PUT', 'DELETE']) expect((await answer(`${APP_ORIGIN}/`, method)).status).toBe(405)
})

test('5. every request is answered to the top frame of our page alone, and in its own shape', async () => {
  const listeners = new Map<string, (event: unknown, ...input: unknown[]) => unknown>()
  const asked: string[] = []
  const handlers = new Proxy({}, { get: (_, channel) => async () => void asked.push(String(channel)) }) as Handlers
  const ipcMain = {
    handle: (channel: string, listener: (event: unknown) => unknown) => void listeners.set(channel, listener),
  }
  handleRequests(ipcMain as unknown as IpcMain, APP_ORIGIN, handlers)
  const ask = async (senderFrame: unknown, channel: string, input: unknown[]) =>
    listeners.get(channel)!({ senderFrame }, ...input)
  for (const channel of listeners.keys()) {
    for (const url of ELSEWHERE) await expect(ask({ url, parent: null }, channel, [])).rejects.toThrow('only the page')
    await expect(ask({ url: `${APP_ORIGIN}/`, parent: {} }, channel, [])).rejects.toThrow('only the page')
    await expect(ask(null, channel, [])).rejects.toThrow('only the page')
    const odd = [{ __proto__: { length: 1 } }, [null], 7n]
    await expect(ask({ url: `${APP_ORIGIN}/`, parent: null }, channel, [odd])).rejects.toThrow('another shape')
  }
  expect(asked).toEqual([])
  await ask({ url: `${APP_ORIGIN}/`, parent: null }, 'ready', [])
  expect(asked).toEqual(['ready'])
})

test('6. the page is told the name of a file and a handle, never its folder', async () => {
  const opening = new OpenFiles({ served, send: () => undefined, remember: () => undefined })
  const opened = await opening.open([join(folder, 'run.jsonl'), join(folder, 'gone.jsonl'), folder], '/')
  expect(opened.files.map(({ name }) => name)).toContain('run.jsonl')
  expect(opened.problems.length).toBeGreaterThan(0)
  expect(JSON.stringify(opened)).not.toContain(folder)
})

test('7. no navigation, window, webview or address of another program', () => {
  const contents = new EventEmitter() as EventEmitter & { setWindowOpenHandler?: unknown }
  let openWindow: ((details: { url: string }) => { action: string }) | null = null
  contents.setWindowOpenHandler = (handler: typeof openWindow) => void (openWindow = handler)
  const outside: string[] = []
  guardContents(contents as unknown as WebContents, APP_ORIGIN, (url) => outside.push(url))
  const isStopped = (name: string, url: string) => {
    let stopped = false
    contents.emit(name, { url, preventDefault: () => (stopped = true) })
    return stopped
  }
  for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect']) {
    for (const url of ELSEWHERE) expect(isStopped(name, url), `${name} ${url}`).toBe(true)
    expect(isStopped(name, `${APP_ORIGIN}/#rollout`)).toBe(false)
  }
  expect(isStopped('will-attach-webview', APP_ORIGIN)).toBe(true)
  for (const url of [...ELSEWHERE, ...ALL_HOSTILE, `${APP_ORIGIN}/`]) expect(openWindow!({ url }).action).toBe('deny')
  expect(outside).toEqual([])
  expect(openWindow!({ url: 'https://github.com/huggingface/trl' }).action).toBe('deny')
  expect(outside).toEqual(['https://github.com/huggingface/trl'])
})

test('a page that holds what is not kept is left only by who says so', () => {
  const contents = new EventEmitter()
  const answers = [false, true]
  askBeforeLeaving(contents as unknown as WebContents, () => answers.shift() === true)
  const leaves = () => {
    let left = false
    contents.emit('will-prevent-unload', { preventDefault: () => (left = true) })
    return left
  }
  expect([leaves(), leaves()]).toEqual([false, true])
})

/** The guarded session, with what was registered on it. */
function guarded() {
  const set: Record<string, (...input: never[]) => unknown> = {}
  const events = new EventEmitter()
  const keep = (name: string) => (handler: (...input: never[]) => unknown) => void (set[name] = handler)
  const session = Object.assign(events, {
    setPermissionRequestHandler: keep('request'),
    setPermissionCheckHandler: keep('check'),
    setDevicePermissionHandler: keep('device'),
    webRequest: { onBeforeRequest: keep('beforeRequest') },
  })
  guardSession(session as unknown as Session, APP_ORIGIN)
  return { set, events }
}

test('8. every permission that Electron has is denied, asked or checked, but for putting text on the clipboard', () => {
  const types = readFileSync(join(root, 'node_modules', 'electron', 'electron.d.ts'), 'utf8')
  const listed = [...types.matchAll(/setPermission(?:Request|Check)Handler\(handler: .*?permission: (.*?), /g)]
  const permissions = new Set(
    listed.flatMap(([, union]) => [...union!.matchAll(/'([^']+)'/g)].map(([, name]) => name!)),
  )
  expect(permissions.size).toBeGreaterThan(30)
  expect(permissions).toContain('clipboard-sanitized-write')
  const { set } = guarded()
  const request = set.request as unknown as (...input: unknown[]) => void
  const check = set.check as unknown as (...input: unknown[]) => boolean
  for (const permission of permissions) {
    for (const origin of [APP_ORIGIN, ...ELSEWHERE]) {
      const granted = permission === 'clipboard-sanitized-write' && origin === APP_ORIGIN
      request(null, permission, (yes: boolean) => expect(yes, permission).toBe(granted), { requestingUrl: origin })
      expect(check(null, permission, origin), permission).toBe(granted)
    }
  }
  expect((set.device as () => boolean)()).toBe(false)
})

test('9. nothing reads the clipboard', () => {
  for (const { path, text } of sources('electron', 'renderer')) {
    expect(text, path).not.toMatch(/clipboard\.read|\bclipboard\b[^\n]*from 'electron'|execCommand/)
  }
})

test('10. no text becomes markup, a script or an address of a script', () => {
  const making =
    /dangerouslySetInnerHTML|\.(?:inner|outer)HTML\b\s*=|insertAdjacentHTML|document\.write|createContextualFragment|srcDoc|\beval\(|new Function\(|javascript:/
  for (const { path, text } of sources('electron', 'renderer', 'shared')) expect(text, path).not.toMatch(making)
})

test('11. no request leaves the application, and no download is written', () => {
  const { set, events } = guarded()
  const beforeRequest = set.beforeRequest as unknown as (...input: unknown[]) => void
  const isCancelled = (url: string) => {
    let cancelled: boolean | undefined
    beforeRequest({ url }, (decision: { cancel: boolean }) => (cancelled = decision.cancel))
    return cancelled
  }
  for (const url of ELSEWHERE.filter((each) => !each.startsWith('data:'))) expect(isCancelled(url), url).toBe(true)
  for (const url of [`${APP_ORIGIN}/main.js`, 'data:image/png;base64,AA', `blob:${APP_ORIGIN}/1`]) {
    expect(isCancelled(url), url).toBe(false)
  }
  let stopped = false
  events.emit('will-download', { preventDefault: () => (stopped = true) })
  expect(stopped).toBe(true)
})

test('12. nothing goes round the guards: no switch, no second session, scheme or channel, and no page from a file', () => {
  const round: readonly [what: string, pattern: RegExp, within: readonly string[]][] = [
    ['switches turn off what windows ask for', /commandLine|appendSwitch|disable-web-security|no-sandbox/, []],
    ['sessions of their own have no guards', /fromPartition|fromPath\(|\bpartition\b|persist:/, []],
    ['the page comes by its own scheme', /loadFile\(|['"`]file:\/\//, []],
    [
      'what another program sends is taken in one place',
      /setAsDefaultProtocolClient|open-url/,
      [join('electron', 'main.ts')],
    ],
    ['what hears a page asks whose it is', /ipcMain\s*\.|\.ipc\s*\./, [join('electron', 'ipc-handlers.ts')]],
    ['no text runs in the page', /executeJavaScript|webFrame|insertCSS/, []],
    ['programs are started by nobody', /child_process|openPath\(|showItemInFolder|utilityProcess/, []],
  ]
  for (const [why, pattern, within] of round) {
    const found = sources('electron').filter(({ text }) => pattern.test(text))
    expect(
      found.map(({ path }) => path),
      why,
    ).toEqual(within)
  }
  const main = readFileSync(join(root, 'electron', 'main.ts'), 'utf8')
  expect(main).toContain('guardSession(session.defaultSession, APP_ORIGIN)')
  expect(main).toContain("app.on('web-contents-created', (_event, contents) => guardContents(contents,")
  const loaded = [...main.matchAll(/loadURL\((.*?)\)/g)].map(([, url]) => url)
  expect(loaded).toEqual([expect.stringMatching(/^`\$\{APP_ORIGIN\}\/`$/)])
  // Where `guardContents` lets an address go, and nowhere else.
  expect(main.match(/openExternal/g)).toHaveLength(1)
})

test('13. Electron is pinned to the one version that the tests run in', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const installed = JSON.parse(readFileSync(join(root, 'node_modules', 'electron', 'package.json'), 'utf8'))
  expect(devDependencies.electron).toMatch(/^\d+\.\d+\.\d+$/)
  expect(installed.version).toBe(devDependencies.electron)
})

test('14. of an address that another program sends a place in the page is taken, and never a file', async () => {
  const opened: string[] = []
  const files = new OpenFiles({
    served: new ServedFiles(),
    send: () => undefined,
    remember: (path) => opened.push(path),
  })
  const secret = join(root, 'package.json')
  const { length: depth } = secret.split(sep)
  for (const address of [
    `rollout-inspector:${secret}`,
    `rollout-inspector://${secret}`,
    `ROLLOUT-INSPECTOR://app/${'../'.repeat(depth)}${secret}`,
    `rollout-inspector://other/${'../'.repeat(depth)}${secret}`,
    `rollout-inspector:${'/..'.repeat(depth)}${secret}#view=lab`,
    ...ELSEWHERE.filter((each) => /^rollout-inspector:/.test(each)),
  ]) {
    expect(await files.open([address], root), address).toEqual({
      files: [],
      problems: [expect.stringMatching(/^That link/)],
    })
  }
  const own = `rollout-inspector://app/${'../'.repeat(depth)}${secret}#view=lab`
  expect(await files.open([own], root)).toEqual({ files: [], problems: [], link: '#view=lab' })
  expect(opened).toEqual([])
})
