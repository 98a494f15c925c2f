import { processIo } from '../io.ts'
import { openBrowser } from './browser.ts'
import { hostPage, untilStopped } from './host.ts'
import { DEFAULT_PORT } from './http-server.ts'
import { openForPage } from './opening.ts'
import { ServedFiles } from './served-files.ts'

/** What `npm start` runs where no desktop window can be: the same inspector, in the browser, on the files it was given. */
async function start(): Promise<void> {
  const io = processIo()
  const served = new ServedFiles()
  const listen = { host: '127.0.0.1', port: DEFAULT_PORT, orNext: true }
  // Anew for each load, and for a page that follows them: they may grow, and others may come to a folder.
  const files = () => openForPage(process.argv.slice(2), io.directory, served)
  const server = await hostPage({ served, files, listen }, io)
  openBrowser(server.url, io.env)
  await untilStopped()
  await server.close()
}

void start()
