import { beforeAll, describe, expect, it } from 'vitest'
import { keepingWorkers } from '../../shared/session/audit/keep-workers.ts'
import type { EngineHost, WorkerLink } from '../../shared/session/host.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { audited, cleanRollout, cutRollout, gatedSource, lines, qwen, rolloutWithTrainedReply, until } from './dumps.ts'
import { testHost, workerHost } from './test-host.ts'

let first: string
let second: string
beforeAll(async () => {
  const tokenizer = await qwen()
  const padding = { more: { meta: { note: 'x'.repeat(60_000) } } }
  // Ten megabytes each, one with texts that must be encoded and one with faults.
  first = lines(Array.from({ length: 160 }, (_, seed) => cutRollout(tokenizer, seed, padding)))
  second = lines(
    Array.from({ length: 160 }, (_, seed) =>
      seed % 3 === 0 ? rolloutWithTrainedReply(tokenizer, seed, padding) : cleanRollout(tokenizer, seed, padding),
    ),
  )
})

/** A host that keeps up to `most` of its workers. */
function keepingHost(jobs: number, most = jobs, worn?: number) {
  const { host, log } = workerHost(jobs)
  const { spawnAuditWorker } = host
  const kept: EngineHost = {
    ...host,
    spawnAuditWorker: keepingWorkers(spawnAuditWorker as () => WorkerLink, most, worn),
  }
  return { host: kept, log }
}

describe('kept workers', () => {
  it('serve the next session as new ones would', async () => {
    const { host, log } = keepingHost(2)
    for (const dump of [first, second, first]) {
      expect((await audited(dump, {}, host)).report()).toEqual((await audited(dump)).report())
    }
    expect(log).toMatchObject({ spawned: 2, terminated: 0 })
  })

  it('are no more than the host wants', async () => {
    const { host, log } = keepingHost(3, 1)
    await audited(second, {}, host)
    expect(log).toMatchObject({ spawned: 3, terminated: 2 })
    await audited(second, {}, host)
    expect(log.spawned).toBe(5)
  })

  it('are not those that have done much, whose memory has grown', async () => {
    const { host, log } = keepingHost(2, 2, 4)
    await audited(second, {}, host)
    expect(log).toMatchObject({ spawned: 2, terminated: 0 })
    await audited(second, {}, host)
    expect(log).toMatchObject({ spawned: 2, terminated: 2 })
  })

  it('are not those of a session that was stopped in the middle of its work', async () => {
    const { host, log } = keepingHost(2)
    const slow = gatedSource(second, 1 << 18)
    slow.let(25)
    const session = await Session.open([slow.source], {}, host)
    await until(() => session.facts.length > 0)
    session.close()
    await expect(session.done).rejects.toThrow('Reading was stopped.')
    const report = (await audited([memorySource(second)], {}, host)).report()
    expect(report).toEqual((await audited([memorySource(second)])).report())
    expect(log.spawned - log.terminated).toBe(2)
  })

  it('are not those that broke, at work or at rest', async () => {
    const broken: ((message: string) => void)[] = []
    let spawned = 0
    const { host: inner } = workerHost(2)
    const spawn = (): WorkerLink => {
      spawned++
      const link = (inner.spawnAuditWorker as () => WorkerLink)()
      return { ...link, onError: (listener) => void broken.push(listener) }
    }
    const host = testHost({ jobs: 2, spawnAuditWorker: keepingWorkers(spawn, 2) })
    await audited(second, {}, host)
    expect(spawned).toBe(2)
    // Both rest; one of them dies.
    broken[1]?.('out of memory')
    expect((await audited(second, {}, host)).facts).toHaveLength(160)
    expect(spawned).toBe(3)
  })
})
