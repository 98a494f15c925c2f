import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { chromium } from 'playwright-core'

const require = createRequire(import.meta.url)
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update']
const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const MAC_APPS = ['Google Chrome', 'Chromium']

interface FoundChromium {
  readonly executable: string
  /** Where libraries that a bare machine lacks (NSS) were unpacked; null for a system browser. */
  readonly unpacked: string | null
}

/** Why browser tests cannot run on this machine, or null when they can. For `describe.skipIf`. */
export const chromiumMissing: string | null =
  systemChromium() !== null || packagedChromiumFits()
    ? null
    : `no Chromium: none is installed and the packaged one is for Linux on x64, not ${platform()} on ${arch()}`

if (chromiumMissing !== null && process.env.CI)
  throw new Error(`Browser tests must run in CI, but there is ${chromiumMissing}`)

/** Starts a headless Chromium: the system's when there is one, else the one packaged on npm. Close it after use. */
export async function launchChromium(): Promise<Browser> {
  const { executable, unpacked } = findChromium()
  const env = unpacked === null ? process.env : withPackagedLibraries(unpacked, executable)
  return chromium.launch({ executablePath: executable, args: FLAGS, env: definedOnly(env) })
}

/** A browser with a profile on disk that can be killed: all of its processes at once, whatever they are writing. */
export interface MortalChromium {
  readonly browser: Browser
  /** Ends as it does by itself once its last window is closed. */
  close(): Promise<void>
  kill(): Promise<void>
}

/** Starts a browser on a profile, which is a folder that outlives it. */
export async function startMortalChromium(profile: string): Promise<MortalChromium> {
  const { executable, unpacked } = findChromium()
  const env = unpacked === null ? process.env : withPackagedLibraries(unpacked, executable)
  const flags = [...FLAGS, '--headless', '--no-first-run', '--remote-debugging-port=0', `--user-data-dir=${profile}`]
  // A group of its own, so that a signal reaches every process of it.
  const child = spawn(executable, flags, { env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  const address = await new Promise<string>((found, fail) => {
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text
      const match = /DevTools listening on (ws:\S+)/.exec(said)
      if (match !== null) found(match[1] as string)
    })
    child.once('exit', () => fail(new Error(`Chromium did not start: ${said.slice(-500)}`)))
  })
  const browser = await chromium.connectOverCDP(address)
  return {
    browser,
    async close() {
      // It may be about to end by itself, and answers nothing then.
      const asked = browser.newBrowserCDPSession().then((session) => session.send('Browser.close'))
      await Promise.all([asked.catch(() => undefined), gone])
    },
    async kill() {
      process.kill(-(child.pid as number), 'SIGKILL')
      await gone
    },
  }
}

function findChromium(): FoundChromium {
  const system = systemChromium()
  if (system !== null) return { executable: system, unpacked: null }
  const unpacked = unpackChromium()
  return { executable: join(unpacked, 'chromium'), unpacked }
}

function systemChromium(): string | null {
  const given = process.env.CHROMIUM_PATH
  if (given) return given
  if (platform() === 'darwin') {
    const apps = MAC_APPS.map((app) => `/Applications/${app}.app/Contents/MacOS/${app}`)
    return apps.find((path) => existsSync(path)) ?? null
  }
  if (platform() === 'win32') {
    const roots = [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA]
    const paths = roots.flatMap((root) => (root ? [join(root, 'Google', 'Chrome', 'Application', 'chrome.exe')] : []))
    return paths.find((path) => existsSync(path)) ?? null
  }
  const folders = (process.env.PATH ?? '').split(delimiter)
  const paths = SYSTEM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return paths.find((path) => existsSync(path)) ?? null
}

function packagedChromiumFits(): boolean {
  return platform() === 'linux' && arch() === 'x64'
}

/**
 * Unpacks the packaged browser once per version and gives its folder. The package itself unpacks straight into the
 * temporary folder and takes what lies there for whole, so an interrupted or concurrent run would leave a torn browser:
 * a process of its own unpacks elsewhere, and a rename puts the result in place.
 */
function unpackChromium(): string {
  const entry = require.resolve('@sparticuz/chromium')
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8')) as {
    version: string
  }
  const cache = join(dirname(require.resolve('playwright-core/package.json')), '..', '.cache', 'rollout-inspector')
  const folder = join(cache, `chromium-${version}`)
  if (existsSync(folder)) return folder
  const building = join(cache, `unpacking-${process.pid}-${process.hrtime.bigint()}`)
  mkdirSync(building, { recursive: true })
  const script = `
    const { default: chromium, inflate } = await import(${JSON.stringify(`file://${entry}`)})
    await chromium.executablePath()
    await inflate(${JSON.stringify(join(dirname(entry), '..', 'bin', 'al2023.tar.br'))})`
  execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, TMPDIR: building },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    renameSync(building, folder)
  } catch (error) {
    rmSync(building, { recursive: true, force: true })
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
  return folder
}

/** On a machine without NSS or fonts, the packaged ones stand in; a machine's own always come first. */
function withPackagedLibraries(unpacked: string, executable: string): NodeJS.ProcessEnv {
  const env = { ...process.env }
  if (lacksLibraries(executable)) {
    env.LD_LIBRARY_PATH = [join(unpacked, 'al2023', 'lib'), env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter)
  }
  if (!existsSync('/etc/fonts/fonts.conf')) env.FONTCONFIG_PATH = join(unpacked, 'fonts')
  return env
}

function lacksLibraries(executable: string): boolean {
  try {
    return execFileSync('ldd', [executable], { encoding: 'utf8' }).includes('not found')
  } catch {
    return true
  }
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
}
