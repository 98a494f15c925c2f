import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { IpcMain, MenuItemConstructorOptions } from 'electron'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { APP_ORIGIN, APP_SCHEME } from '../../electron/app-protocol.ts'
import type { OfferedCommand, RecentFile } from '../../electron/bridge.ts'
import { type Handlers, handleRequests } from '../../electron/ipc-handlers.ts'
import { placeOfLink } from '../../electron/links.ts'
import { ApplicationMenu, acceleratorOf, type MenuActions, menuTemplate } from '../../electron/menu.ts'
import { pathsFromArguments } from '../../electron/open-files.ts'
import { RecentFiles } from '../../electron/recent.ts'
import { isGranted, isOurs, mayBeRequested, mayOpenOutside, windowPreferences } from '../../electron/security.ts'

const RECENT: RecentFile = { id: 'f0', name: 'R&D.jsonl', where: 'runs/a', openedAt: '1970-01-01T00:00:00.000Z' }
const COMMAND: OfferedCommand = { id: 'rollouts', title: 'Go to Rollouts', menu: 'Go', keys: ['2'], isPossible: true }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-modules-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('security', () => {
  test('a window is sandboxed, isolated and without Node', () => {
    expect(windowPreferences('/preload.cjs')).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      experimentalFeatures: false,
      allowRunningInsecureContent: false,
    })
  })

  test('the page has a secure origin of its own, outside of which no content policy is bypassed', () => {
    expect(APP_ORIGIN).toBe('rollout-inspector://app')
    expect(APP_SCHEME.privileges).toMatchObject({
      standard: true,
      secure: true,
      supportFetchAPI: true,
      codeCache: true,
    })
    expect(APP_SCHEME.privileges?.bypassCSP).toBeUndefined()
    expect(APP_SCHEME.privileges?.corsEnabled).toBeUndefined()
  })

  test.each([
    [`${APP_ORIGIN}/`, true],
    [`${APP_ORIGIN}/#rollout`, true],
    ['rollout-inspector://app.evil/', false],
    ['rollout-inspector://application/', false],
    ['rollout-inspector://other/', false],
    ['https://example.com/', false],
    ['file:///etc/passwd', false],
    ['javascript:alert(1)', false],
    ['about:blank', false],
  ])('%s is ours: %s', (url, ours) => {
    expect(isOurs(url, APP_ORIGIN)).toBe(ours)
  })

  test.each([
    [`${APP_ORIGIN}/main.js`, true],
    ['data:image/png;base64,AA', true],
    [`blob:${APP_ORIGIN}/1234`, true],
    ['blob:https://example.com/1234', false],
    ['https://example.com/', false],
    ['http://127.0.0.1/', false],
    ['file:///etc/passwd', false],
    ['wss://example.com/', false],
  ])('a request for %s goes out: %s', (url, may) => {
    expect(mayBeRequested(url, APP_ORIGIN)).toBe(may)
  })

  test.each([
    ['https://github.com/huggingface/trl', true],
    ['https://arxiv.org/abs/2402.03300', true],
    ['http://github.com/', false],
    ['https://github.com.example.com/', false],
    ['https://user:secret@github.com/', false],
    ['https://github.com:8443/', false],
    ['file:///etc/passwd', false],
    ['javascript:alert(1)', false],
    ['not an address', false],
  ])('%s is opened in the browser: %s', (url, may) => {
    expect(mayOpenOutside(url)).toBe(may)
  })

  test('the page may put text on the clipboard, and nothing else', () => {
    expect(isGranted('clipboard-sanitized-write', `${APP_ORIGIN}/`, APP_ORIGIN)).toBe(true)
    expect(isGranted('clipboard-sanitized-write', 'https://example.com/', APP_ORIGIN)).toBe(false)
    for (const other of ['clipboard-read', 'media', 'geolocation', 'notifications', 'fileSystem', 'openExternal']) {
      expect(isGranted(other, `${APP_ORIGIN}/`, APP_ORIGIN)).toBe(false)
    }
  })
})

describe('requests of the page', () => {
  type Listener = (event: unknown, ...input: unknown[]) => Promise<unknown>
  const listeners = new Map<string, Listener>()
  const ipcMain = { handle: (channel: string, listener: Listener) => void listeners.set(channel, listener) }
  const nothing = { files: [], problems: [] }
  const handlers: Handlers = {
    ready: async () => nothing,
    'pick-files': async () => nothing,
    'remember-dropped': async () => undefined,
    'open-workspace': async () => nothing,
    'save-workspace': async () => ({ kind: 'cancelled' }),
    'recent-files': async () => [],
    'open-recent': async () => nothing,
    'begin-saving': async () => null,
    'may-write': async () => true,
    'write-piece': async () => null,
    'end-saving': async () => ({ kind: 'cancelled' }),
    'stop-saving': async () => undefined,
    picture: async () => new Uint8Array(0),
    'offer-commands': async () => undefined,
    'set-progress': async () => undefined,
  }
  handleRequests(ipcMain as unknown as IpcMain, APP_ORIGIN, handlers)
  const ours = { senderFrame: { url: `${APP_ORIGIN}/`, parent: null } }
  const ask =
    (event: unknown, channel: string, ...input: unknown[]) =>
    async () =>
      listeners.get(channel)!(event, ...input)

  test('are answered', async () => {
    expect(await ask(ours, 'write-piece', 1, 'a', new Uint8Array(1))()).toBeNull()
    expect(await ask(ours, 'set-progress', 0.5)()).toBeUndefined()
  })

  test.each([
    ['a frame that is gone', { senderFrame: null }],
    ['another origin', { senderFrame: { url: 'https://example.com/', parent: null } }],
    ['a frame inside the page', { senderFrame: { url: `${APP_ORIGIN}/`, parent: {} } }],
  ])('are refused from %s', async (_name, event) => {
    for (const channel of listeners.keys()) await expect(ask(event, channel)()).rejects.toThrow(/only the page/)
  })

  test.each([
    ['pick-files', ['everything']],
    ['remember-dropped', [7]],
    ['remember-dropped', ['']],
    ['offer-commands', [[{ id: 'a', title: 'A', menu: 'File', keys: [], isPossible: true }]]],
    ['offer-commands', [[{ id: 'a', title: 'A', menu: 'Go', keys: [7], isPossible: true }]]],
    ['offer-commands', [Array.from({ length: 501 }, () => COMMAND)]],
    ['open-workspace', ['']],
    ['open-workspace', [['/a']]],
    ['save-workspace', [[{ name: 'a' }], '']],
    ['save-workspace', [[{ name: 'a', path: '' }], '']],
    ['save-workspace', [[{ name: 'a', path: 7, url: '/file/a' }], '']],
    ['save-workspace', [[{ name: 'a', url: '/file/a' }], null]],
    ['open-recent', [null]],
    ['begin-saving', [7]],
    ['may-write', [1, 'a']],
    ['may-write', [1, [7]]],
    ['write-piece', ['1', 'a', new Uint8Array(1)]],
    ['write-piece', [1, 'a', 'text']],
    ['write-piece', [1, null, new Uint8Array(1)]],
    ['end-saving', ['1']],
    ['stop-saving', [null]],
    ['set-progress', [2]],
    ['set-progress', [Number.NaN]],
    ['ready', ['more']],
    ['picture', [{ x: 0 }]],
  ])('%s with %j is refused', async (channel, input) => {
    await expect(ask(ours, channel, ...input)()).rejects.toThrow(/another shape/)
  })
})

describe('recent files', () => {
  const store = () => join(folder, 'user-data', 'recent.json')
  const make = (name: string) => {
    const path = join(folder, name)
    writeFileSync(path, '')
    return path
  }

  test('are newest first, once each, at most twelve, and there after a restart', () => {
    const recent = new RecentFiles(store(), () => new Date(0))
    for (let index = 0; index < 14; index++) recent.add(make(`${index}.jsonl`))
    recent.add(join(folder, '5.jsonl'))
    const names = new RecentFiles(store()).list().map(({ name }) => name)
    expect(names).toEqual(
      ['5', '13', '12', '11', '10', '9', '8', '7', '6', '4', '3', '2'].map((name) => `${name}.jsonl`),
    )
    expect(recent.list()[0]).toMatchObject({ openedAt: '1970-01-01T00:00:00.000Z' })
  })

  test('that are gone are not listed, and no id but theirs gives a path', () => {
    const recent = new RecentFiles(store())
    const path = make('here.jsonl')
    recent.add(path)
    recent.add(join(folder, 'gone.jsonl'))
    expect(recent.list().map(({ name }) => name)).toEqual(['here.jsonl'])
    expect(recent.pathOf(recent.list()[0]!.id)).toBe(path)
    expect(recent.pathOf(path)).toBeNull()
    recent.clear()
    expect(new RecentFiles(store()).list()).toEqual([])
  })

  test('that cannot be kept are known until the program ends', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const recent = new RecentFiles(join(make('file'), 'recent.json'))
    recent.add(make('here.jsonl'))
    expect(recent.list().map(({ name }) => name)).toEqual(['here.jsonl'])
  })

  test.each(['', 'no json', '{}', '[1, {"path": 2}, null]'])('a torn list (%j) is an empty one', (text) => {
    mkdirSync(join(folder, 'user-data'))
    writeFileSync(store(), text)
    expect(new RecentFiles(store()).list()).toEqual([])
  })
})

test('arguments are files, not switches nor the program itself', () => {
  expect(pathsFromArguments(['electron', '--no-sandbox', '/app', 'a.jsonl', '', '--flag', 'b.jsonl'], false)).toEqual([
    'a.jsonl',
    'b.jsonl',
  ])
  expect(pathsFromArguments(['rollout-inspector', 'a.jsonl'], true)).toEqual(['a.jsonl'])
  expect(pathsFromArguments(['electron', '/app'], false)).toEqual([])
  // As a desktop entry gives them (%U), on this system or another.
  const path = join(folder, 'a b.rollout-workspace')
  expect(pathsFromArguments(['rollout-inspector', pathToFileURL(path).href], true)).toEqual([path])
  expect(pathsFromArguments(['rollout-inspector', 'file://%zz'], true)).toEqual(['file://%zz'])
})

test.each([
  ['rollout-inspector://app/#view=groups', '#view=groups'],
  ['rollout-inspector://app/', '#'],
  ['rollout-inspector://app/file/AAAA#view=lab', '#view=lab'],
  ['rollout-inspector://app.evil/#view=groups', null],
  ['rollout-inspector://other/#view=groups', null],
  [`rollout-inspector://app/#${'a'.repeat(100_000)}`, null],
  ['run.jsonl', null],
])('of %.60s as a link is taken %s', (word, place) => {
  expect(placeOfLink(word)).toBe(place)
})

function menuActions(done: string[]): MenuActions {
  return {
    newWindow: () => void done.push('window'),
    openFiles: () => void done.push('files'),
    openFolder: () => void done.push('folder'),
    openRecent: (id) => void done.push(id),
    clearRecent: () => void done.push('clear'),
    runCommand: (id) => void done.push(id),
  }
}

function allItems(items: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions[] {
  return items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? allItems(item.submenu) : [])])
}

test.each([
  'darwin',
  'linux',
  'win32',
] as const)('the menu on %s opens, clears, ends and gives commands', (platform) => {
  const done: string[] = []
  const commands: OfferedCommand[] = [
    COMMAND,
    { ...COMMAND, id: 'open', menu: 'General' },
    { ...COMMAND, id: 'flag', menu: 'Table' },
    { ...COMMAND, id: 'export-csv', menu: 'Export' },
  ]
  const items = allItems(menuTemplate(platform, menuActions(done), commands, [RECENT]))
  for (const { click } of items) (click as (() => void) | undefined)?.()
  const opened = platform === 'darwin' ? [] : ['f0']
  expect(done).toEqual(['window', 'files', 'folder', ...opened, 'clear', 'rollouts', 'flag', 'export-csv'])
  expect(items.some(({ label }) => label === 'R&&D.jsonl  (runs/a)')).toBe(platform !== 'darwin')
  expect(items.some(({ role }) => role === (platform === 'darwin' ? 'close' : 'quit'))).toBe(true)
  expect(items.some(({ label }) => label === 'Lab')).toBe(false)
})

test('the menu is built again for other commands only; else items turn grey', () => {
  const shown: MenuItemConstructorOptions[][] = []
  const menu = new ApplicationMenu('linux', menuActions([]), (template) => {
    shown.push(template)
    const find = (id: string) => allItems(template).find((item) => item.id === id)
    return { getMenuItemById: (id) => (find(id) as { enabled: boolean } | undefined) ?? null }
  })
  const item = () => allItems(shown.at(-1)!).find(({ id }) => id === 'command-rollouts')
  menu.offer([COMMAND])
  expect([shown.length, item()?.enabled]).toEqual([2, true])
  menu.offer([{ ...COMMAND, isPossible: false }])
  expect([shown.length, item()?.enabled]).toEqual([2, false])
  menu.offer([COMMAND])
  expect([shown.length, item()?.enabled]).toEqual([2, true])
  menu.recall([RECENT])
  expect([shown.length, item()?.enabled]).toEqual([3, true])
  menu.recall([{ ...RECENT }])
  menu.offer([])
  expect([shown.length, item()]).toEqual([4, undefined])
  expect(allItems(shown.at(-1)!).some(({ label }) => label?.startsWith('R&&D'))).toBe(true)
})

test('a recent file is named so that its name can do nothing to the menu', () => {
  const label = (name: string) =>
    allItems(menuTemplate('linux', menuActions([]), [], [{ ...RECENT, name }])).find(({ label }) =>
      label?.endsWith('(runs/a)'),
    )?.label
  expect(label('r\u202egnp\n.jsonl')).toBe('r‹U+202E›gnp\u240a.jsonl  (runs/a)')
  expect(label(`${'x'.repeat(200)}.jsonl`)).toBe(`${'x'.repeat(30)}…${'x'.repeat(24)}.jsonl  (runs/a)`)
})

test('no key does two things in the menu, and what is large or small can be made otherwise by each of its keys', () => {
  const items = allItems(menuTemplate('linux', menuActions([]), [COMMAND], []))
  const keys = items.flatMap(({ accelerator }) => accelerator ?? [])
  expect(new Set(keys).size).toBe(keys.length)
  const zoom = items.filter(({ role, visible }) => role === 'zoomIn' && visible === false)
  expect(zoom.map(({ accelerator }) => accelerator)).toEqual(['CmdOrCtrl+=', 'CmdOrCtrl+numadd'])
})

test('a title is drawn as it is, and its key is shown, not taken', () => {
  const [item] = allItems(menuTemplate('linux', menuActions([]), [{ ...COMMAND, title: 'Q&A' }], [])).filter(
    ({ id }) => id === 'command-rollouts',
  )
  expect(item).toMatchObject({ label: 'Q&&A', accelerator: '2', registerAccelerator: false })
})

test.each([
  ['j', 'linux', 'J'],
  ['J', 'win32', 'Shift+J'],
  ['Mod+k', 'linux', 'CmdOrCtrl+K'],
  ['Mod+P', 'win32', 'CmdOrCtrl+Shift+P'],
  ['Mod+z', 'darwin', null],
  ['j', 'darwin', null],
  ['?', 'linux', null],
  ['ArrowLeft', 'linux', null],
  ['', 'linux', null],
] as const)('the key %s on %s is drawn as %s', (key, platform, drawn) => {
  expect(acceleratorOf(key, platform)).toBe(drawn)
})
