import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { nodeHost } from '../../cli/host.ts'
import { loadTokenizer } from '../../shared/session/opening/load-tokenizer.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { openWindow, servePage } from '../browser/inspector-page.ts'
import { assistant, call, conversation, tool, user } from '../helpers/conversation.ts'
import { benchRecord, generator } from './dump.ts'
import { rolloutTexts, wordsOf } from './rollout-text.ts'

const LONG_ROLLOUT = 131_072

/** Where the time goes until a rollout of 131,072 tokens is drawn for the first time in a new window, by what it is made of; a part of that may be named behind the measure. */
export async function openingOnPage(browser: Browser, folder: string): Promise<void> {
  const server = await servePage()
  const tokenizer = await loadTokenizer({ kind: 'bundled', id: 'qwen2.5' }, nodeHost(1).bundledTokenizers)
  if (tokenizer === null) throw new Error('no tokenizer')
  try {
    for (const [name, record] of Object.entries(RECORDS)) {
      if (process.argv[3] !== undefined && !name.includes(process.argv[3])) continue
      const path = join(folder, `${name}.jsonl`)
      writeFileSync(path, `${record(tokenizer)}\n${benchRecord(1, 1000, generator(6))}\n`)
      for (let repeat = 0; repeat < 3; repeat++) {
        const window = await openWindow(browser, server, {}, async (page) => {
          await page.addInitScript(LISTENING)
        })
        await window.drop([path])
        await window.read()
        console.log(`  ${name}: ${await opened(window.page)}`)
        if (repeat === 0) console.log(`    ${(await looked(window.page)).join('; ')}`)
        await window.close()
      }
    }
  } finally {
    await server.close()
  }
}

const RECORDS: Readonly<Record<string, (tokenizer: Tokenizer) => string>> = {
  'ids and mask, 237 turns': () => benchRecord(0, LONG_ROLLOUT - 300, generator(5)),
  'four logprob streams and advantages': () => withStreams(benchRecord(0, LONG_ROLLOUT - 300, generator(5))),
  'a finding in each of 400 turns': () => withFaults(benchRecord(0, LONG_ROLLOUT - 300, generator(5))),
  'one turn without a newline': () => oneTurn(),
  '1,200 turns of searches, all trained': (tokenizer) => searches(tokenizer),
  'Chinese, Hindi and emoji': (tokenizer) => manyScripts(tokenizer),
}

function withStreams(record: string): string {
  const rollout = JSON.parse(record) as { loss_mask: number[] }
  const random = generator(8)
  const scores = () => rollout.loss_mask.map((trained) => (trained === 1 ? -Math.round(random() * 1e6) / 1e6 : null))
  const logprobs = { sampler: scores(), trainer: scores(), reference: scores() }
  return JSON.stringify({ ...rollout, logprobs, entropy: scores(), advantages: rollout.loss_mask.map((t) => t * 0.5) })
}

/** Replies of tools are trained. */
function withFaults(record: string): string {
  const rollout = JSON.parse(record) as { loss_mask: number[] }
  return JSON.stringify({ ...rollout, loss_mask: rollout.loss_mask.map((_, at) => (at < 120 ? 0 : 1)) })
}

function oneTurn(): string {
  const random = generator(9)
  const ids = Array.from({ length: LONG_ROLLOUT }, () => 300 + Math.floor(5000 * random() ** 3) * 17)
  return JSON.stringify({ input_ids: ids, loss_mask: ids.map((_, at) => (at < 200 ? 0 : 1)), id: '0', reward: 1 })
}

/** With messages, thoughts and calls in tags, and a fault in each turn. */
function searches(tokenizer: Tokenizer): string {
  const texts = rolloutTexts(460_000, wordsOf(tokenizer))
    .join('\n')
    .replaceAll(/<[^>]*>/g, ' ')
  let at = 0
  const passage = (length: number) =>
    texts
      .slice(at, (at += length))
      .replaceAll(/\p{Surrogate}/gu, '')
      .trim()
  const turns = Array.from({ length: 600 }, () => [
    assistant(`<think>\n${passage(200)}\n</think>\n${call(tokenizer, 'search', { query: passage(20) })}`, {
      train: { content: true },
    }),
    tool(passage(500), { train: true }),
  ]).flat()
  return JSON.stringify(
    conversation(tokenizer, [user('Where?'), ...turns, assistant('There.')], {
      id: '0',
      messages: true,
      logprobs: 'both',
    }).record,
  )
}

function manyScripts(tokenizer: Tokenizer): string {
  const random = generator(12)
  const signs = [...'東京城市里的人们在学习语言模型如何工作नमस्ते😀안녕하세요мирпривет éü']
  let text = ''
  for (let n = 0; n < 110_000; n++) text += signs[Math.floor(signs.length * random())]
  const ids = tokenizer.encode(text).slice(0, LONG_ROLLOUT)
  return JSON.stringify({ input_ids: ids, loss_mask: ids.map((_, at) => (at < 200 ? 0 : 1)), id: '0', reward: 1 })
}

async function opened(page: Page): Promise<string> {
  await page.keyboard.press('2')
  await page.keyboard.press('j')
  await page.waitForTimeout(700)
  const devtools = await page.context().newCDPSession(page)
  const tasks = await tracing(devtools)
  const { answered, drawn } = (await page.evaluate(OPEN)) as { answered: number; drawn: number }
  await page.waitForTimeout(1500)
  const found = await tasks()
  const above = found.filter((task) => task > 50)
  return `data after ${answered.toFixed(0)} ms, drawn ${(drawn - answered).toFixed(0)} ms behind it; longest task ${Math.max(...found).toFixed(0)} ms, above 50 ms: ${above.map((task) => task.toFixed(0)).join(', ') || 'none'}`
}

/** What is pressed in a rollout, and what that shows. */
const KEYS = {
  b: 'edges',
  r: 'rendered again',
  m: 'messages',
  w: 'record',
  Escape: 'tokens',
  '>': 'overlay',
  g: 'grid',
}

/** The longest task of each way to look at the rollout, drawn for the first time. */
async function looked(page: Page): Promise<string[]> {
  const devtools = await page.context().newCDPSession(page)
  const found: string[] = []
  for (const [key, name] of Object.entries(KEYS)) {
    const tasks = await tracing(devtools)
    if (key === 'Escape') await page.getByRole('tab', { name: 'Tokens' }).click()
    else await page.keyboard.press(key)
    await page.waitForTimeout(2000)
    found.push(`${name} ${Math.max(...(await tasks())).toFixed(0)} ms`)
  }
  return found
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly dur?: number
  readonly args: { readonly name?: string }
}

/** Begins to record; the answer ends it and returns the tasks of the page's main thread, in milliseconds. */
async function tracing(devtools: CDPSession): Promise<() => Promise<number[]>> {
  const events: TraceEvent[] = []
  devtools.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])))
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'] },
  })
  return async () => {
    const ended = new Promise((done) => devtools.once('Tracing.tracingComplete', done))
    await devtools.send('Tracing.end')
    await ended
    const main = new Set(
      events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
    )
    return events
      .filter((event) => event.name === 'RunTask' && event.ph === 'X' && main.has(threadOf(event)))
      .map(({ dur = 0 }) => dur / 1000)
  }
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid} ${tid}`
}

/** As texts: a bundler would put names into them that the page does not know. Notes when the page hears the answer, before it is unpacked. */
const LISTENING = `(() => {
  const asked = new Set()
  const Own = window.Worker
  window.Worker = class extends Own {
    constructor(...given) {
      super(...given)
      super.addEventListener('message', (event) => {
        const now = performance.now()
        if (event.data?.kind === 'answer' && asked.has(event.data.call)) window.answered = now
      })
    }
    postMessage(message, ...rest) {
      if (message.name === 'trajectory') asked.add(message.call)
      super.postMessage(message, ...rest)
    }
  }
})()`

const OPEN = `new Promise((resolve) => {
  const start = performance.now()
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  const look = () => {
    if (document.querySelector('.tokens .token')) requestAnimationFrame(() => resolve({ answered: window.answered - start, drawn: performance.now() - start }))
    else requestAnimationFrame(look)
  }
  look()
})`
