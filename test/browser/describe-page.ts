import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'
import type { RunningServer } from '../../cli/server/http-server.ts'
import { chromiumMissing, launchChromium } from '../helpers/chromium.ts'
import { openWindow, servePage, TestFolder, type Window } from './inspector-page.ts'

/** What the tests of one file share: a browser, the page's server and a folder for files to drop. */
export interface PageTests {
  readonly folder: TestFolder
  readonly browser: Browser
  readonly server: RunningServer
  /** A new window with nothing kept in it; `prepare` is done before the page is there. */
  open(options?: BrowserContextOptions, prepare?: (page: Page) => Promise<void>): Promise<Window>
  /** The same with these files dropped and read to their end. */
  openWith(paths: readonly string[], options?: BrowserContextOptions): Promise<Window>
}

/** Describes what the built page does in a real browser. Where there is no browser the tests are skipped, and the title says why. */
export function describePage(title: string, tests: (page: PageTests) => void): void {
  describe.skipIf(chromiumMissing !== null)(
    `${title}${chromiumMissing === null ? '' : ` (${chromiumMissing})`}`,
    () => {
      const folder = new TestFolder()
      let browser: Browser
      let server: RunningServer
      beforeAll(async () => {
        browser = await launchChromium()
        server = await servePage()
      })
      afterAll(async () => {
        await browser?.close()
        await server?.close()
        folder.remove()
      })
      const open: PageTests['open'] = (options, prepare) => openWindow(browser, server, options, prepare)
      tests({
        folder,
        get browser() {
          return browser
        },
        get server() {
          return server
        },
        open,
        async openWith(paths, options) {
          const window = await open(options)
          await window.drop(paths)
          await window.read()
          return window
        },
      })
    },
  )
}
