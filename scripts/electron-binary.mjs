import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { announce, root } from './setup.mjs'

const DOWNLOAD_TIMEOUT = 180_000
/** A download that failed is not tried at every start: a network that forbids it forbids it tomorrow as well. */
const RETRY_AFTER = 24 * 3_600_000

const folder = join(root, 'node_modules', 'electron')
const failureStamp = join(root, 'node_modules', '.cache', 'rollout-inspector', 'electron-download-failed')

/** Path of the Electron binary that lies here, or null. Downloads nothing. */
export function installedElectron() {
  const pathFile = join(folder, 'path.txt')
  const given = process.env.ELECTRON_OVERRIDE_DIST_PATH
  if (!existsSync(pathFile) && !given) return null
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : 'electron'
  const path = join(given ?? join(folder, 'dist'), name)
  return existsSync(path) ? path : null
}

/** The Electron binary, downloaded when that can be done: `{ path }`, or `{ path: null, why }` with half a sentence. */
export async function electronBinary() {
  const installed = installedElectron()
  if (installed !== null) return { path: installed }
  const failed = statSync(failureStamp, { throwIfNoEntry: false })
  if (failed !== undefined && Date.now() - failed.mtimeMs < RETRY_AFTER) {
    return { path: null, why: 'Electron is not here and could not be downloaded; `npx install-electron` tries again' }
  }
  announce('Downloading Electron…')
  const end = await download()
  const path = installedElectron()
  if (path !== null) return { path }
  mkdirSync(dirname(failureStamp), { recursive: true })
  writeFileSync(failureStamp, new Date().toISOString())
  return { path: null, why: `Electron is not here and its download ${end}` }
}

/** Runs Electron's own installer, quietly: what it prints about a network is no help to anyone. */
function download() {
  return new Promise((done) => {
    const child = spawn(process.execPath, [join(folder, 'install.js')], { stdio: 'ignore' })
    const timer = setTimeout(() => child.kill(), DOWNLOAD_TIMEOUT)
    child.on('error', (error) => done(`failed (${error.message})`))
    child.on('exit', (code, signal) => {
      clearTimeout(timer)
      if (signal !== null) done(`took more than ${DOWNLOAD_TIMEOUT / 60_000} minutes`)
      else done(code === 0 ? 'left no program' : 'failed')
    })
  })
}
