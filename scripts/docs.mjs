import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled, main, root } from './setup.mjs'

// Writes what the fixtures tell into shared/checks/reporting/fixture-stories.ts, then docs/checks from the checks themselves.
await main(async () => {
  await ensureInstalled()
  const run = (...words) => spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' }).status ?? 1
  const biome = join('node_modules', '@biomejs', 'biome', 'bin', 'biome')
  await ensureBuilt(['tools'])
  if (run('dist/tools/docs.js', 'stories') !== 0) return 1
  if (run(biome, 'format', '--write', 'shared/checks/reporting/fixture-stories.ts') !== 0) return 1
  // The stories are part of what the pages are built from.
  await ensureBuilt(['tools'])
  return run('dist/tools/docs.js', 'pages')
})
