import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled, main, root } from './setup.mjs'

await main(async () => {
  await ensureInstalled()
  // `serve` hands out the page; the other commands do without it.
  await ensureBuilt(process.argv[2] === 'serve' ? ['renderer', 'cli'] : ['cli'])
  return runCommandLine(process.argv.slice(2))
})

/** Runs the built command line with its own standard streams, in the folder the person stands in; gives its exit code. */
function runCommandLine(parameters) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [join(root, 'dist', 'cli', 'main.js'), ...parameters], {
      cwd: process.env.INIT_CWD ?? process.cwd(),
      stdio: 'inherit',
    })
    const forward = (signal) => child.kill(signal)
    process.on('SIGINT', forward)
    process.on('SIGTERM', forward)
    child.on('error', fail)
    child.on('exit', (code, signal) => done(code ?? (signal === 'SIGINT' ? 130 : 143)))
  })
}
