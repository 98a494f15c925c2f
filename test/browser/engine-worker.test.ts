import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startServer } from '../../cli/server/http-server.ts'
import { findPlaces } from '../../cli/server/places.ts'
import { ServedFiles } from '../../cli/server/served-files.ts'
import { createSite, type Site } from '../../cli/server/site.ts'
import type { Report } from '../../shared/model/report.ts'
import { pageReport } from '../../shared/session/page-report.ts'
import { Session } from '../../shared/session/session.ts'
import { benchRecord, generator } from '../bench/dump.ts'
import { memorySource } from '../containers/memory-source.ts'
import { testHost } from '../session/test-host.ts'
import { describePage } from './describe-page.ts'

const places = findPlaces()
const NAME = 'run.jsonl'
/** So many that workers are started (8 MB), with lists that the kernel does not take. */
const ROLLOUTS = 60

/** Three times some 14 MB on a busy machine. Milliseconds. */
const LONG = 240_000

function rollouts(): string {
  const random = generator(3)
  const lines = Array.from({ length: ROLLOUTS }, (_, index) => benchRecord(index, 20_000, random))
  return `${lines.join('\n')}\n{"input_ids":[1, 2.0,3],"loss_mask":[true,1,0],"reward":1e-1,"id":"odd"}\n{"input_ids":[1,\n`
}

/** Reads `text` in the engine of the built page, and gives its report. */
async function reportInPage(page: Page, text: string): Promise<Report> {
  const script = readdirSync(join(places.page, 'workers')).find((name) => name.startsWith('engine-worker'))
  return page.evaluate(
    async ([script, name, text]) => {
      const engine = new Worker(`/workers/${script}`, { type: 'module' })
      const done = new Promise<Report>((resolve, reject) => {
        engine.addEventListener('error', ({ message }) => reject(new Error(message)))
        engine.addEventListener('message', ({ data }) => {
          if (data.kind === 'failed') reject(new Error(data.message))
          if (data.kind === 'progress' && data.progress.done)
            engine.postMessage({ kind: 'call', call: 2, name: 'report', input: {} })
          if (data.call === 2) resolve(data.output)
        })
      })
      const source = { kind: 'file', name, file: new File([text], name) }
      engine.postMessage({ kind: 'call', call: 1, name: 'open', input: { sources: [source], options: {} } })
      return done
    },
    [script, NAME, text] as const,
  )
}

/** Whether each worker of the page may compile the smallest module there is. */
function compiling(page: Page): Promise<boolean[]> {
  return Promise.all(
    page.workers().map((worker) =>
      worker.evaluate(async () => {
        const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)
        return WebAssembly.compile(empty).then(
          () => true,
          () => false,
        )
      }),
    ),
  )
}

describePage('the engine of the page', (tests) => {
  const text = rollouts()

  async function readBehind(site: Site): Promise<{ report: Report; compiling: boolean[] }> {
    const server = await startServer(site, { host: '127.0.0.1', port: 0, orNext: false })
    const page = await tests.browser.newPage()
    await page.goto(server.url)
    const report = await reportInPage(page, text)
    const found = { report, compiling: await compiling(page) }
    await page.close()
    await server.close()
    return found
  }

  test(
    'reports the same with WebAssembly and where it is refused, and what Node reports',
    async () => {
      const session = async () => ({ files: [], sample: null, notice: null })
      const site = createSite({ places, served: new ServedFiles(), session })
      const refusing: Site = async (request) => {
        const response = await site(request)
        const policy = response.headers.get('content-security-policy') ?? ''
        response.headers.set('content-security-policy', policy.replace(" 'wasm-unsafe-eval'", ''))
        return response
      }
      const fast = await readBehind(site)
      const slow = await readBehind(refusing)
      expect(new Set(fast.compiling)).toEqual(new Set([true]))
      expect(new Set(slow.compiling)).toEqual(new Set([false]))
      expect(slow.report).toEqual(fast.report)

      const inNode = await Session.open([memorySource(text, 1 << 16, NAME)], {}, testHost())
      await inNode.done
      expect(inNode.facts).toHaveLength(ROLLOUTS + 1)
      expect(JSON.parse(JSON.stringify(fast.report))).toEqual(JSON.parse(JSON.stringify(pageReport(inNode.report()))))
    },
    LONG,
  )
})
