import { ensureBuilt, ensureInstalled, main, runBuilt, tellStepsOnTerminalOnly } from './setup.mjs'

await main(async () => {
  const parameters = process.argv.slice(2)
  tellStepsOnTerminalOnly()
  await ensureInstalled()
  // `serve` hands out the page; the other commands do without it.
  await ensureBuilt(
    parameters[0] === 'serve' ? ['renderer', 'cli', 'tokenizers', 'compiled'] : ['cli', 'tokenizers', 'compiled'],
  )
  return runBuilt('cli/main.js', parameters)
})
