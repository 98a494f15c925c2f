import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { announce, ensureBuilt, ensureInstalled, main, root } from './setup.mjs'

const bin = (packageName, file) => join(root, 'node_modules', packageName, file)

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  const chosen = process.argv.slice(2)
  const failed = [
    ['Types', [bin('typescript', 'bin/tsc'), '--noEmit']],
    ['Lint', [bin('@biomejs/biome', 'bin/biome'), 'check', '.', '--colors=off']],
    ['Unused', [bin('knip', 'bin/knip.js')]],
  ]
    .filter(([name, command]) => !passes(name, command))
    .map(([name]) => name)
  // The runner comes last: what a person reads at the end is its summary.
  const tests = node([
    bin('vitest', 'vitest.mjs'),
    'run',
    '--project=unit',
    '--project=planted',
    '--project=browser',
    `--reporter=${join(root, 'scripts', 'not-run-reporter.mjs')}`,
    '--reporter=default',
    ...chosen,
  ])
  for (const name of failed) announce(`${name}: failed, see above.`)
  return failed.length > 0 ? 1 : tests
})

function passes(name, command) {
  const passed = node(command) === 0
  announce(`${name}: ${passed ? 'ok' : 'failed'}`)
  return passed
}

function node(command) {
  return spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' }).status ?? 1
}
