import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { ByteSource } from '../../shared/model/source.ts'
import type { Progress } from '../../shared/session/protocol.ts'
import { Session } from '../../shared/session/session.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { gzipped, memorySource } from '../containers/memory-source.ts'
import { audited, cleanRollout, gatedSource, lines, qwen, until } from './dumps.ts'
import { testHost } from './test-host.ts'

let tokenizer: Tokenizer
let dump: string
beforeAll(async () => {
  tokenizer = await qwen()
  const padding = { more: { meta: { note: 'x'.repeat(60_000) } } }
  // Ten megabytes: three batches.
  dump = lines(Array.from({ length: 150 }, (_, seed) => cleanRollout(tokenizer, seed, padding)))
})

const CHUNK = 1 << 18

describe('while a dump is read', () => {
  it('the first rollouts are there before the end, and the report grows', async () => {
    const slow = gatedSource(dump, CHUNK)
    slow.let(20)
    const session = await Session.open([slow.source], {}, testHost())
    await until(() => session.facts.length > 0)
    const before = session.facts.length
    expect(before).toBeLessThan(150)
    expect(session.isDone).toBe(false)
    const detail = await session.detail(0)
    expect(detail.facts.id).toBe('rollout-0')
    expect(detail.text).toContain('Where does river 0 rise?')
    const early = session.report()
    expect(early.totals.trajectories).toBe(before)
    expect(early.sources[0]).toMatchObject({ records: before, sha256: null })
    slow.let(1000)
    await session.done
    expect(session.isDone).toBe(true)
    expect(session.facts.length).toBe(150)
    expect(session.report().sources[0]?.sha256).toMatch(/^[0-9a-f]{64}$/)
    // What was handed out stays what it was.
    expect(early.totals.trajectories).toBe(before)
    expect(session.report()).toEqual((await audited([memorySource(dump, CHUNK, 'slow')])).report())
  })

  it('progress only grows and ends with done', async () => {
    const told: Progress[] = []
    const time = vi.spyOn(Date, 'now')
    let now = 0
    time.mockImplementation(() => (now += 100))
    const bad = 'not json\n'.repeat(3)
    const sources = [memorySource(dump + bad, CHUNK, 'a'), memorySource(gzipped(dump), 1 << 10, 'b')]
    const session = await audited(sources, {}, testHost(), { onProgress: (progress) => told.push(progress) }).finally(
      () => time.mockRestore(),
    )
    expect(told.length).toBeGreaterThan(10)
    for (const [i, progress] of told.entries()) {
      const before = told[i - 1]
      expect(progress.bytesTotal).toBe((sources[0] as ByteSource).size + (sources[1] as ByteSource).size)
      expect(progress.done).toBe(i === told.length - 1)
      if (before === undefined) continue
      expect(progress.bytesRead).toBeGreaterThanOrEqual(before.bytesRead)
      expect(progress.trajectories).toBeGreaterThanOrEqual(before.trajectories)
      expect(progress.skipped).toBeGreaterThanOrEqual(before.skipped)
    }
    const last = told.at(-1) as Progress
    expect(last.bytesRead).toBe(last.bytesTotal)
    expect(last).toMatchObject({ trajectories: 300, skipped: 3, done: true })
    expect(session.facts).toHaveLength(300)
  })

  it('is told to people no more often than they can see', async () => {
    let told = 0
    await audited([memorySource(dump, 1 << 10)], {}, testHost(), { onProgress: () => told++ })
    expect(told).toBeLessThan(200)
  })
})

describe('reading that is stopped', () => {
  it('by close() rejects at once, though the source never answers, and takes no more from it', async () => {
    const slow = gatedSource(dump, CHUNK)
    slow.let(20)
    const told: Progress[] = []
    const session = await Session.open([slow.source], {}, testHost(), { onProgress: (progress) => told.push(progress) })
    await until(() => session.facts.length > 0)
    session.close()
    await expect(session.done).rejects.toThrow('Reading was stopped.')
    const given = slow.log.given
    const read = session.facts.length
    const said = told.length
    slow.let(1000)
    await until(() => slow.log.cancelled >= 2)
    expect(slow.log.given).toBeLessThanOrEqual(given + 2)
    expect(session.facts.length).toBe(read)
    expect(told.length).toBe(said)
    expect(told.some(({ done }) => done)).toBe(false)
    // What was read can still be looked at.
    expect((await session.detail(0)).facts.id).toBe('rollout-0')
    expect(session.report().totals.trajectories).toBe(read)
  })

  it('by a signal rejects', async () => {
    const stop = new AbortController()
    const slow = gatedSource(dump, CHUNK)
    slow.let(20)
    const session = await Session.open([slow.source], {}, testHost(), { signal: stop.signal })
    stop.abort()
    await expect(session.done).rejects.toThrow('Reading was stopped.')
    expect(session.failure?.message).toBe('Reading was stopped.')
  })

  it('before it was opened opens nothing', async () => {
    const stop = new AbortController()
    stop.abort(new Error('Never mind.'))
    const session = Session.open([memorySource(dump)], {}, testHost(), { signal: stop.signal })
    await expect(session).rejects.toThrow('Never mind.')
  })

  it('while a run that is to be followed is opened follows nothing', async () => {
    const stop = new AbortController()
    let looks = 0
    const host = testHost({
      createSha256: () => ({
        update: () => undefined,
        digest() {
          stop.abort(new Error('Never mind.'))
          return '0'
        },
      }),
    })
    const follow = {
      every: 0,
      until: new AbortController().signal,
      async look() {
        looks++
        return [{ source: memorySource(dump), identity: null, stamp: '', quiet: true }]
      },
    }
    const session = Session.open([], {}, host, { signal: stop.signal, follow })
    await expect(session).rejects.toThrow('Never mind.')
    expect(looks).toBe(1)
  })

  it('while rollouts are drawn rejects too', async () => {
    const slow = gatedSource(dump, CHUNK)
    slow.let(20)
    const session = await Session.open([slow.source], { sample: 8 }, testHost())
    session.close()
    await expect(session.done).rejects.toThrow('Reading was stopped.')
  })

  it('after its end changes nothing', async () => {
    const session = await audited(lines([cleanRollout(tokenizer, 1)]))
    session.close()
    await session.done
    expect(session.failure).toBeNull()
    expect((await session.detail(0)).facts.id).toBe('rollout-1')
  })
})

describe('a source that fails in the middle', () => {
  function breaking(after: number): ByteSource {
    const whole = memorySource(dump, CHUNK, 'disk.jsonl')
    return {
      ...whole,
      stream(start) {
        const reader = whole.stream(start).getReader()
        let chunks = 0
        return new ReadableStream<Uint8Array>({
          async pull(controller) {
            if (chunks++ === after) throw new Error('disk.jsonl: the disk went away.')
            const { done, value } = await reader.read()
            if (done) controller.close()
            else controller.enqueue(value)
          },
        })
      },
    }
  }

  it('is told with its sentence; what came before is judged', async () => {
    const told: Progress[] = []
    const session = await Session.open([breaking(30)], {}, testHost(), {
      onProgress: (progress) => told.push(progress),
    })
    await session.done
    expect(session.report().sources[0]?.skipped).toMatchObject([
      { code: 'read-error', message: expect.stringMatching(/^disk\.jsonl: the disk went away\. From record \d+ on/) },
    ])
    expect([session.failure, session.isDone]).toEqual([null, true])
    expect(told.at(-1)?.done).toBe(true)
    expect(session.facts.length).toBeGreaterThan(0)
    expect(session.report().totals.trajectories).toBe(session.facts.length)
    expect((await session.detail(0)).text).toContain('river 0')
  })

  it('nor does a failure end the process when nobody waits for it', async () => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listen)
    const session = await Session.open([memorySource(dump, CHUNK)], {}, testHost(), {
      onProgress() {
        throw new Error('The window is gone.')
      },
    })
    await until(() => session.failure !== null)
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', listen)
    expect(unhandled).toEqual([])
  })

  it('a host whose listener fails is told why', async () => {
    const session = await Session.open([memorySource(dump, CHUNK)], {}, testHost(), {
      onProgress() {
        throw new Error('The window is gone.')
      },
    })
    await expect(session.done).rejects.toThrow('The window is gone.')
  })
})

it('never has more than two files open at a time', async () => {
  let open = 0
  let most = 0
  const counted = (name: string): ByteSource => {
    const source = memorySource(lines([cleanRollout(tokenizer, 1), cleanRollout(tokenizer, 2)]), 1 << 10, name)
    return {
      ...source,
      stream(start) {
        const reader = source.stream(start).getReader()
        most = Math.max(most, ++open)
        const close = () => void open--
        return new ReadableStream<Uint8Array>({
          async pull(controller) {
            const { done, value } = await reader.read()
            if (!done) return controller.enqueue(value)
            close()
            controller.close()
          },
          cancel: close,
        })
      },
    }
  }
  const session = await audited(Array.from({ length: 40 }, (_, i) => counted(`${i}.jsonl`)))
  expect(session.facts).toHaveLength(80)
  expect(session.report().sources.every(({ sha256 }) => sha256 !== null)).toBe(true)
  expect(most).toBeLessThanOrEqual(2)
  expect(open).toBe(0)
})
