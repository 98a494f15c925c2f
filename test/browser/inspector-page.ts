import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type RunningServer, startServer } from '../../cli/server/http-server.ts'
import { findPlaces } from '../../cli/server/places.ts'
import { findSample } from '../../cli/server/sample.ts'
import { ServedFiles } from '../../cli/server/served-files.ts'
import { createSite } from '../../cli/server/site.ts'

export const SAMPLES = findPlaces().samples

/** The built page behind the real loopback server, as a person without the desktop shell has it. */
export function servePage(): Promise<RunningServer> {
  const places = findPlaces()
  const session = async () => ({ files: [], sample: await findSample(places.samples), notice: null })
  const site = createSite({ places, served: new ServedFiles(), session })
  return startServer(site, { host: '127.0.0.1', port: 0, orNext: false })
}

/** One window of the page, with what a person does in it. */
export interface Window {
  readonly page: Page
  /** What the page threw or logged as an error, refusals of its content policy included. */
  readonly errors: readonly string[]
  /** Drops files and folders of the disk in the middle of the page. */
  drop(paths: readonly string[]): Promise<void>
  /** Waits until everything has been read. */
  read(): Promise<void>
  close(): Promise<void>
}

export async function openWindow(
  browser: Browser,
  server: RunningServer,
  options: BrowserContextOptions = {},
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
  await page.goto(server.url)
  await page.getByRole('button', { name: 'Open files…' }).waitFor()
  const devtools = await context.newCDPSession(page)
  return {
    page,
    errors,
    async drop(paths) {
      const data = { items: [], files: [...paths], dragOperationsMask: 1 }
      const send = (type: 'dragEnter' | 'dragOver' | 'dragCancel' | 'drop') =>
        devtools.send('Input.dispatchDragEvent', { type, x: 700, y: 400, data })
      // A drag that enters while the browser is still busy with the page's first frame is lost.
      for (let tries = 0; tries < 10; tries++) {
        await send('dragEnter')
        const taken = await page
          .locator('.drop-cover')
          .waitFor({ timeout: 1000 })
          .then(
            () => true,
            () => false,
          )
        if (taken) break
        await send('dragCancel')
      }
      await send('dragOver')
      await send('drop')
    },
    async read() {
      await page.getByText(/^read [\d,]+ rollouts?$/).waitFor()
    },
    close: () => context.close(),
  }
}

/** A folder for the files of one test. */
export class TestFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'rollout-inspector-page-'))

  write(name: string, content: string | Uint8Array): string {
    const file = join(this.path, name)
    writeFileSync(file, content)
    return file
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
