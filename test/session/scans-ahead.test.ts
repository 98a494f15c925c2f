import { createHash } from 'node:crypto'
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { NodeFileSource } from '../../cli/byte-sources.ts'
import { readElsewhere } from '../../cli/read-elsewhere.ts'
import { scanHost } from '../../cli/scan-host.ts'
import { plainFacts } from '../../shared/checks/facts/kept-facts.ts'
import { threadKernel } from '../../shared/containers/kernel/thread-kernel.ts'
import { type ScanReply, type ScanWorkerHost, serveScanWorker } from '../../shared/session/audit/scan-worker.ts'
import type { EngineHost, WorkerLink } from '../../shared/session/host.ts'
import { gzipped, memorySource } from '../containers/memory-source.ts'
import { audited } from './dumps.ts'
import { workerHost } from './test-host.ts'

/** More than a thread beside this one is started for. */
const LARGE = 9 << 20

const folder = mkdtempSync(join(tmpdir(), 'scans-ahead-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface ScanLog {
  spawned: number
  terminated: number
  readonly said: ScanReply[]
  /** What a person is told. */
  readonly slower: string[]
}

/** What a test does in place of the worker. */
interface Spoiled {
  /** Before each thing that the worker tells; false = it breaks before it does. */
  before?(said: ScanReply): boolean
  readonly stillborn?: boolean
  readonly lends?: ScanWorkerHost
}

/** A scan worker that is functions of this process, behind a link that clones every message. */
function scanning(spoiled: Spoiled = {}, more: Partial<EngineHost> = {}) {
  const log: ScanLog = { spawned: 0, terminated: 0, said: [], slower: [] }
  const spawnScanWorker = (): WorkerLink => {
    log.spawned++
    let alive = spoiled.stillborn !== true
    const toMain: ((message: unknown) => void)[] = []
    const toWorker: ((message: unknown) => void)[] = []
    const errors: ((message: string) => void)[] = []
    const fail = () => setImmediate(() => errors.forEach((listener) => void listener('it broke')))
    serveScanWorker(
      {
        post(message) {
          if (!alive) return
          const said = structuredClone(message) as ScanReply
          if (spoiled.before?.(said) === false) {
            alive = false
            fail()
            return
          }
          log.said.push(said)
          setImmediate(() => toMain.forEach((listener) => void listener(said)))
        },
        onMessage: (listener) => void toWorker.push(listener),
      },
      spoiled.lends ?? scanHost,
    )
    if (!alive) fail()
    return {
      post: (message) => void setImmediate(() => alive && toWorker.forEach((listener) => void listener(message))),
      onMessage: (listener) => void toMain.push(listener),
      onError: (listener) => void errors.push(listener),
      terminate() {
        if (log.terminated === 0) log.terminated++
        alive = false
      },
    }
  }
  const { host, log: audits } = workerHost(2)
  const onSlower = (reason: string) => void log.slower.push(reason)
  return { host: { ...host, nobodyWaits: true, spawnScanWorker, onSlower, ...more }, log, audits }
}

/** Rollouts of ids and masks, and what is no such thing among them. */
function dump(bytes: number, seed = 1): string[] {
  const lines: string[] = []
  let state = seed
  const random = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state / 0x80000000
  }
  for (let size = 0, row = 0; size < bytes; row++) {
    // One is longer than any slot, some are longer than a chunk.
    const tokens = row === 30 ? 700_000 : row % 40 === 7 ? 30_000 : 500 + Math.floor(random() * 3000)
    const ids = Array.from({ length: tokens }, () => Math.floor(random() ** 3 * 150_000))
    const mask = ids.map(() => (random() < 0.3 ? 1 : 0))
    const own = { input_ids: ids, loss_mask: mask, reward: row % 3, group_id: `g${row >> 2}`, id: `row-${row}` }
    const line = row % 50 === 9 ? `{"input_ids": [${ids.join()}` : JSON.stringify(own)
    lines.push(row % 25 === 3 ? '  ' : '', line)
    size += line.length + 1
  }
  return lines
}

async function fileOf(name: string, text: string): Promise<NodeFileSource> {
  const path = join(folder, name)
  writeFileSync(path, text)
  return NodeFileSource.open(path, name)
}

const text = dump(LARGE).join('\r\n')
const wanted = audited([memorySource(text, 1 << 16, 'dump.jsonl')])

async function expectSame(found: Awaited<typeof wanted>): Promise<void> {
  const { report, facts } = { report: found.report(), facts: found.facts.map(plainFacts) }
  expect(report).toEqual((await wanted).report())
  expect(facts).toEqual((await wanted).facts.map(plainFacts))
}

describe('a thread that scans ahead of the one that audits', () => {
  it('changes nothing of the report, whatever lines there are', async () => {
    const { host, log, audits } = scanning()
    await expectSame(await audited([await fileOf('dump.jsonl', text)], {}, host))
    expect(log).toMatchObject({ spawned: 1, terminated: 1, slower: [] })
    // The memory is let go.
    expect(threadKernel()).toBeNull()
    expect(audits.spawned).toBe(0)
    const batches = log.said.filter((said) => said.kind === 'batch')
    expect(batches.filter(({ text }) => text === null)).toHaveLength(1)
    expect(batches.flatMap(({ text }) => [...(text?.arrays ?? [])]).length).toBeGreaterThan(1000)
    // In turn, and more often than there are slots.
    expect(batches.filter(({ text }) => text?.slot === 1).length).toBeGreaterThan(1)
    expect(log.said.at(-1)).toEqual({
      kind: 'read',
      source: 0,
      sha256: createHash('sha256').update(text).digest('hex'),
    })
    expect((await wanted).report().sources[0]?.skipped.length).toBeGreaterThan(3)
  })

  it('has each byte at the place of a word that it has in the file, and what is in memory is not read again', async () => {
    const reads: { start: number; length: number; byte: number }[] = []
    const lends: ScanWorkerHost = {
      ...scanHost,
      open(elsewhere) {
        const file = scanHost.open(elsewhere)
        const read = (start: number, into: Uint8Array) => {
          reads.push({ start, length: into.length, byte: into.byteOffset })
          return file.read(start, into)
        }
        return { seen: (bytes) => file.seen(bytes), read, close: () => file.close() }
      },
    }
    const small = dump(18 << 20).filter((line) => line.length < 1 << 20)
    const { host, log } = scanning({ lends })
    await audited([await fileOf('words.jsonl', small.join('\n'))], {}, host)
    expect(log.said.length).toBeGreaterThan(3)
    expect(reads.filter(({ start, byte }) => byte % 8 !== start % 8)).toEqual([])
    expect(reads.map(({ start }) => start)).toEqual(reads.map((_, index) => index * (128 << 10)))
  })

  it('goes from file to file', async () => {
    const other = dump(1 << 20, 5).join('\n')
    const inline = await audited([
      memorySource(text, 1 << 16, 'dump.jsonl'),
      memorySource(other, 1 << 16, 'other.jsonl'),
    ])
    const { host, log } = scanning()
    const found = await audited([await fileOf('dump.jsonl', text), await fileOf('other.jsonl', other)], {}, host)
    expect(found.report()).toEqual(inline.report())
    expect(log.said.filter(({ kind }) => kind === 'read')).toHaveLength(2)
  })

  it.each([0, 1, 3])('is done without once it broke, having told of %i batches', async (batches) => {
    let told = 0
    const { host, log } = scanning({ before: () => told++ < batches })
    await expectSame(await audited([await fileOf('dump.jsonl', text)], {}, host))
    expect(log.said).toHaveLength(batches)
    expect(log.slower).toEqual(['it broke'])
  })

  it('says why, once, where what broke is no file', async () => {
    let hashed = 0
    const createSha256 = () => ({
      update() {
        if (++hashed > 20) throw new TypeError('a mistake of ours')
      },
      digest: () => '',
    })
    const { host, log } = scanning({ lends: { ...scanHost, createSha256 } })
    await expectSame(await audited([await fileOf('dump.jsonl', text)], {}, host))
    expect(log.said.at(-1)).toEqual({ kind: 'failed', source: 0, reason: 'TypeError: a mistake of ours' })
    expect(log.slower).toEqual(['TypeError: a mistake of ours'])
  })

  it('is done without where its code could not be loaded', async () => {
    const { host, log } = scanning({ stillborn: true })
    await expectSame(await audited([await fileOf('dump.jsonl', text)], {}, host))
    expect([log.said, log.slower]).toEqual([[], ['it broke']])
  })

  it('leaves a file that became shorter to the thread that audits, which says so', async () => {
    const source = await fileOf('shorter.jsonl', text)
    const half = text.length >> 1
    const { host, log } = scanning({
      before() {
        truncateSync(source.path, half)
        return true
      },
    })
    const { records, skipped } = (await audited([source], {}, host)).report().sources[0] as {
      records: number
      skipped: readonly { readonly message: string }[]
    }
    // Of which this thread has its own to say.
    expect([log.said.at(-1), log.slower]).toEqual([{ kind: 'failed', source: 0, reason: null }, []])
    expect(skipped.at(-1)?.message).toContain('became shorter')
    const whole = text
      .slice(0, half)
      .split('\r\n')
      .slice(0, -1)
      .filter((line) => line.trim() !== '')
    expect(records + skipped.length).toBe(whole.length + 1)
  })

  it('goes on behind a file of which what it cannot hold is gone', async () => {
    const source = await fileOf('gone.jsonl', text)
    const other = dump(LARGE, 5).join('\n')
    const { host } = scanning({
      before(said) {
        if (said.kind === 'batch' && said.text === null) rmSync(source.path)
        return true
      },
    })
    const [gone, read] = (await audited([source, await fileOf('other.jsonl', other)], {}, host)).report().sources
    expect(gone?.skipped.at(-1)?.message).toContain('was removed or moved')
    expect(gone?.records).toBeGreaterThan(10)
    expect(read?.records).toBe(other.split('\n').filter((line) => line.endsWith('}')).length)
  })

  it('reads no more of a growing file than was there when it was opened', async () => {
    const source = await fileOf('dump.jsonl', text)
    appendFileSync(source.path, '\n{"input_ids":[1],"loss_mask":[1]}\n')
    await expectSame(await audited([source], {}, scanning().host))
  })

  it('is behind the first rollouts where somebody waits for them', async () => {
    const { host, log, audits } = scanning({}, { nobodyWaits: false, firstHere: true })
    await expectSame(await audited([await fileOf('dump.jsonl', text)], {}, host))
    expect(log).toMatchObject({ spawned: 1, terminated: 1, slower: [] })
    expect(log.said.at(-1)).toMatchObject({ kind: 'read', sha256: createHash('sha256').update(text).digest('hex') })
    expect(audits.spawned).toBe(0)
  })

  it.each([0, 1, 3])('is done without there, too, having told of %i batches', async (batches) => {
    let told = 0
    const waited = { nobodyWaits: false, firstHere: true }
    const { host, log } = scanning({ before: () => told++ < batches }, waited)
    await expectSame(await audited([await fileOf('dump.jsonl', text)], {}, host))
    expect(log.slower).toEqual(['it broke'])
  })

  it('is done without where another file stands in the place of what was begun by now', async () => {
    const other = new TextEncoder().encode(dump(LARGE + (1 << 20), 9).join('\n'))
    const open = () => ({
      seen: (bytes: Uint8Array) => bytes,
      read(start: number, into: Uint8Array) {
        into.set(other.subarray(start, start + into.length))
        return into.length
      },
      close: () => undefined,
    })
    const { host, log } = scanning({ lends: { ...scanHost, open } }, { nobodyWaits: false, firstHere: true })
    await expectSame(await audited([await fileOf('dump.jsonl', text)], {}, host))
    expect(log).toMatchObject({ spawned: 1, terminated: 1, slower: [] })
  })

  it('leaves hashing to others where its host lends it none', async () => {
    const { host, log } = scanning({ lends: { createSha256: () => null, open: scanHost.open } })
    await expectSame(await audited([await fileOf('dump.jsonl', text)], {}, host))
    expect(log.said.at(-1)).toEqual({ kind: 'read', source: 0, sha256: null })
  })

  it.each<[string, Partial<EngineHost>]>([
    ['three threads', { jobs: 3 }],
    ['one', { jobs: 1 }],
    ['somebody who asks meanwhile and waits for no rollouts', { nobodyWaits: false }],
  ])('is not for %s', async (_, more) => {
    const { host, log } = scanning({}, more)
    await expectSame(await audited([await fileOf('dump.jsonl', text)], {}, host))
    expect(log.spawned).toBe(0)
  })

  it('is not for texts, what is compressed, or a small file', async () => {
    const texts = dump(1 << 20).map((line) => line.replace(/}$/, `,"text":"${'words '.repeat(5000)}"}`))
    const { host, log } = scanning({}, { readElsewhere })
    await audited([await fileOf('texts.jsonl', Array(10).fill(texts.join('\n')).join('\n'))], {}, host)
    await audited([memorySource(gzipped(text), 1 << 16, 'a.gz')], {}, host)
    await audited([await fileOf('small.jsonl', dump(1 << 20).join('\n'))], {}, host)
    expect(log.spawned).toBe(0)
  })
})
