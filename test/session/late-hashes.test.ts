import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../shared/exports/manifest.ts'
import { NOT_HASHED } from '../../shared/model/not-hashed.ts'
import type { ByteSource } from '../../shared/model/source.ts'
import type { EngineHost, WorkerLink } from '../../shared/session/host.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { enginePage } from './engine-page.ts'
import { testHost } from './test-host.ts'

/** More than a thread is started for. */
const LARGE = 8 << 20

/** Few rollouts, each long: what is hashed counts here, not what is judged. */
function dump(bytes: number): string {
  const row = (index: number) => {
    const ids = Array.from({ length: 20_000 }, (_, at) => 1000 + ((at * 7919 + index) % 100_000))
    return JSON.stringify({ input_ids: ids, loss_mask: ids.map((_, at) => (at > 100 ? 1 : 0)), id: `row-${index}` })
  }
  const lines: string[] = []
  for (let size = 0; size < bytes; size += (lines.at(-1) as string).length + 1) lines.push(row(lines.length))
  return `${lines.join('\n')}\n`
}

const text = dump(LARGE)
const sha256 = createHash('sha256').update(text).digest('hex')

/** A file that a hash worker is told of by its name. */
function file(name = 'dump.jsonl', of = text): ByteSource {
  return { ...memorySource(of, 1 << 16, name), elsewhere: name }
}

/** Hash workers that answer when they are told to. */
function hashing() {
  const asked: string[] = []
  let spawned = 0
  let terminated = 0
  let reply: (message: unknown) => void = () => undefined
  let fail: (reason: string) => void = () => undefined
  const spawnHashWorker = (): WorkerLink => {
    spawned++
    return {
      post: (message) => void asked.push(message as string),
      onMessage: (listener) => {
        reply = listener
      },
      onError: (listener) => {
        fail = listener
      },
      terminate: () => void terminated++,
    }
  }
  const next = async (count: number) => {
    while (asked.length < count) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return {
    spawnHashWorker,
    asked,
    next,
    reply: (hex: string | null) => reply({ sha256: hex }),
    fail: () => fail('it broke'),
    count: () => ({ spawned, terminated }),
  }
}

/** Counts what the thread that audits hashes of `text`: names of dumps and rollouts are hashed there in any case. */
function watched(more: Partial<EngineHost>) {
  let hashed = 0
  const host = testHost(more)
  const createSha256 = () => {
    const hash = host.createSha256()
    return {
      update(bytes: Uint8Array) {
        hashed += bytes.length
        hash.update(bytes)
      },
      digest: () => hash.digest(),
    }
  }
  return { host: { ...host, createSha256 }, hashed: () => hashed }
}

describe('a large run whose host lends a thread for SHA-256', () => {
  it('is judged before it is hashed, and not again by that', async () => {
    const worker = hashing()
    const { host, hashed } = watched({ spawnHashWorker: worker.spawnHashWorker })
    const session = await Session.open([file()], {}, host)
    await session.done
    const judged = session.report()
    expect(judged.sources[0]).toMatchObject({ sha256: null, records: session.facts.length })
    expect(session.isHashed).toBe(false)
    // The name of the dump is of its first MiB.
    expect(hashed()).toBeLessThan(2 << 20)
    await worker.next(1)
    worker.reply(sha256)
    await session.hashed
    expect(session.isHashed).toBe(true)
    const whole = session.report()
    expect(whole.sources[0]).toEqual({ ...judged.sources[0], sha256 })
    expect(whole.checks).toBe(judged.checks)
    expect((await session.settled()).sources).toEqual(whole.sources)
    expect((await session.judged()).sources).toEqual(whole.sources)
    expect(session.mergeableReport().sources).toEqual(whole.sources)
    expect(session.mergeableReport(1).sources).toEqual(whole.sources)
    expect([worker.asked, worker.count()]).toEqual([['dump.jsonl'], { spawned: 1, terminated: 1 }])
  })

  it('is hashed while it is read where it is small, no other thread can open it, or it would have to come again', async () => {
    const worker = hashing()
    const host = testHost({ spawnHashWorker: worker.spawnHashWorker })
    const small = dump(1 << 20)
    const far: ByteSource = { ...file(), isFar: true }
    for (const source of [file('small.jsonl', small), memorySource(text, 1 << 16, 'dump.jsonl'), far]) {
      const session = await Session.open([source], {}, host)
      await session.done
      expect(session.isHashed).toBe(true)
      expect(session.report().sources[0]?.sha256).toMatch(/^[0-9a-f]{64}$/)
    }
    expect(worker.count().spawned).toBe(0)
  })

  it('has the hash of each file by itself', async () => {
    const worker = hashing()
    const session = await Session.open(
      [file('a.jsonl'), file('b.jsonl')],
      {},
      testHost({ spawnHashWorker: worker.spawnHashWorker }),
    )
    await session.done
    for (const [index, hex] of ['aa', 'bb'].entries()) {
      await worker.next(index + 1)
      worker.reply(hex)
    }
    await session.hashed
    expect(session.report().sources.map(({ name, sha256: hex }) => [name, hex])).toEqual([
      ['a.jsonl', 'aa'],
      ['b.jsonl', 'bb'],
    ])
    expect(worker.count()).toEqual({ spawned: 1, terminated: 1 })
  })

  it('says that it is not known of a file which changed before', async () => {
    const worker = hashing()
    const session = await Session.open([file()], {}, testHost({ spawnHashWorker: worker.spawnHashWorker }))
    await session.done
    await worker.next(1)
    worker.reply(null)
    await session.hashed
    expect(session.report().sources[0]).toMatchObject({ sha256: null, notes: [NOT_HASHED] })
  })

  it('is hashed by the thread that audits where the other one broke', async () => {
    const worker = hashing()
    const session = await Session.open([file()], {}, testHost({ spawnHashWorker: worker.spawnHashWorker }))
    await session.done
    await worker.next(1)
    worker.fail()
    await session.hashed
    expect(session.report().sources[0]).toMatchObject({ sha256 })
    expect(worker.count()).toEqual({ spawned: 1, terminated: 1 })
  })

  it('is not hashed any more once it is closed, unless somebody waits for that', async () => {
    const worker = hashing()
    const session = await Session.open([file()], {}, testHost({ spawnHashWorker: worker.spawnHashWorker }))
    await session.done
    await worker.next(1)
    const waiting = session.withHashes(session.report(), new AbortController().signal)
    session.close()
    await expect(session.hashed).rejects.toThrow('Reading was stopped.')
    expect(worker.count().terminated).toBe(1)
    await worker.next(2)
    worker.reply(sha256)
    expect((await waiting).sources[0]).toMatchObject({ sha256 })
    expect(worker.count()).toEqual({ spawned: 2, terminated: 2 })
  })

  it('is not hashed twice where somebody waits for what is left', async () => {
    const worker = hashing()
    const host = testHost({ spawnHashWorker: worker.spawnHashWorker })
    const session = await Session.open([file('a.jsonl'), file('b.jsonl')], {}, host)
    await session.done
    await worker.next(1)
    worker.reply('aa')
    await worker.next(2)
    const waiting = session.withHashes(session.report(), new AbortController().signal)
    session.close()
    await worker.next(3)
    worker.reply('bb')
    expect((await waiting).sources.map(({ sha256: hex }) => hex)).toEqual(['aa', 'bb'])
    expect(worker.asked).toEqual(['a.jsonl', 'b.jsonl', 'b.jsonl'])
  })
})

describe('a page', () => {
  const opened = async () => {
    const worker = hashing()
    const page = enginePage(new Map([['dump.jsonl', file()]]), undefined, { spawnHashWorker: worker.spawnHashWorker })
    await page.ask('open', { sources: [{ kind: 'file', name: 'dump.jsonl', file: null }], options: {} })
    await page.done()
    await worker.next(1)
    return { page, worker }
  }

  it('has the report without the hash, and the hash when it is there', async () => {
    const { page, worker } = await opened()
    expect((await page.ask('report', {})).sources[0]?.sha256).toBeNull()
    const sources = page.ask('hashedSources', {})
    worker.reply(sha256)
    expect((await sources)[0]).toMatchObject({ name: 'dump.jsonl', sha256 })
    expect((await page.ask('report', {})).sources[0]).toMatchObject({ sha256 })
  })

  it('is told that none comes where something else is opened before', async () => {
    const { page, worker } = await opened()
    const { answer } = page.send('hashedSources', {})
    await page.ask('close', {})
    expect(await answer).toMatchObject({ kind: 'failed', message: 'Reading was stopped.' })
    expect(worker.count().terminated).toBe(1)
  })

  it.each([
    ['exports no manifest before the hash is there, and says what it waits for', sha256, {}],
    ['says in the manifest why a file which changed before has none', null, { not_hashed: NOT_HASHED }],
  ])('%s', async (_, hex, more) => {
    const { page, worker } = await opened()
    const exporting = page.exported({ as: 'csv', indices: [0], why: 'chosen' })
    const isTold = () =>
      page.answers.some(({ kind, ...told }) => kind === 'partial' && 'partial' in told && isHashing(told.partial))
    while (!isTold()) await new Promise((resolve) => setTimeout(resolve, 1))
    worker.reply(hex)
    const written = (await exporting).find(({ name }) => name === 'manifest.json')
    const manifest = JSON.parse(new TextDecoder().decode(written?.bytes)) as Manifest
    const [{ name, bytes, container, format, ...hash }] = manifest.sources as [Manifest['sources'][number]]
    expect([name, bytes, container, format]).toEqual(['dump.jsonl', text.length, 'jsonl', 'native'])
    expect(hash).toEqual({ sha256: hex, ...more })
  })
})

function isHashing(part: unknown): boolean {
  return (part as { hashing?: boolean }).hashing === true
}
