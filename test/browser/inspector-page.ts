import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type RunningServer, startServer } from '../../cli/server/http-server.ts'
import { findPlaces } from '../../cli/server/places.ts'
import { findSample } from '../../cli/server/sample.ts'
import { ServedFiles } from '../../cli/server/served-files.ts'
import { createSite, type Site } from '../../cli/server/site.ts'

export const SAMPLES = findPlaces().samples

/**
 * The built page behind the real loopback server, as a person without the desktop shell has it.
 *
 * @param held requests whose address has this part are not answered before
 */
export function servePage(held?: { readonly part: string; readonly until: Promise<void> }): Promise<RunningServer> {
  const places = findPlaces()
  const session = async () => ({ files: [], sample: await findSample(places.samples), notice: null })
  const site = createSite({ places, served: new ServedFiles(), session })
  const holding: Site = async (request) => {
    if (held !== undefined && request.url.includes(held.part)) await held.until
    return site(request)
  }
  return startServer(holding, { host: '127.0.0.1', port: 0, orNext: false })
}

/** A page that opens one file at once, of which the server holds everything from `from` bytes on back until `release`. */
export interface SlowFile {
  readonly server: RunningServer
  release(): void
}

export async function serveSlowly(name: string, content: Uint8Array<ArrayBuffer>, from: number): Promise<SlowFile> {
  const places = findPlaces()
  const file = { name, url: '/slow', size: content.length }
  const session = async () => ({ files: [file], sample: null, notice: null })
  const site = createSite({ places, served: new ServedFiles(), session })
  let release = () => {}
  const released = new Promise<void>((done) => {
    release = done
  })
  const slowly: Site = async (request) => {
    if (new URL(request.url).pathname !== file.url) return site(request)
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '')
    const start = Number(range?.[1] ?? 0)
    const end = range === null ? content.length : Number(range[2]) + 1
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        if (start < from) controller.enqueue(content.subarray(start, Math.min(end, from)))
        if (end > from) {
          await released
          controller.enqueue(content.subarray(Math.max(start, from), end))
        }
        controller.close()
      },
    })
    const headers = { 'content-range': `bytes ${start}-${end - 1}/${content.length}` }
    return new Response(body, { status: 206, headers })
  }
  const server = await startServer(slowly, { host: '127.0.0.1', port: 0, orNext: false })
  return { server, release: () => release() }
}

/** The keys of the views, each with what stands in the page once its view is drawn with a dump open. */
export const VIEW_SIGNS = {
  1: '.verdicts .defect, .verdicts .verdict-row',
  2: '.rollout-table tbody .rollout-row',
  3: '.group-table tbody .group-row',
  4: 'fieldset[aria-label="What to try"]',
  5: '.view h2, .view h1',
  6: '[data-card]',
} as const

/** One window of the page, with what a person does in it. */
export interface Window {
  readonly page: Page
  /** What the page threw or logged as an error, refusals of its content policy included. */
  readonly errors: readonly string[]
  /** Drops files and folders of the disk in the middle of the page, or at this height of it (pixels from above). */
  drop(paths: readonly string[], height?: number): Promise<void>
  /** Waits until everything has been read. */
  read(): Promise<void>
  close(): Promise<void>
}

/** @param prepare is done before the page is there */
export async function openWindow(
  browser: Browser,
  server: RunningServer,
  options: BrowserContextOptions = {},
  prepare: (page: Page) => Promise<void> = async () => undefined,
): Promise<Window> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    acceptDownloads: true,
    ...options,
  })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
  await page.addInitScript("addEventListener('drop', () => { window.dropsSeen = (window.dropsSeen ?? 0) + 1 }, true)")
  await prepare(page)
  await page.goto(server.url)
  await page.getByRole('button', { name: /^Open( files)?…$/ }).waitFor()
  const devtools = await context.newCDPSession(page)
  return {
    page,
    errors,
    async drop(paths, height = 400) {
      const data = { items: [], files: [...paths], dragOperationsMask: 1 }
      const send = (type: 'dragEnter' | 'dragOver' | 'dragCancel' | 'drop') =>
        devtools.send('Input.dispatchDragEvent', { type, x: 700, y: height, data })
      const seen = () => page.evaluate('window.dropsSeen ?? 0')
      const before = await seen()
      // A drag that enters while the browser is still busy with the page's first frame is lost, and so is a drop that comes
      // before the page has said that it would take one.
      for (let tries = 0; tries < 10; tries++) {
        await send('dragEnter')
        const cover = page.locator('.drop-cover').waitFor({ timeout: 1000 })
        if (!(await cover.then(yes, no))) {
          await send('dragCancel')
          continue
        }
        await send('dragOver')
        await send('drop')
        for (let waits = 0; waits < 40; waits++) {
          if ((await seen()) !== before) return
          await page.waitForTimeout(50)
        }
      }
      throw new Error(`The browser lost every drop of ${paths.join(', ')}.`)
    },
    async read() {
      await page.getByText(/^read [\d,]+ rollouts?$/).waitFor()
    },
    close: () => context.close(),
  }
}

/** Gives the storage of a page so much room, in bytes; without a number what the browser would. */
export async function giveRoom(page: Page, url: string, bytes?: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const quota = bytes === undefined ? {} : { quotaSize: bytes }
  await devtools.send('Storage.overrideQuotaForOrigin', { origin: new URL(url).origin, ...quota })
}

const yes = () => true
const no = () => false

/** A folder for the files of one test. */
export class TestFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'rollout-inspector-page-'))

  write(name: string, content: string | Uint8Array): string {
    const file = join(this.path, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    return file
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
