import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { launchChromium } from '../helpers/chromium.ts'
import { Computer, createElectron, type StandInElectron } from './stand-in/electron.ts'
import { runMain } from './stand-in/native-import.ts'

/** The checkout, whose built application is run. */
export const ROOT = join(import.meta.dirname, '..', '..')
const MAIN = join(ROOT, 'dist', 'electron', 'main.js')

/** The running desktop application, as a scenario drives it: by its page, and by answering its dialogs. */
export interface Desktop {
  /** The page of the only window. */
  readonly page: Page
  answerOpenDialog(paths: readonly string[] | null): Promise<void>
  answerSaveDialog(path: string | null): Promise<void>
  /** Starts the application once more, with files; ends when that second process has. */
  startAgain(files: readonly string[]): Promise<void>
  clickMenu(id: string): Promise<void>
  windowCount(): number
  /** Ends the process of the page; the person has it loaded again. Its `page` may answer nothing from then on: `inPage` does. */
  crashPage(): Promise<void>
  /** The value of an expression in whatever page the window shows. */
  inPage(expression: string): Promise<unknown>
  /** Addresses that the page or a frame of it was about to go to, allowed or not. */
  askedToLeaveFor(): Promise<readonly string[]>
  /** Addresses given to the person's browser. */
  openedOutside(): Promise<readonly string[]>
  /** What the page threw, or logged as an error, its content policy's refusals included. */
  pageErrors(): readonly string[]
  close(): Promise<void>
}

/** One way of running the application: `start` resolves when the page of its window has loaded. */
export interface DesktopHost {
  readonly name: string
  /** Why it cannot run on this machine, or null. */
  readonly missing: string | null
  start(files: readonly string[], userData?: string): Promise<Desktop>
}

/** The built main and preload against a stand-in for the `electron` module, whose windows are pages of a real Chromium. */
export function standInHost(missing: string | null): DesktopHost {
  return {
    name: 'stand-in for Electron',
    missing,
    async start(files, userData) {
      const browser = await launchChromium()
      const folder = userData ?? mkdtempSync(join(tmpdir(), 'rollout-inspector-'))
      const computer = new Computer()
      const electron = createElectron(browser, computer, folder)
      await runWithArguments(files, electron)
      const page = await firstPage(electron)
      return new StandInDesktop(electron, browser, computer, page, userData === undefined ? folder : null)
    },
  }
}

class StandInDesktop implements Desktop {
  constructor(
    readonly electron: StandInElectron,
    private readonly browser: Browser,
    private readonly computer: Computer,
    readonly page: Page,
    /** A folder of this run alone; null when the test keeps it. */
    private readonly ownFolder: string | null,
  ) {
    electron.windows[0]?.webContents.on('will-frame-navigate', ({ url }: { url: string }) => this.left.push(url))
  }

  private readonly left: string[] = []

  async askedToLeaveFor(): Promise<readonly string[]> {
    return this.left
  }

  async answerOpenDialog(paths: readonly string[] | null): Promise<void> {
    this.electron.answers.open.push(paths === null ? null : [...paths])
  }

  async answerSaveDialog(path: string | null): Promise<void> {
    this.electron.answers.save.push(path)
  }

  async startAgain(files: readonly string[]): Promise<void> {
    const second = createElectron(this.browser, this.computer, this.ownFolder ?? tmpdir())
    await runWithArguments(files, second)
    if (!second.hasQuit()) throw new Error('The second start did not end')
  }

  async clickMenu(id: string): Promise<void> {
    this.electron.clickMenu(id)
  }

  windowCount(): number {
    return this.browser.contexts().reduce((count, context) => count + context.pages().length, 0)
  }

  async crashPage(): Promise<void> {
    const [window] = this.electron.windows
    this.electron.answers.message.push(0)
    const isThere = this.page.waitForEvent('load')
    window?.webContents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 })
    await isThere
  }

  inPage(expression: string): Promise<unknown> {
    return this.page.evaluate(expression)
  }

  async openedOutside(): Promise<readonly string[]> {
    return this.electron.seen.external
  }

  pageErrors(): readonly string[] {
    return this.electron.pageErrors
  }

  async close(): Promise<void> {
    await this.browser.close()
    if (this.ownFolder !== null) rmSync(this.ownFolder, { recursive: true, force: true })
  }
}

/** The main process reads its arguments when it starts. */
async function runWithArguments(files: readonly string[], electron: StandInElectron): Promise<void> {
  const own = process.argv
  process.argv = ['/usr/bin/electron', ROOT, ...files]
  try {
    await runMain(MAIN, electron.module)
  } finally {
    process.argv = own
  }
}

async function firstPage(electron: StandInElectron): Promise<Page> {
  for (let tries = 0; tries < 500 && electron.windows.length === 0; tries++)
    await new Promise((later) => setTimeout(later, 10))
  const window = electron.windows[0]
  if (window === undefined) throw new Error('The application opened no window')
  await window.loaded
  return window.page
}
