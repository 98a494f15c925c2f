import { ensureBuilt, ensureInstalled, main } from './setup.mjs'

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  return 0
})
