import { spawn } from 'node:child_process'
import { electronBinary } from './electron-binary.mjs'
import { announce, ensureBuilt, ensureInstalled, fromWhereTheyStand, main, root, runBuilt } from './setup.mjs'

/** A window that is gone after this many milliseconds, with an error, never opened. */
const STARTED_AFTER = 5_000

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  const files = process.argv
    .slice(2)
    .filter((argument) => argument !== '--')
    .map(fromWhereTheyStand)
  const missing = displayMissing()
  if (missing !== null) {
    announce(`No desktop window: ${missing}. Serving the inspector to a browser instead.`)
    return serve(files)
  }
  const electron = await electronBinary()
  if (electron.path === null) {
    announce(`No desktop window: ${electron.why}. Serving the inspector to a browser instead.`)
    return serve(files)
  }
  const window = await openWindow(electron.path, files)
  if (window.opened) return window.code
  announce(`No desktop window: Electron ended at once with ${window.end}. Serving the inspector to a browser instead.`)
  return serve(files)
})

/** Why no window can be shown here, or null. Only X11 and Wayland can be absent. */
function displayMissing() {
  if (process.platform === 'win32' || process.platform === 'darwin') return null
  if (process.env.DISPLAY || process.env.WAYLAND_DISPLAY) return null
  return 'there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)'
}

function openWindow(electron, files) {
  // Chromium refuses its sandbox to root; everybody else keeps it.
  const flags = process.platform === 'linux' && process.getuid() === 0 ? ['--no-sandbox'] : []
  const began = Date.now()
  return new Promise((done) => {
    const child = spawn(electron, [...flags, root, ...files], { stdio: ['ignore', 'ignore', 'inherit'] })
    child.on('error', (error) => done({ opened: false, end: error.message }))
    child.on('exit', (code, signal) => {
      const failedAtOnce = code !== 0 && Date.now() - began < STARTED_AFTER
      done({ opened: !failedAtOnce, code: code ?? 1, end: code === null ? `signal ${signal}` : `exit code ${code}` })
    })
  })
}

/** Serves the same inspector until it is stopped. */
function serve(files) {
  return runBuilt('cli/start.js', files)
}
