import { beforeAll, describe, expect, it } from 'vitest'
import { inSteps, type Steps, within } from '../../shared/model/steps.ts'
import type { Progress } from '../../shared/session/protocol.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { audited, cleanRollout, gatedSource, lines, qwen, rolloutWithTrainedReply, until } from './dumps.ts'
import { testHost } from './test-host.ts'

let dump: string
beforeAll(async () => {
  const tokenizer = await qwen()
  const more = { meta: { note: 'x'.repeat(60_000) } }
  // Ten megabytes: three batches. Groups of four whose rewards are all the same have findings of the dump.
  dump = lines(
    Array.from({ length: 160 }, (_, seed) => {
      const rollout = seed % 5 === 0 ? rolloutWithTrainedReply : cleanRollout
      return rollout(tokenizer, seed, { group: `q${seed >> 2}`, groupSize: 4, reward: 0.5, more })
    }),
  )
})

const CHUNK = 1 << 18

describe('conclusions in steps', () => {
  it('are those that are drawn at once', async () => {
    const told: Progress[] = []
    const session = await Session.open([memorySource(dump, CHUNK, 'a')], {}, testHost(), {
      concludesInSteps: true,
      onProgress: (progress) => told.push(progress),
    })
    await session.done
    const plain = await audited([memorySource(dump, CHUNK, 'a')])
    expect(await session.settled()).toEqual(plain.report())
    expect(session.report()).toEqual(plain.report())
    const all = plain.facts.map((_, index) => index)
    expect(session.rows(all)).toEqual(plain.rows(all))
    expect(told.at(-1)).toMatchObject({ done: true })
  })

  it('let rows be looked at while more is read, without what only a later conclusion shows', async () => {
    const slow = gatedSource(dump, CHUNK)
    slow.let(20)
    const session = await Session.open([slow.source], {}, testHost(), { concludesInSteps: true })
    const early = session.report()
    await until(() => session.facts.length > 8)
    const rows = session.rows([0, 1])
    expect(rows.map(({ codes }) => codes)).toEqual([['M01'], []])
    // Nothing was concluded for that.
    expect(early.totals.trajectories).toBe(0)
    slow.let(1000)
    await session.done
    expect(session.rows([0, 1]).map(({ codes }) => codes)).toEqual([['A01', 'M01'], ['A01']])
    expect((await session.search({ text: 'finding:A01' })).indices.length).toBe(160)
  })

  it('stand by what was read when they were begun', async () => {
    const slow = gatedSource(dump, CHUNK)
    slow.let(20)
    const session = await Session.open([slow.source], {}, testHost(), { concludesInSteps: true })
    await until(() => session.facts.length > 8)
    const read = session.facts.length
    const drawing = session.settled()
    slow.let(1000)
    expect((await drawing).totals.trajectories).toBe(read)
    await session.done
    expect((await session.settled()).totals.trajectories).toBe(160)
  })

  it('are of no less than was read where that is asked for', async () => {
    const slow = gatedSource(dump, CHUNK)
    slow.let(20)
    const session = await Session.open([slow.source], {}, testHost(), { concludesInSteps: true })
    await until(() => session.facts.length > 8)
    const early = session.settled()
    slow.let(10)
    await until(() => session.facts.length > 40)
    const read = session.facts.length
    const judged = session.judged()
    slow.let(1000)
    expect((await early).totals.trajectories).toBeLessThan(read)
    expect((await judged).totals.trajectories).toBeGreaterThanOrEqual(read)
    await session.done
  })

  it('are drawn again once a second run stands beside', async () => {
    const session = await Session.open([memorySource(dump, CHUNK, 'a')], {}, testHost(), { concludesInSteps: true })
    await session.done
    const alone = await session.settled()
    const other = dump.replaceAll('"reward":0.5', '"reward":0.75')
    session.compareWith((await audited([memorySource(other, CHUNK, 'b')])).secondRun())
    const beside = await session.settled()
    const verdict = (report: typeof alone) => report.hypotheses.find(({ id }) => id === 'H08')?.verdict
    expect(verdict(alone)).toBe('not-checkable')
    expect(verdict(beside)).not.toBe('not-checkable')
    expect(session.report()).toEqual(beside)
  })
})

describe('work in steps', () => {
  function* counting(steps: number): Steps<number> {
    for (let step = 1; step <= steps; step++) yield step / steps
    return steps
  }

  it('tells the share of a part within the whole', () => {
    const shares = [...within(0.5, 0.9, counting(4))]
    expect(shares.map((share) => Math.round(share * 100))).toEqual([60, 70, 80, 90])
  })

  it('ends where it is stopped, with the reason', async () => {
    const stop = new AbortController()
    let steps = 0
    function* endless(): Steps<never> {
      for (;;) {
        if (++steps === 3) stop.abort(new Error('Stopped.'))
        yield 0
      }
    }
    await expect(inSteps(endless(), { signal: stop.signal })).rejects.toThrow('Stopped.')
    expect(steps).toBe(3)
  })
})
