import 'fake-indexeddb/auto'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { closeDump, followEngine, judgeRest, openSources, stopJudging } from '../../renderer/data/dump.ts'
import { toggleFollow } from '../../renderer/data/follow.ts'
import { abandonEngine } from '../../renderer/engine/engine.ts'
import { useFiles } from '../../renderer/state/files.ts'
import { useUnderWay } from '../../renderer/state/under-way.ts'
import { judgedOf } from '../../renderer/text/judged.ts'
import type { SourceInput } from '../../shared/session/protocol.ts'
import { memorySource } from '../containers/memory-source.ts'
import { cleanRollout, gatedSource, lines, qwen, rolloutWithTrainedReply, until } from '../session/dumps.ts'
import { judgingGate } from '../session/gated-judging.ts'
import { givePageEngine, type PageEngine } from './page-engine.ts'

vi.mock(import('../../shared/session/concluding/conclude.ts'), async (original) =>
  (await import('../session/gated-judging.ts')).gatedConclude(original),
)

const ROLLOUTS = 60
let rollouts: string[]
beforeAll(async () => {
  const tokenizer = await qwen()
  const more = { meta: { note: 'x'.repeat(60_000) } }
  rollouts = Array.from({ length: ROLLOUTS }, (_, seed) => lines([cleanRollout(tokenizer, seed, { more })]))
})

const files = () => useFiles.getState()
const judged = () => files().report?.totals.trajectories

describe('a person who does not wait', () => {
  let engine: PageEngine
  let stopFollowing: () => void
  beforeEach(() => {
    engine = givePageEngine()
    stopFollowing = followEngine()
  })
  afterEach(() => {
    judgingGate.from = Number.POSITIVE_INFINITY
    closeDump()
    abandonEngine()
    stopFollowing()
    useFiles.setState({ problems: [], happened: [] })
  })

  /** All was read, and its judging does not end. */
  const openUntilJudged = async () => {
    const slow = gatedSource(rollouts.join(''), 1 << 18, 'slow')
    engine.files.set('slow', slow.source)
    slow.let(10)
    await openSources([{ kind: 'url', name: 'slow', url: 'slow', size: slow.source.size }])
    await until(() => (files().progress?.bytesRead ?? 0) > 0)
    judgingGate.from = ROLLOUTS
    slow.let(1000)
    await until(() => files().progress?.concluding !== undefined)
  }

  it('for the first verdicts on all has what was read open, is told of what part they are, and may have them judged after all', async () => {
    await openUntilJudged()
    expect(judgedOf(files())).toBeNull()
    await stopJudging()
    await until(() => files().phase === 'open')
    expect(files()).toMatchObject({ rollouts: ROLLOUTS, problems: [] })
    const part = judged()
    expect(part).toBeLessThan(ROLLOUTS)
    expect(judgedOf(files())).toBe(`judged ${part} of ${ROLLOUTS}`)
    judgingGate.from = Number.POSITIVE_INFINITY
    await judgeRest()
    expect(files().phase).toBe('open')
    expect(judged()).toBe(ROLLOUTS)
    expect(judgedOf(files())).toBeNull()
  })

  it('while the last is still being read has it open before another report has come', async () => {
    await openUntilJudged()
    const [worker] = engine.workers
    if (worker === undefined) throw new Error('the page started no engine')
    const held: unknown[] = []
    const post = worker.postMessage.bind(worker)
    worker.postMessage = (message) => {
      if ((message as { name?: string }).name === 'report') held.push(message)
      else post(message)
    }
    const stopped = stopJudging()
    await until(() => files().phase === 'open')
    for (const message of held) post(message)
    worker.postMessage = post
    await stopped
    expect(judgedOf(files())).toBe(`judged ${judged()} of ${ROLLOUTS}`)
  })

  describe('for the end of a run that is followed', () => {
    const first = () => rollouts.slice(0, 6).join('')
    const whole = () => rollouts.slice(0, 12).join('')
    const follow = async (source: (text: string) => ReturnType<typeof memorySource>, atFirst = 6) => {
      let now = first()
      engine.watch = async () => async () => [{ source: source(now), identity: 'run', stamp: now, quiet: true }]
      const given: SourceInput = { kind: 'bytes', name: 'run.jsonl', bytes: new TextEncoder().encode(now) }
      await openSources([given])
      await until(() => files().phase === 'open')
      await toggleFollow()
      await until(() => files().following && judged() === atFirst)
      now = whole()
    }

    it('has what was read of it, and is told how much that is', async () => {
      const never = () => new Promise<never>(() => {})
      await follow((text) => {
        const source = memorySource(text, 1 << 16, 'run.jsonl')
        const isStuck = (start: number) => start >= first().length && start < source.size
        return {
          ...source,
          slice: (start, end) => (isStuck(start) ? never() : source.slice(start, end)),
          stream: (start = 0) =>
            isStuck(start) ? new ReadableStream<Uint8Array>({ pull: never }) : source.stream(start),
        }
      })
      const ended = toggleFollow()
      const told = () => useUnderWay.getState().jobs.find(({ words }) => words === 'Reading what was written until now')
      await until(() => told() !== undefined)
      told()?.stop?.()
      await ended
      await until(() => files().phase === 'open')
      expect(files()).toMatchObject({ following: false, rollouts: 6, problems: [] })
      expect(files().happened).toEqual([
        expect.stringContaining('Reading was stopped: of what was written, 6 rollouts were read.'),
      ])
      expect(told()).toBeUndefined()
    })

    it('and is told of a first fault only then, has it ended all the same', async () => {
      const faulty = lines([rolloutWithTrainedReply(await qwen(), 1)])
      await follow((text) => memorySource(`${faulty}${text}`, 1 << 16, 'run.jsonl'), 7)
      judgingGate.from = 13
      const ended = toggleFollow()
      await until(() => files().progress?.done === true)
      judgingGate.from = Number.POSITIVE_INFINITY
      await ended
      await until(() => files().problems.length > 0)
      expect(files().problems).toEqual([expect.stringMatching(/^M01 in run\.jsonl, line 1/)])
      await until(() => files().phase === 'open')
      expect(files()).toMatchObject({ following: false, rollouts: 13, progress: { done: true } })
    })

    it('of several files, and for its verdicts, has those of all: no older ones speak of them', async () => {
      let now = [rollouts.slice(0, 3), rollouts.slice(6, 9)]
      const names = ['a.jsonl', 'b.jsonl']
      engine.watch = async () => async () =>
        names.map((name, i) => {
          const text = (now[i] as string[]).join('')
          return { source: memorySource(text, 1 << 16, name), identity: name, stamp: text, quiet: true }
        })
      await openSources(
        names.map((name, i) => ({
          kind: 'bytes',
          name,
          bytes: new TextEncoder().encode((now[i] as string[]).join('')),
        })),
      )
      await until(() => files().phase === 'open')
      await toggleFollow()
      await until(() => files().following && judged() === 6)
      now = [rollouts.slice(0, 6), rollouts.slice(6, 12)]
      judgingGate.from = 12
      const ended = toggleFollow()
      await until(() => files().progress?.done === true)
      const { steps } = judgingGate
      const stopped = stopJudging()
      await until(() => judgingGate.steps > steps)
      judgingGate.from = Number.POSITIVE_INFINITY
      await stopped
      await ended
      await until(() => files().phase === 'open')
      expect(judged()).toBe(12)
      expect(judgedOf(files())).toBeNull()
    })

    it('and for its verdicts has the last that were drawn', async () => {
      await follow((text) => memorySource(text, 1 << 16, 'run.jsonl'))
      judgingGate.from = 12
      const ended = toggleFollow()
      await until(() => files().progress?.done === true)
      expect(useUnderWay.getState().jobs).toEqual([])
      await stopJudging()
      await ended
      expect(files()).toMatchObject({ phase: 'open', following: false, rollouts: 12, happened: [], problems: [] })
      expect(judgedOf(files())).toBe('judged 6 of 12')
    })
  })
})
