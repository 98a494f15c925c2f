import { createHash } from 'node:crypto'
import { readdirSync, renameSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startServer } from '../../cli/server/http-server.ts'
import { findPlaces } from '../../cli/server/places.ts'
import { ServedFiles } from '../../cli/server/served-files.ts'
import { createSite, type Site } from '../../cli/server/site.ts'
import type { OpenedFile } from '../../electron/bridge.ts'
import { NOT_HASHED } from '../../shared/model/not-hashed.ts'
import type { Report } from '../../shared/model/report.ts'
import { pageReport } from '../../shared/session/concluding/page-report.ts'
import { Session } from '../../shared/session/session.ts'
import { benchRecord, generator } from '../bench/dump.ts'
import { memorySource } from '../containers/memory-source.ts'
import { testHost } from '../session/test-host.ts'
import { describePage } from './describe-page.ts'
import { openWindow } from './inspector-page.ts'

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

interface ReadInPage {
  readonly report: Report
  /** What the engine said of reading that takes longer. */
  readonly slower: readonly string[]
  /** What its sources hash to, told behind the report. */
  readonly hashes: readonly (string | null)[]
}

/** Reads `text` in the engine of the built page, or the file that a person chose, or that the page's own server hands out. */
async function readInPage(page: Page, text: string | null, served: OpenedFile | null = null): Promise<ReadInPage> {
  const script = readdirSync(join(places.page, 'workers')).find((name) => name.startsWith('engine-worker'))
  return page.evaluate(
    async ([script, name, text, served]) => {
      const engine = new Worker(`/workers/${script}`, { type: 'module' })
      const slower: string[] = []
      let report: Report
      const done = new Promise<ReadInPage>((resolve, reject) => {
        engine.addEventListener('error', ({ message }) => reject(new Error(message)))
        engine.addEventListener('message', ({ data }) => {
          if (data.kind === 'slower') slower.push(data.sentence)
          if (data.kind === 'failed') reject(new Error(data.message))
          if (data.kind === 'progress' && data.progress.done)
            engine.postMessage({ kind: 'call', call: 2, name: 'report', input: {} })
          if (data.call === 2) {
            report = data.output
            Object.assign(window, { isJudged: true })
            engine.postMessage({ kind: 'call', call: 4, name: 'hashedSources', input: {} })
          }
          if (data.call === 4) {
            const sources = data.output as Report['sources']
            resolve({ report: { ...report, sources }, slower, hashes: report.sources.map(({ sha256 }) => sha256) })
          }
          // Asks until the first rollout is there.
          if (data.kind !== 'answer') return
          if (data.call === 1 || (data.call === 3 && data.output.length === 0))
            setTimeout(() => engine.postMessage({ kind: 'call', call: 3, name: 'rows', input: { indices: [0] } }), 20)
          if (data.call === 3 && data.output.length > 0) Object.assign(window, { hasRollouts: true })
        })
      })
      const chosen = document.querySelector<HTMLInputElement>('#chosen')?.files?.[0]
      const file = text === null ? chosen : new File([text], name)
      const address = served && { kind: 'url', ...served, url: new URL(served.url, document.baseURI).href }
      const source = address ?? { kind: 'file', name, file }
      engine.postMessage({ kind: 'call', call: 1, name: 'open', input: { sources: [source], options: {} } })
      return done
    },
    [script, NAME, text, served] as const,
  )
}

/** Whether the workers of the page may compile the smallest module there is, those that ended by now left aside. */
async function compiling(page: Page): Promise<Set<boolean>> {
  const found = page.workers().map((worker) =>
    worker
      .evaluate(async () => {
        const empty = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)
        return WebAssembly.compile(empty).then(
          () => true,
          () => false,
        )
      })
      .catch(() => null),
  )
  return new Set((await Promise.all(found)).filter((may) => may !== null))
}

/** The page as it is, on a machine with two cores, which says what is asked for. */
function pageSite(asked: string[], served = new ServedFiles()): Site {
  const session = async () => ({ files: [], sample: null, notice: null })
  const site = createSite({ places, served, session })
  return async (request) => {
    const { pathname } = new URL(request.url)
    asked.push(pathname)
    const response = await site(request)
    if (!pathname.startsWith('/workers/engine-worker')) return response
    const text = (await response.text()).replace('navigator.hardwareConcurrency', '2')
    const headers = new Headers(response.headers)
    headers.set('content-length', String(Buffer.byteLength(text)))
    return new Response(text, { headers })
  }
}

describePage('the engine of the page', (tests) => {
  const text = rollouts()

  /** @param path a file to be read in place of the text; `isServed`: by its address */
  async function readBehind(
    change: (site: Site, page: Page) => Site = (site) => site,
    path: string | null = null,
    isServed = false,
  ) {
    const asked: string[] = []
    const page = await tests.browser.newPage()
    const files = new ServedFiles()
    const served = isServed && path !== null ? files.add(path, NAME, statSync(path).size) : null
    const site = change(pageSite(asked, files), page)
    const server = await startServer(site, { host: '127.0.0.1', port: 0, orNext: false })
    await page.goto(server.url)
    if (path !== null) {
      await page.evaluate(() => {
        const input = document.createElement('input')
        document.body.append(Object.assign(input, { type: 'file', id: 'chosen' }))
      })
      await page.setInputFiles('#chosen', path)
    }
    const read = await readInPage(page, path === null ? text : null, served)
    const workers = asked.flatMap((path) => /^\/workers\/(\w+)-worker-/.exec(path)?.[1] ?? [])
    const isolated = await page.evaluate('crossOriginIsolated')
    const found = { ...read, isolated, workers: new Set(workers), compiling: await compiling(page) }
    await page.close()
    await server.close()
    return found
  }

  test(
    'reports the same isolated, where it is not, and where WebAssembly is refused, and what Node reports',
    async () => {
      const fast = await readBehind()
      expect(fast).toMatchObject({ isolated: true, slower: [], compiling: new Set([true]) })
      expect([...fast.workers]).toEqual(expect.arrayContaining(['engine', 'scan', 'hash']))
      expect([...fast.workers]).not.toContain('audit')
      // It came behind the report, as it does below.
      expect(fast.hashes).toEqual([null])
      expect(fast.report.sources[0]?.sha256).toBe(createHash('sha256').update(text).digest('hex'))

      const apart = await readBehind(without('cross-origin-embedder-policy'))
      expect(apart).toMatchObject({ isolated: false, slower: [], compiling: new Set([true]) })
      expect([...apart.workers]).toEqual(expect.arrayContaining(['engine', 'audit']))
      expect([...apart.workers]).not.toContain('scan')
      expect(apart.hashes).toEqual([null])
      expect(apart.report).toEqual(fast.report)

      const slow = await readBehind(refusing)
      expect(slow).toMatchObject({ isolated: true, slower: [], compiling: new Set([false]) })
      expect([...slow.workers]).not.toContain('scan')
      expect(slow.hashes).toEqual([null])
      expect(slow.report).toEqual(fast.report)

      const inNode = await Session.open([memorySource(text, 1 << 16, NAME)], {}, testHost())
      await inNode.done
      expect(inNode.facts).toHaveLength(ROLLOUTS + 1)
      expect(JSON.parse(JSON.stringify(fast.report))).toEqual(JSON.parse(JSON.stringify(pageReport(inNode.report()))))
    },
    LONG,
  )

  test.each(['scan', 'hash'])(
    'does by itself what the %s worker would, where its code cannot be had',
    async (name) => {
      const broken = await readBehind((site) => async (request) => {
        const isOfIt = new URL(request.url).pathname.startsWith(`/workers/${name}-worker`)
        return isOfIt ? new Response('', { status: 404, headers: (await site(request)).headers }) : site(request)
      })
      // Of hashing behind the report nobody is held up.
      expect(broken.slower).toEqual(
        name === 'hash'
          ? []
          : [expect.stringMatching(/^The thread that reads ahead stopped .*Nothing is lost, but reading takes longer/)],
      )
      expect(broken.report.totals.trajectories).toBe(ROLLOUTS + 1)
      expect(broken.hashes).toEqual([null])
      expect(broken.report.sources[0]).toMatchObject({ sha256: createHash('sha256').update(text).digest('hex') })
    },
    LONG,
  )

  test(
    'says of a file that changes before it is hashed that nothing is known of that',
    async () => {
      const path = tests.folder.write(NAME, text)
      const changed = await readBehind(
        (site, page) => async (request) => {
          if (new URL(request.url).pathname.startsWith('/workers/hash-worker')) {
            while (!(await page.evaluate('window.isJudged'))) await page.waitForTimeout(20)
            truncateSync(path, text.length >> 1)
          }
          return site(request)
        },
        path,
      )
      const [source] = changed.report.sources
      expect(changed.report.totals.trajectories).toBe(ROLLOUTS + 1)
      expect(source?.sha256).toBeNull()
      expect(source?.notes).toContain(NOT_HASHED)
    },
    LONG,
  )

  test(
    'reads a file that becomes shorter under the scan as far as it was had, and says so',
    async () => {
      const path = tests.folder.write(NAME, text)
      const cut = await readBehind(
        (site, page) => async (request) => {
          if (new URL(request.url).pathname.startsWith('/workers/scan-worker')) {
            while (!(await page.evaluate('window.hasRollouts'))) await page.waitForTimeout(20)
            truncateSync(path, text.length >> 1)
          }
          return site(request)
        },
        path,
      )
      expect(cut.workers).toContain('scan')
      expect(cut.slower).toEqual([])
      const [source] = cut.report.sources
      expect(source?.skipped.at(-1)?.message).toContain('changed or was moved')
      expect(source?.sha256).toBeNull()
      expect(cut.report.totals.trajectories).toBeGreaterThan(0)
    },
    LONG,
  )

  test(
    'scans ahead of itself what is handed out by an address, too, which it asks for once for that, and hashes it meanwhile',
    async () => {
      const path = tests.folder.write(NAME, text)
      const ranges: string[] = []
      const far = await readBehind(noting(ranges), path, true)
      expect(far.slower).toEqual([])
      expect([...far.workers]).toEqual(expect.arrayContaining(['engine', 'scan']))
      expect([...far.workers]).not.toContain('audit')
      expect([...far.workers]).not.toContain('hash')
      const sha256 = createHash('sha256').update(text).digest('hex')
      expect(far.hashes).toEqual([sha256])
      expect(far.report).toEqual((await readBehind()).report)
      // What is opened and named, the first rollouts, and the whole.
      const whole = `bytes=0-${text.length - 1}`
      expect(ranges.at(-1)).toBe(whole)
      expect(ranges.filter((range) => range === whole).length).toBeLessThanOrEqual(3)
    },
    LONG,
  )

  test(
    'judges what an address handed out when it was asked for, whatever file stands there before it came',
    async () => {
      const path = tests.folder.write(NAME, text)
      const other = tests.folder.write('other.jsonl', `{"input_ids":[1],"loss_mask":[1]}\n`)
      let asked = 0
      const replaced = await readBehind(
        (site, page) => async (request) => {
          const response = await site(request)
          if (new URL(request.url).pathname.startsWith('/workers/scan-worker')) asked = 1
          // The first answer to the worker, whose file is open by now.
          else if (asked === 1 && request.url.includes('/file/') && (await page.evaluate('window.hasRollouts'))) {
            asked = 2
            renameSync(other, path)
          }
          return response
        },
        path,
        true,
      )
      expect(asked).toBe(2)
      expect(replaced.slower).toEqual([])
      expect(replaced.hashes).toEqual([createHash('sha256').update(text).digest('hex')])
      expect(replaced.report.totals.trajectories).toBe(ROLLOUTS + 1)
    },
    LONG,
  )

  test(
    'reads by itself on where the answer to the worker breaks off, or is none, and says what is lost',
    async () => {
      const path = tests.folder.write(NAME, text)
      const gone = await readBehind(
        (site, page) => async (request) => {
          if (new URL(request.url).pathname.startsWith('/workers/scan-worker')) {
            while (!(await page.evaluate('window.hasRollouts'))) await page.waitForTimeout(20)
            truncateSync(path, text.length >> 1)
          }
          return site(request)
        },
        path,
        true,
      )
      expect(gone.workers).toContain('scan')
      expect(gone.slower).toEqual([])
      const [source] = gone.report.sources
      expect(source?.skipped.at(-1)?.code).toBe('became-shorter')
      expect(source?.sha256).toBeNull()
      expect(gone.report.totals.trajectories).toBeGreaterThan(ROLLOUTS >> 2)
    },
    LONG,
  )

  test(
    'lets go of the answer to the worker where something else is opened meanwhile',
    async () => {
      const path = tests.folder.write(NAME, text.repeat(4))
      const served = new ServedFiles()
      const file = served.add(path, NAME, statSync(path).size)
      const session = async () => ({ files: [file], sample: null, notice: null })
      const site = createSite({ places, served, session })
      const open = new Set<string>()
      let isScanned = false
      const slowly: Site = async (request) => {
        if (new URL(request.url).pathname.startsWith('/workers/scan-worker')) isScanned = true
        return watchingBodies(site, open, () => (isScanned ? 100 : 0))(request)
      }
      const server = await startServer(slowly, { host: '127.0.0.1', port: 0, orNext: false })
      const window = await openWindow(tests.browser, server)
      await expect.poll(() => isScanned && open.size > 0).toBe(true)
      await window.drop([tests.folder.write('small.jsonl', text.slice(0, text.indexOf('\n') + 1))])
      await window.page.getByText('read 1 rollout', { exact: true }).waitFor()
      await expect.poll(() => [...open]).toEqual([])
      expect(window.errors).toEqual([])
      await window.close()
      await server.close()
    },
    LONG,
  )
})

/** As somebody serves the page who sends no such header. */
function without(header: string): (site: Site) => Site {
  return (site) => async (request) => {
    const response = await site(request)
    response.headers.delete(header)
    return response
  }
}

/** Notes which parts of files are asked for. */
function noting(ranges: string[]): (site: Site) => Site {
  return (site) => async (request) => {
    if (new URL(request.url).pathname.startsWith('/file/')) ranges.push(request.headers.get('range') ?? 'all of it')
    return site(request)
  }
}

let answers = 0

/** Keeps in `open` the answers with parts of files that are neither at their end nor taken back; `wait`: milliseconds before each megabyte. */
function watchingBodies(site: Site, open: Set<string>, wait: () => number): Site {
  return async (request) => {
    const response = await site(request)
    if (!new URL(request.url).pathname.startsWith('/file/') || response.body === null) return response
    const name = `${++answers}: ${request.headers.get('range')}`
    open.add(name)
    const reader = response.body.getReader()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, wait()))
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        open.delete(name)
        controller.close()
      },
      async cancel(reason) {
        open.delete(name)
        await reader.cancel(reason)
      },
    })
    return new Response(body, response)
  }
}

function refusing(site: Site): Site {
  return async (request) => {
    const response = await site(request)
    const policy = response.headers.get('content-security-policy') ?? ''
    response.headers.set('content-security-policy', policy.replace(" 'wasm-unsafe-eval'", ''))
    return response
  }
}
