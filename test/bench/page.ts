import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openWindow, servePage } from '../browser/inspector-page.ts'
import { chromiumMissing, launchChromium } from '../helpers/chromium.ts'
import { benchRecord, generator } from './dump.ts'
import { openingOnPage } from './opening.ts'
import { print } from './timing.ts'

const LONG_ROLLOUT = 131_072
/** Frames of one scroll, and the pixels that each goes down: ten lines, a wheel turned fast. */
const FRAMES = 240
const STEP = 240

/** Times of a rollout of 131,072 tokens on the page, in headless Chromium. */
export async function longRolloutOnPage(folder: string): Promise<void> {
  if (chromiumMissing !== null) {
    console.log(`the page: ${chromiumMissing}`)
    return
  }
  const path = join(folder, 'page.jsonl')
  const random = generator(5)
  writeFileSync(path, `${benchRecord(0, LONG_ROLLOUT - 300, random)}\n${benchRecord(1, 1000, random)}\n`)
  const browser = await launchChromium()
  const server = await servePage()
  try {
    console.log('a rollout of 131,072 tokens opened for the first time in a new window')
    await openingOnPage(browser, folder)
    const window = await openWindow(browser, server)
    const { page } = window
    await window.drop([path])
    await window.read()
    await page.keyboard.press('2')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('.tokens .token').first().waitFor()
    const devtools = await page.context().newCDPSession(page)
    // Time that the page's thread ran, which other programs on the machine do not lengthen.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    const ran = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics')
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
    }
    print('a rollout of 131,072 tokens drawn again, its data there', await timesToDraw(page, ran))
    for (const [name, keys] of [
      ['flow', ''],
      ['flow, coloured by an overlay', '>'],
      ['grid, coloured by an overlay', 'g'],
    ] as const) {
      if (keys !== '') await page.keyboard.press(keys)
      await page.waitForTimeout(1000)
      const before = await ran()
      const { frames, longTasks } = (await page.evaluate(SCROLL)) as Scrolled
      const sorted = [...frames].sort((a, b) => a - b)
      const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] as number).toFixed(1)
      console.log(
        `scrolling it, ${name}: frames of ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms; tasks over 50 ms: ${longTasks}; the page ran ${(((await ran()) - before) / FRAMES).toFixed(1)} ms a frame`,
      )
    }
  } finally {
    await browser.close()
    await server.close()
  }
}

/** From the key to the first frame with the tokens of the other rollout, whose data is kept. */
async function timesToDraw(page: Page, ran: () => Promise<number>): Promise<number[]> {
  const times: number[] = []
  const heading = page.getByRole('heading', { level: 1 })
  for (let repeat = 0; repeat < 5; repeat++) {
    await page.keyboard.press('n')
    await heading.getByText('1', { exact: true }).waitFor()
    await page.waitForTimeout(300)
    const before = await ran()
    const waited = (await page.evaluate(GO_BACK)) as number
    console.log(
      `  drawn after ${waited.toFixed(0)} ms, of which the page ran ${((await ran()) - before).toFixed(0)} ms`,
    )
    times.push(waited)
  }
  return times
}

/** As texts: a bundler would put names into functions that the page does not know. */
const GO_BACK = `new Promise((resolve) => {
  const heading = document.querySelector('h1').textContent
  const start = performance.now()
  const look = () => {
    const isThere = document.querySelector('h1')?.textContent !== heading && document.querySelector('.tokens .token')
    if (isThere) resolve(performance.now() - start)
    else requestAnimationFrame(look)
  }
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'p', bubbles: true }))
  look()
})`

const SCROLL = `new Promise((resolve) => {
  const scroller = document.querySelector('.tokens')
  scroller.scrollTop = 0
  let longTasks = 0
  const observer = new PerformanceObserver((list) => { longTasks += list.getEntries().length })
  observer.observe({ type: 'longtask' })
  const frames = []
  let before = 0
  const next = (now) => {
    if (before > 0) frames.push(now - before)
    before = now
    scroller.scrollTop += ${STEP}
    if (frames.length < ${FRAMES}) requestAnimationFrame(next)
    else {
      observer.disconnect()
      resolve({ frames, longTasks })
    }
  }
  requestAnimationFrame(next)
})`

interface Scrolled {
  readonly frames: number[]
  readonly longTasks: number
}
