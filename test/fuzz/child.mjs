import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

// A process of its own for inputs that may hang it, fill it or end it. Vite reads the TypeScript.
const root = fileURLToPath(new URL('../..', import.meta.url))
const server = await createServer({
  root,
  configFile: false,
  appType: 'custom',
  logLevel: 'error',
  server: { middlewareMode: true, hmr: false, watch: null, ws: false },
  optimizeDeps: { noDiscovery: true },
})
const { TARGETS } = await server.ssrLoadModule('/test/fuzz/targets.ts')

process.on('message', async ({ id, input }) => {
  let failure = null
  try {
    await TARGETS.find((target) => target.id === id).holds(input)
    // A promise that nobody waits for is refused before the next input is taken.
    await new Promise((done) => setImmediate(done))
  } catch (error) {
    failure = error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error)
  }
  process.send({ failure, peak: process.resourceUsage().maxRSS * 1024 })
})
process.send('ready')
