import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { packageRoot } from '../../cli/package-root.ts'
import { SECURITY_HEADERS } from '../../cli/server/headers.ts'
import { BUNDLED_TOKENIZERS, type BundledTokenizerId } from '../../shared/tokens/tokenizer.ts'
import { openWindow, servePage } from '../browser/inspector-page.ts'
import { chromiumMissing, launchChromium } from '../helpers/chromium.ts'
import type { ReadyTimes } from './ready.ts'
import { median, print } from './timing.ts'

const REPEATS = 5
const TOOLS = join(packageRoot(), 'dist', 'tools')

/** What nothing was done for yet: a bundled family, in Node and on the page, each time in a new thread; and the page itself. */
export async function coldStart(): Promise<void> {
  for (const id of BUNDLED_TOKENIZERS) {
    const file = join(packageRoot(), 'dist', 'tokenizers', id, 'tokenizer.compact')
    const times = Array.from({ length: REPEATS }, () => readyInProcess(file))
    printReady(`${id} in Node, ${(statSync(file).size / 1e6).toFixed(1)} MB, processor time`, times)
  }
  if (chromiumMissing !== null) {
    console.log(`the page: ${chromiumMissing}`)
    return
  }
  const browser = await launchChromium()
  const server = await servePage()
  try {
    for (const id of BUNDLED_TOKENIZERS) printReady(`${id} on the page`, await readyOnPage(browser, server, id))
    await pageAnswers(browser, server.url)
  } finally {
    await browser.close()
    await server.close()
  }
}

function readyInProcess(file: string): ReadyTimes {
  const { stdout } = spawnSync(process.execPath, [join(TOOLS, 'ready-process.js'), file], { encoding: 'utf8' })
  return JSON.parse(stdout) as ReadyTimes
}

async function readyOnPage(
  browser: Browser,
  server: Awaited<ReturnType<typeof servePage>>,
  id: BundledTokenizerId,
): Promise<ReadyTimes[]> {
  const window = await openWindow(browser, server)
  await window.page.context().route('**/bench/**', (route) => {
    const [, path] = new URL(route.request().url()).pathname.split('/bench/') as [string, string]
    // As the page's own scripts are answered: a page that is isolated starts no worker without them.
    const headers = { ...SECURITY_HEADERS, 'content-type': 'text/javascript' }
    return route.fulfill({ headers, body: readFileSync(join(TOOLS, path)) })
  })
  const times: ReadyTimes[] = []
  for (let repeat = 0; repeat < REPEATS; repeat++) times.push((await window.page.evaluate(READY(id))) as ReadyTimes)
  await window.close()
  return times
}

function printReady(what: string, times: readonly ReadyTimes[]): void {
  const of = (part: keyof ReadyTimes) => median(times.map((each) => each[part])).toFixed(0)
  console.log(
    `${what}: read after ${of('read')} ms, shows ids after ${of('shows')}, encodes after ${of('encodes')} (goal 150)`,
  )
}

/** From the navigation to the first key that is answered: a dialog is there. */
async function pageAnswers(browser: Browser, address: string): Promise<void> {
  const answered: number[] = []
  const ran: number[] = []
  for (let repeat = 0; repeat <= REPEATS; repeat++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.addInitScript(ASK)
    await page.goto(address)
    const waited = (await page.evaluate('window.answered')) as number
    const { metrics } = await devtools.send('Performance.getMetrics')
    // The first one starts the browser's own processes.
    if (repeat > 0) {
      answered.push(waited)
      ran.push((metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000)
    }
    await context.close()
  }
  print('the page answers a key, from the navigation (goal 1000)', answered)
  print('of that the page ran, other programs left out', ran)
}

/** As texts: a bundler would put names into functions that the page does not know. */
const ASK = `window.answered = new Promise((resolve) => {
  const ask = () => {
    document.body?.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))
    if (document.querySelector('dialog, [role=dialog]')) resolve(performance.now())
    else setTimeout(ask, 5)
  }
  ask()
})`

const READY = (id: BundledTokenizerId) => `new Promise((resolve, reject) => {
  const worker = new Worker('/bench/ready-worker.js', { type: 'module' })
  worker.onmessage = ({ data }) => { worker.terminate(); resolve(data) }
  worker.onerror = (event) => reject(new Error(event.message || 'the worker did not start'))
  worker.postMessage(new URL('/tokenizers/${id}/tokenizer.compact', location.href).href)
})`
