import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { openWindow, servePage } from '../browser/inspector-page.ts'
import { launchChromium } from '../helpers/chromium.ts'
import { generator } from './dump.ts'

const ROLLOUTS = 1_000_000
/** Frames over which each way to scroll is watched. */
const FRAMES = 240
/** What browsers call a long task (milliseconds). */
const LONG_TASK = 50
const READING_MINUTES = 20

/**
 * The table of very many rollouts in a real browser: how long it takes to appear, what frames take while it is scrolled, and whether the
 * page was ever held up while the file was read. `rollouts`: for a smaller dump than the million.
 */
export async function tableOfManyRollouts(folder: string, rollouts = ROLLOUTS): Promise<void> {
  const path = join(folder, 'many.jsonl')
  writeTinyDump(path, rollouts)
  const server = await servePage()
  const browser = await launchChromium()
  try {
    const window = await openWindow(browser, server)
    const { page } = window
    const devtools = await page.context().newCDPSession(page)
    // Time that the page's thread ran, which other programs on the machine do not lengthen.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    const ran = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics')
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
    }
    const tasksOfPage = await traceTasks(browser)
    const started = performance.now()
    await window.drop([path])
    const judged = await said(page, /^judging /)
    const whileJudging = (await page.evaluate(FIRST_ROW)) as number
    await said(page, /^read /)
    line(`${rollouts} rollouts dropped and read`, performance.now() - started)
    line('  of which verdicts were drawn for', performance.now() - judged)
    line('  Rollouts chosen meanwhile, to first row on screen', whileJudging)
    const tasks = await tasksOfPage()
    console.log(
      `  tasks for which the page ran above ${LONG_TASK} ms: ${tasks.filter((time) => time > LONG_TASK).length} of ${tasks.length}, the longest ${worst(tasks)} ms`,
    )
    await page.keyboard.press('1')

    // What follows the end of reading belongs to it.
    await page.waitForTimeout(2000)
    line('Rollouts chosen to first row on screen', (await page.evaluate(FIRST_ROW)) as number)
    for (const [what, step] of [
      ['steps of a wheel', 'scroller.scrollTop += 120'],
      ['the bar dragged', 'scroller.scrollTop = scroller.scrollHeight * (frame % 97) / 97'],
    ]) {
      const before = await ran()
      const frames = (await page.evaluate(scrolling(step as string))) as number[]
      console.log(`  ${what}: frames p50 ${at(frames, 0.5)} ms, p95 ${at(frames, 0.95)} ms, worst ${worst(frames)} ms`)
      console.log(`    of which the page ran ${(((await ran()) - before) / frames.length).toFixed(1)} ms a frame`)
    }
    await page.keyboard.press('End')
    const last = page.getByRole('row', { selected: true })
    await last.locator('.row-open').waitFor()
    const index = (await last.innerText()).split(/\s/)[0]
    if (index !== (rollouts - 1).toLocaleString('en-US')) throw new Error(`The last row is ${index}.`)

    line('sorted by reward, to the rows', (await page.evaluate(sorting)) as number)
    await page.keyboard.press('/')
    await page.keyboard.insertText('reward>0.5 tokens>10')
    // Taken in the page: asking a browser whether something is there takes as long as a query.
    await page.evaluate(`void (window.answered = ${ANSWER})`)
    await page.keyboard.press('Enter')
    line('a query of two terms, to its count', (await page.evaluate('window.answered')) as number)
    if (window.errors.length > 0) throw new Error(window.errors.join('\n'))
    await window.close()
  } finally {
    await browser.close()
    await server.close()
  }
}

/** When the line of the status says so. Locators that look for a text walk through the whole page, in its own thread. */
async function said(page: Page, words: RegExp): Promise<number> {
  const end = performance.now() + READING_MINUTES * 60_000
  for (;;) {
    const status = (await page.evaluate(`document.querySelector('.status-reading')?.innerText ?? ''`)) as string
    if (words.test(status)) return performance.now()
    if (performance.now() > end) throw new Error(`After ${READING_MINUTES} minutes the page says “${status}”.`)
    await page.waitForTimeout(50)
  }
}

/** From now until it is called: how long the page's thread ran for each of its tasks, in milliseconds. */
async function traceTasks(browser: Browser): Promise<() => Promise<number[]>> {
  const devtools = await browser.newBrowserCDPSession()
  const threads = new Set<string>()
  const tasks: { readonly thread: string; readonly time: number }[] = []
  devtools.on('Tracing.dataCollected', ({ value }) => {
    for (const { name, pid, tid, tdur, args } of value as unknown as TraceEvent[]) {
      if (name === 'thread_name' && args?.name === 'CrRendererMain') threads.add(`${pid} ${tid}`)
      if (name.endsWith('RunTask') && tdur !== undefined) tasks.push({ thread: `${pid} ${tid}`, time: tdur / 1000 })
    }
  })
  await devtools.send('Tracing.start', {
    traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline', 'toplevel', '__metadata'] },
    transferMode: 'ReportEvents',
  })
  return async () => {
    const complete = new Promise((done) => devtools.once('Tracing.tracingComplete', done))
    await devtools.send('Tracing.end')
    await complete
    return tasks.flatMap(({ thread, time }) => (threads.has(thread) ? time : []))
  }
}

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** Rollouts of a dozen tokens each, in groups of eight. */
function writeTinyDump(path: string, rollouts: number): void {
  const random = generator(11)
  const file = openSync(path, 'w')
  let lines: string[] = []
  for (let index = 0; index < rollouts; index++) {
    const word = 300 + Math.floor(random() * 90_000)
    lines.push(
      `{"id":"r${index}","input_ids":[151644,872,198,${word},151645,198,151644,77091,198,9707,1879,151645,198],"loss_mask":[0,0,0,0,0,0,0,0,0,1,1,1,0],"reward":${random().toFixed(3)},"group_id":"q${index >> 3}"}`,
    )
    if (lines.length === 10_000 || index === rollouts - 1) {
      writeSync(file, `${lines.join('\n')}\n`)
      lines = []
    }
  }
  closeSync(file)
}

const FIRST_ROW = `new Promise((done) => {
  const start = performance.now()
  ;[...document.querySelectorAll('nav button')].find((button) => button.innerText.startsWith('Rollouts')).click()
  const look = () => document.querySelector('tbody .row-open') ? done(performance.now() - start) : requestAnimationFrame(look)
  look()
})`

/** From the key that asks until the answer is drawn. */
const ANSWER = `new Promise((done) => {
  addEventListener('keydown', (event) => {
    const start = event.timeStamp
    const look = () => document.querySelector('.query-sentence') ? done(performance.now() - start) : requestAnimationFrame(look)
    look()
  }, { capture: true, once: true })
})`

/** Times between frames, while each frame takes one step. */
function scrolling(step: string): string {
  return `new Promise((done) => {
    const scroller = document.querySelector('.rollout-scroller')
    const times = []
    let before = performance.now()
    let frame = 0
    const next = (now) => {
      times.push(now - before)
      before = now
      ${step}
      if (++frame < ${FRAMES}) requestAnimationFrame(next)
      else done(times.slice(2))
    }
    requestAnimationFrame(next)
  })`
}

const sorting = `new Promise((done) => {
  const first = () => document.querySelector('tbody .row-open')?.innerText
  const before = first()
  const start = performance.now()
  ;[...document.querySelectorAll('th button')].find((button) => button.innerText.startsWith('reward')).click()
  document.querySelector('.rollout-scroller').scrollTop = 0
  const look = () => first() !== undefined && first() !== before ? done(performance.now() - start) : requestAnimationFrame(look)
  look()
})`

function line(what: string, milliseconds: number): void {
  console.log(`${what.padEnd(58)} ${milliseconds.toFixed(1).padStart(8)} ms`)
}

function at(times: readonly number[], share: number): string {
  const sorted = [...times].sort((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1)
}

function worst(times: readonly number[]): string {
  return times.length === 0 ? '–' : Math.max(...times).toFixed(1)
}
