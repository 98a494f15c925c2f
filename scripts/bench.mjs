import { spawnSync } from 'node:child_process'
import { ensureBuilt, ensureInstalled, main, root } from './setup.mjs'

// Prints times and their ratios on this machine, in one run; nothing here is a test.
await main(async () => {
  await ensureInstalled()
  await ensureBuilt(['cli', 'tools', 'passes', 'renderer', 'tokenizers', 'compiled'])
  return (
    spawnSync(process.execPath, ['dist/tools/bench.js', ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' })
      .status ?? 1
  )
})
