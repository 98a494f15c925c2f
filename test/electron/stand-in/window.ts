import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import type { BrowserWindowConstructorOptions, Rectangle, WindowOpenHandlerResponse } from 'electron'
import type { BrowserContext, Frame, Page, Request, Route } from 'playwright-core'
import { fromBrowser, toBrowser } from './addresses.ts'
import type { StandInBackstage } from './electron.ts'
import { DELIVER, INVOKE, preloadScript } from './preload-runtime.ts'

type OpenHandler = (details: { url: string }) => WindowOpenHandlerResponse

class StandInContents extends EventEmitter {
  openHandler: OpenHandler | null = null

  constructor(private readonly window: StandInWindow) {
    super()
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler
  }

  reload(): void {
    void this.window.page.then((page) => page.reload())
  }

  async capturePage(): Promise<{ toPNG(): Buffer }> {
    const bytes = await (await this.window.page).screenshot()
    return { toPNG: () => bytes }
  }

  /** Like Electron, drops a message to a window whose page is not there. */
  send(channel: string, value: unknown): void {
    void this.window.page
      .then((page) =>
        page.evaluate(
          ([deliver, name, sent]) => {
            const scope = window as unknown as Record<string, (channel: string, value: unknown) => void>
            scope[deliver as string]?.(name as string, sent)
          },
          [DELIVER, channel, value],
        ),
      )
      .catch(() => undefined)
  }
}

/** A `BrowserWindow` that is a page of a real Chromium. */
export class StandInWindow extends EventEmitter {
  readonly webContents: StandInContents
  readonly page: Promise<Page>
  progress = -1
  focused = 0
  /** Resolves when the first page has loaded. */
  readonly loaded: Promise<void>
  private tellLoaded: () => void = () => undefined
  private loading: string | null = null
  private popupsDenied = true

  constructor(
    private readonly backstage: StandInBackstage,
    readonly options: BrowserWindowConstructorOptions,
  ) {
    super()
    this.webContents = new StandInContents(this)
    backstage.windowMade(this)
    this.loaded = new Promise((done) => {
      this.tellLoaded = done
    })
    this.page = this.makePage()
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.page
    this.loading = toBrowser(url)
    await page.goto(this.loading)
    this.tellLoaded()
  }

  show(): void {}
  restore(): void {}
  isMinimized(): boolean {
    return false
  }
  focus(): void {
    this.focused++
  }
  setProgressBar(value: number): void {
    this.progress = value
  }

  isDestroyed(): boolean {
    return false
  }
  maximize(): void {}
  isMaximized(): boolean {
    return false
  }
  getNormalBounds(): Rectangle {
    const { x = 0, y = 0, width = 800, height = 600 } = this.options
    return { x, y, width, height }
  }

  async close(): Promise<void> {
    this.emit('close')
    const page = await this.page
    await page.context().close()
    this.emit('closed')
  }

  private async makePage(): Promise<Page> {
    const context = await this.backstage.browser.newContext({ viewport: { width: 1440, height: 920 } })
    await context.grantPermissions(this.backstage.grantedPermissions())
    await context.exposeBinding(INVOKE, async ({ frame }, channel: string, input: unknown[]) => {
      const url = fromBrowser(frame.url(), this.backstage.scheme)
      const parent = frame.parentFrame() === null ? null : {}
      const from = { sender: this.webContents, senderFrame: { url, parent } }
      // As Electron sends it: a Buffer arrives as plain bytes.
      return structuredClone(await this.backstage.invoke(from, channel, input))
    })
    const preload = this.options.webPreferences?.preload
    if (preload !== undefined) await context.addInitScript(preloadScript(readFileSync(preload, 'utf8')))
    const page = await context.newPage()
    await context.route('**/*', async (route) => {
      try {
        await this.answer(route)
      } catch (error) {
        // What a closed page had still asked for concerns nobody; any other failure is the stand-in's own.
        if (this.backstage.browser.isConnected() && !page.isClosed()) throw error
      }
    })
    this.watch(page, context)
    return page
  }

  private watch(page: Page, context: BrowserContext): void {
    page.once('load', () => this.emit('ready-to-show'))
    collectErrors(page, this.backstage.pageErrors)
    context.on('page', (other) => {
      if (other !== page && this.popupsDenied) void other.close()
    })
  }

  /** One request of the page: navigation is asked about, then the session, then the scheme's handler answers. */
  private async answer(route: Route): Promise<void> {
    const request = route.request()
    const url = fromBrowser(request.url(), this.backstage.scheme)
    const page = await this.page
    const frame = request.isNavigationRequest() ? frameOf(request) : null
    if (request.isNavigationRequest() && frame?.page() !== page) {
      // The first address of a window that the page opened: Electron asks before there is such a window.
      const decided = this.webContents.openHandler?.({ url })
      if (decided?.action === 'deny') return route.abort('blockedbyclient')
      this.popupsDenied = false
    } else if (frame !== null) {
      const isMainFrame = frame === page.mainFrame()
      const byOurselves = isMainFrame && request.url() === this.loading
      this.webContents.emit('did-start-navigation', { isMainFrame, isSameDocument: false, url })
      if (!byOurselves && this.prevented(url, isMainFrame)) {
        // An answer without content leaves the page where it is, as a prevented navigation does.
        return route.fulfill({ status: 204 })
      }
    }
    const response = await this.backstage.request(url, request.method(), await request.allHeaders())
    if (response === null) return route.abort('blockedbyclient')
    // Told before the page that comes can ask anything.
    if (frame === page.mainFrame()) this.webContents.emit('did-navigate')
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    })
  }

  private prevented(url: string, isMainFrame: boolean): boolean {
    let prevented = false
    const event = { url, isMainFrame, preventDefault: () => void (prevented = true) }
    this.webContents.emit('will-frame-navigate', event)
    // What comes after a prevented one does not come.
    if (isMainFrame && !prevented) this.webContents.emit('will-navigate', event)
    return prevented
  }
}

/** Keeps what a page throws and what its content policy refuses. */
export function collectErrors(page: Page, errors: string[]): void {
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
}

/** The frame that navigates; null for a window that is not there yet. */
function frameOf(request: Request): Frame | null {
  try {
    return request.frame()
  } catch {
    return null
  }
}
