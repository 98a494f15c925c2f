import { spawnSync } from 'node:child_process'
import { ensureBuilt, ensureInstalled, main, root } from './setup.mjs'

// Makes the files in samples/ again; on an unchanged checkout their content stays what it was.
await main(async () => {
  await ensureInstalled()
  await ensureBuilt(['tools', 'tokenizers'])
  return spawnSync(process.execPath, ['dist/tools/samples.js'], { cwd: root, stdio: 'inherit' }).status ?? 1
})
