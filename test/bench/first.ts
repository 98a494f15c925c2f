import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { openWindow, servePage } from '../browser/inspector-page.ts'
import { chromiumMissing, launchChromium } from '../helpers/chromium.ts'
import { writeBenchDump } from './dump.ts'
import { measured, type Spent, spentAgainst } from './process.ts'
import { median } from './timing.ts'

const MB = 1 << 20
/** Small and large, of the same rollouts. */
const SIZES = [2, 2048] as const
const BLOCK = 64 * MB
const REPEATS = 3
/** A person has looked at the page for so long before something is dropped. Milliseconds. */
const SETTLING = 1000
const READ_WHOLE = 128 * MB
const READING_MINUTES = 5

/** When the first rollout is on screen after a drop, by the size of the file. Takes two gigabytes of disk. */
export async function firstRolloutOnPage(folder: string): Promise<void> {
  if (chromiumMissing !== null) return console.log(`the page: ${chromiumMissing}`)
  const server = await servePage()
  const browser = await launchChromium()
  try {
    const times: number[][] = SIZES.map(() => [])
    const paths = SIZES.map((megabytes) => join(folder, `${megabytes}.jsonl`))
    for (const [at, megabytes] of SIZES.entries()) writeRepeated(paths[at] as string, megabytes * MB)
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      for (const [at, path] of paths.entries()) {
        const window = await openWindow(browser, server)
        await window.page.waitForTimeout(SETTLING)
        await window.page.evaluate(WATCH_FIRST)
        await window.drop([path])
        times[at]?.push((await window.page.evaluate('window.firstRollout')) as number)
        await window.close()
      }
    }
    for (const path of paths) rmSync(path)
    console.log(`the machine's load was ${loadavg()[0]?.toFixed(1)}`)
    for (const [at, megabytes] of SIZES.entries()) {
      const own = times[at] ?? []
      const all = own.map((time) => time.toFixed(0)).join(', ')
      console.log(`first rollout on screen after the drop of ${megabytes} MB: ${median(own).toFixed(0)} ms (${all})`)
    }
    const [small = [], large = []] = times
    console.log(`  the large file takes ${(median(large) / median(small)).toFixed(2)} × the small one (goal 1.3)`)
  } finally {
    await browser.close()
    await server.close()
  }
}

/** Reading a dump whole on the page, with all checks, against `inspect` of it as a process of its own, which has to start Node as well. */
export async function pageAgainstNode(folder: string): Promise<void> {
  if (chromiumMissing !== null) return console.log(`the page: ${chromiumMissing}`)
  const path = join(folder, 'whole.jsonl')
  writeBenchDump(path, READ_WHOLE)
  const server = await servePage()
  const browser = await launchChromium()
  try {
    const node: Spent[] = []
    const page: Spent[] = []
    const hashed: Spent[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      // As many workers as the page has.
      node.push(await measured(['inspect', path, '--fail-on', 'none', '--jobs', '2']))
      const window = await openWindow(browser, server, {}, async (opened) => {
        await opened.addInitScript(WATCH_HASHES)
      })
      await window.page.waitForTimeout(SETTLING)
      await window.page.evaluate(WATCH_END)
      const before = await processorTime(browser)
      await window.drop([path])
      const wall = (await window.page.evaluate('window.allRead')) as number
      page.push({ wall, processor: (await processorTime(browser)) - before })
      const all = (await window.page.evaluate('window.allHashed')) as number
      hashed.push({ wall: all, processor: (await processorTime(browser)) - before })
      await window.close()
    }
    console.log(`the machine's load was ${loadavg()[0]?.toFixed(1)}`)
    spentAgainst(`inspect of ${READ_WHOLE / MB} MB in Node, whole process, 2 workers`, node)
    spentAgainst('the same judged in the page, all of the browser (goal 1.5 ×)', page, node)
    spentAgainst('  until its SHA-256, which the page takes behind that, is there', hashed, node)
  } finally {
    await browser.close()
    await server.close()
  }
}

/** Milliseconds of processor time of all processes of the browser. */
async function processorTime(browser: Browser): Promise<number> {
  const devtools = await browser.newBrowserCDPSession()
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
  await devtools.detach()
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0)
}

/** The same block of rollouts over and over, so that gigabytes take no longer to make than to write. */
function writeRepeated(path: string, bytes: number): void {
  const size = Math.min(bytes, BLOCK)
  writeBenchDump(path, size)
  const block = readFileSync(path)
  const file = openSync(path, 'a')
  for (let written = block.length; written < bytes; written += block.length) writeSync(file, block)
  closeSync(file)
}

/** As texts: a bundler would put names into functions that the page does not know. Both promise milliseconds from the drop on. */
const WATCH_FIRST = `window.firstRollout = new Promise((done) => {
  addEventListener('drop', () => {
    const start = performance.now()
    const look = () => {
      if (document.querySelector('tbody .row-open')) return done(performance.now() - start)
      const rollouts = [...document.querySelectorAll('nav button')].find((button) => button.innerText.startsWith('Rollouts'))
      if (rollouts && rollouts.getAttribute('aria-current') === null) rollouts.click()
      requestAnimationFrame(look)
    }
    look()
  }, true)
}), null`

/** When the engine has answered the page what the file hashes to. */
const WATCH_HASHES = `(() => {
  let start = 0
  addEventListener('drop', () => { start = performance.now() }, true)
  const asked = new Set()
  const Own = window.Worker
  window.allHashed = new Promise((done) => {
    window.Worker = class extends Own {
      constructor(...given) {
        super(...given)
        super.addEventListener('message', (event) => {
          if (event.data?.kind === 'answer' && asked.has(event.data.call)) done(performance.now() - start)
        })
      }
      postMessage(message, ...rest) {
        if (message.name === 'hashedSources') asked.add(message.call)
        super.postMessage(message, ...rest)
      }
    }
  })
})()`

const WATCH_END = `window.allRead = new Promise((done, fail) => {
  addEventListener('drop', () => {
    const start = performance.now()
    const look = () => {
      const said = document.querySelector('.status-line')?.textContent ?? ''
      if (/read [\\d,]+ rollouts?/.test(said)) return done(performance.now() - start)
      if (performance.now() - start > ${READING_MINUTES * 60_000}) return fail(new Error('not read: ' + said))
      setTimeout(look, 20)
    }
    look()
  }, true)
}), null`
