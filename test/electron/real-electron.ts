import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { _electron, type ElectronApplication, type Page } from 'playwright-core'
import { type Desktop, type DesktopHost, ROOT } from './desktop.ts'
import { collectErrors } from './stand-in/window.ts'

/** The same application in a real Electron binary, where one was downloaded and there is a display. */
export function realHost(): DesktopHost {
  const binary = findBinary()
  const missing = binary === null ? 'no Electron binary is here' : displayMissing()
  // Set where these scenarios are all that is run (.github/workflows/ci.yml): to leave them out would pass for a success.
  if (missing !== null && process.env.REAL_ELECTRON === 'required')
    throw new Error(`A real Electron is required: ${missing}`)
  return {
    name: 'real Electron',
    missing,
    async start(files, userData) {
      if (binary === null) throw new Error('There is no Electron binary')
      const folder = userData ?? mkdtempSync(join(tmpdir(), 'rollout-inspector-'))
      const flags = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), `--user-data-dir=${folder}`]
      const app = await _electron.launch({ executablePath: binary, args: [...flags, ROOT, ...files] })
      const page = await app.firstWindow()
      await page.waitForLoadState('load')
      await app.evaluate(({ BrowserWindow, shell }) => {
        const outside: string[] = []
        const left: string[] = []
        Object.assign(globalThis, { outside, left })
        // Where this one is prevented, as the application does, there is no `will-navigate` any more.
        BrowserWindow.getAllWindows()[0]?.webContents.on('will-frame-navigate', ({ url }) => void left.push(url))
        shell.openExternal = async (url) => void outside.push(url)
      })
      return new RealDesktop(app, page, binary, flags, userData === undefined ? folder : null)
    },
  }
}

class RealDesktop implements Desktop {
  private readonly errors: string[] = []

  constructor(
    private readonly app: ElectronApplication,
    readonly page: Page,
    private readonly binary: string,
    private readonly flags: readonly string[],
    private readonly ownFolder: string | null,
  ) {
    collectErrors(page, this.errors)
  }

  pageErrors(): readonly string[] {
    return this.errors
  }

  async answerOpenDialog(paths: readonly string[] | null): Promise<void> {
    await this.app.evaluate(({ dialog }, filePaths) => {
      dialog.showOpenDialog = async () => ({ canceled: filePaths === null, filePaths: [...(filePaths ?? [])] })
    }, paths)
  }

  async answerSaveDialog(path: string | null): Promise<void> {
    await this.app.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = async () => ({ canceled: filePath === null, filePath: filePath ?? '' })
    }, path)
  }

  startAgain(files: readonly string[]): Promise<void> {
    return new Promise((done, fail) => {
      const second = spawn(this.binary, [...this.flags, ROOT, ...files], { stdio: 'ignore' })
      second.on('error', fail)
      second.on('exit', () => done())
    })
  }

  async clickMenu(id: string): Promise<void> {
    await this.app.evaluate(({ Menu }, wanted) => {
      const item = Menu.getApplicationMenu()?.getMenuItemById(wanted)
      if (!item) throw new Error(`The menu has no item ${wanted}`)
      if (!item.enabled) throw new Error(`The item ${wanted} is grey`)
      item.click()
    }, id)
  }

  async crashPage(): Promise<void> {
    const isThere = this.app.evaluate(({ BrowserWindow, dialog }) => {
      dialog.showMessageBox = async () => ({ response: 0, checkboxChecked: false })
      const { webContents } = BrowserWindow.getAllWindows()[0]!
      const loaded = new Promise<void>((done) => webContents.once('did-finish-load', () => done()))
      webContents.forcefullyCrashRenderer()
      return loaded
    })
    await isThere
  }

  /** By the main process: to Playwright a page whose process ended once stays ended. */
  inPage(expression: string): Promise<unknown> {
    return this.app.evaluate(
      ({ BrowserWindow }, wanted) => BrowserWindow.getAllWindows()[0]!.webContents.executeJavaScript(wanted),
      expression,
    )
  }

  windowCount(): number {
    return this.app.windows().length
  }

  askedToLeaveFor(): Promise<readonly string[]> {
    return this.app.evaluate(() => (globalThis as unknown as { left: string[] }).left)
  }

  openedOutside(): Promise<readonly string[]> {
    return this.app.evaluate(() => (globalThis as unknown as { outside: string[] }).outside)
  }

  async close(): Promise<void> {
    await this.app.close()
    if (this.ownFolder !== null) rmSync(this.ownFolder, { recursive: true, force: true })
  }
}

/** Where Electron's package keeps its binary. Asking the package itself would start a download. */
function findBinary(): string | null {
  const folder = join(ROOT, 'node_modules', 'electron')
  const pathFile = join(folder, 'path.txt')
  if (!existsSync(pathFile)) return null
  const binary = join(folder, 'dist', readFileSync(pathFile, 'utf8'))
  return existsSync(dirname(binary)) && existsSync(binary) ? binary : null
}

function displayMissing(): string | null {
  const needed = process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY
  return needed ? 'there is no display' : null
}
