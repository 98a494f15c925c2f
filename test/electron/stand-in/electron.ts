import { EventEmitter } from 'node:events'
import type { BrowserWindowConstructorOptions, MenuItemConstructorOptions } from 'electron'
import type { Browser } from 'playwright-core'
import { StandInWindow } from './window.ts'

/** Applications of one stand-in computer: a second start finds the first by it. */
export class Computer {
  first: EventEmitter | null = null
}

/** What pages of the stand-in ask its other parts. */
export interface StandInBackstage {
  readonly browser: Browser
  readonly scheme: string
  readonly pageErrors: string[]
  windowMade(window: StandInWindow): void
  invoke(
    event: { sender: object; senderFrame: { url: string; parent: object | null } },
    channel: string,
    input: unknown[],
  ): unknown
  /** The answer to a page's request; null = blocked. */
  request(url: string, method: string, headers: Record<string, string>): Promise<Response | null>
  grantedPermissions(): string[]
}

const PERMISSIONS = { geolocation: 'geolocation', notifications: 'notifications', 'clipboard-read': 'clipboard-read' }

type BeforeRequest = (details: { url: string }, answer: (decision: { cancel?: boolean }) => void) => void
type PermissionCheck = (contents: unknown, permission: string, requestingOrigin: string) => boolean
type PermissionRequest = (
  contents: unknown,
  permission: string,
  answer: (granted: boolean) => void,
  details: { requestingUrl: string },
) => void
type Handler = (event: unknown, ...input: unknown[]) => unknown

/** Electron's main-process module as far as the application uses it, strict where Electron is, and what a test may see of it. */
export function createElectron(browser: Browser, computer: Computer, userData: string) {
  let isReady = false
  let quit = false
  const windows: StandInWindow[] = []
  const seen = { external: [] as string[], blocked: [] as string[], dialogs: [] as object[], recent: [] as string[] }
  const answers = { open: [] as (string[] | null)[], save: [] as (string | null)[], message: [] as number[] }
  const schemes = new Set<string>()
  const schemeHandlers = new Map<string, (request: Request) => Promise<Response>>()
  const ipcHandlers = new Map<string, Handler>()
  const pageErrors: string[] = []
  let menu: MenuItemConstructorOptions[] = []
  let beforeRequest: BeforeRequest | null = null
  let permissionRequest: PermissionRequest | null = null
  let permissionCheck: PermissionCheck | null = null

  const needReady = (what: string) => {
    if (!isReady) throw new Error(`${what} can only be used after the app is ready`)
  }
  const next = <T>(queue: T[], what: string): T => {
    const answer = queue.shift()
    if (answer === undefined) throw new Error(`Nobody is there to answer the ${what} dialog`)
    return answer
  }

  const app = Object.assign(new EventEmitter(), {
    isPackaged: false,
    isReady: () => isReady,
    whenReady: async () => {
      // Never before the main module has run to its end, as in Electron.
      await new Promise((later) => setImmediate(later))
      isReady = true
    },
    getPath: (name: string) => (name === 'userData' ? userData : `${userData}/${name}`),
    requestSingleInstanceLock(data: unknown) {
      if (computer.first === null) {
        computer.first = app
        return true
      }
      computer.first.emit('second-instance', {}, process.argv, process.cwd(), structuredClone(data))
      return false
    },
    quit: () => void (quit = true),
    addRecentDocument: (path: string) => void seen.recent.push(path),
    clearRecentDocuments: () => void seen.recent.splice(0),
  })

  const backstage: StandInBackstage = {
    browser,
    get scheme() {
      return [...schemes][0] ?? 'none'
    },
    pageErrors,
    windowMade(window) {
      needReady('BrowserWindow')
      windows.push(window)
      window.once('closed', () => {
        windows.splice(windows.indexOf(window), 1)
        if (windows.length === 0) app.emit('window-all-closed')
      })
      app.emit('web-contents-created', {}, window.webContents)
    },
    invoke(event, channel, input) {
      const handler = ipcHandlers.get(channel)
      if (handler === undefined) throw new Error(`No handler registered for '${channel}'`)
      return handler(event, ...input)
    },
    async request(url, method, headers) {
      let cancelled = false
      beforeRequest?.({ url }, (decision) => void (cancelled = decision.cancel === true))
      const handler = schemeHandlers.get(new URL(url).protocol.slice(0, -1))
      if (cancelled || handler === undefined) {
        seen.blocked.push(url)
        return null
      }
      const range = headers.range
      return handler(new Request(url, { method, headers: range === undefined ? {} : { range } }))
    },
    grantedPermissions() {
      // Electron grants what no handler denies.
      const url = `${backstage.scheme}://app/`
      return Object.entries(PERMISSIONS).flatMap(([permission, inBrowser]) => {
        let requested = permissionRequest === null
        permissionRequest?.(null, permission, (granted) => void (requested = granted), { requestingUrl: url })
        const checked = permissionCheck?.(null, permission, url) ?? true
        return requested || checked ? [inBrowser] : []
      })
    },
  }

  class BrowserWindow extends StandInWindow {
    constructor(options: BrowserWindowConstructorOptions) {
      super(backstage, options)
    }
  }

  const module = {
    app,
    BrowserWindow,
    dialog: {
      async showOpenDialog(_window: unknown, options: object) {
        seen.dialogs.push(options)
        const filePaths = next(answers.open, 'open')
        return filePaths === null ? { canceled: true, filePaths: [] } : { canceled: false, filePaths }
      },
      async showSaveDialog(_window: unknown, options: object) {
        seen.dialogs.push(options)
        const filePath = next(answers.save, 'save')
        return filePath === null ? { canceled: true, filePath: '' } : { canceled: false, filePath }
      },
      async showMessageBox(_window: unknown, options: object) {
        seen.dialogs.push(options)
        return { response: next(answers.message, 'message') }
      },
    },
    ipcMain: {
      handle(channel: string, handler: Handler) {
        if (ipcHandlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
        ipcHandlers.set(channel, handler)
      },
    },
    Menu: {
      buildFromTemplate: (template: MenuItemConstructorOptions[]) =>
        Object.assign([...template], {
          getMenuItemById: (id: string) => allItems(template).find((item) => item.id === id) ?? null,
        }),
      setApplicationMenu: (template: MenuItemConstructorOptions[]) => void (menu = template),
    },
    nativeTheme: { shouldUseDarkColors: false },
    protocol: {
      registerSchemesAsPrivileged(given: { scheme: string }[]) {
        if (isReady) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
        for (const { scheme } of given) schemes.add(scheme)
      },
      handle(scheme: string, handler: (request: Request) => Promise<Response>) {
        needReady('protocol')
        schemeHandlers.set(scheme, handler)
      },
    },
    screen: {
      getAllDisplays() {
        needReady('screen')
        return [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }]
      },
    },
    session: {
      get defaultSession() {
        needReady('session')
        return Object.assign(new EventEmitter(), {
          setPermissionRequestHandler: (handler: PermissionRequest) => void (permissionRequest = handler),
          setPermissionCheckHandler: (handler: typeof permissionCheck) => void (permissionCheck = handler),
          setDevicePermissionHandler: () => undefined,
          webRequest: { onBeforeRequest: (listener: BeforeRequest) => void (beforeRequest = listener) },
        })
      },
    },
    shell: { openExternal: async (url: string) => void seen.external.push(url) },
  }

  const clickMenu = (id: string) => {
    const item = allItems(menu).find((one) => one.id === id)
    const click = item?.click as (() => void) | undefined
    if (click === undefined) throw new Error(`The menu has no item ${id}`)
    if (item?.enabled === false) throw new Error(`The item ${id} is grey`)
    click()
  }
  return { module, app, windows, seen, answers, pageErrors, clickMenu, hasQuit: () => quit }
}

function allItems(items: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions[] {
  return items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? allItems(item.submenu) : [])])
}

export type StandInElectron = ReturnType<typeof createElectron>
