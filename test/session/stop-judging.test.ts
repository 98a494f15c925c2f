import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ByteSource } from '../../shared/model/source.ts'
import { compareRuns } from '../../shared/session/comparison/comparison.ts'
import type { WatchedFile } from '../../shared/session/following/followed-file.ts'
import type { Progress } from '../../shared/session/protocol.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { cleanRollout, gatedSource, lines, qwen, until } from './dumps.ts'
import { enginePage } from './engine-page.ts'
import { judgingGate } from './gated-judging.ts'
import { testHost } from './test-host.ts'

vi.mock(import('../../shared/session/concluding/conclude.ts'), async (original) =>
  (await import('./gated-judging.ts')).gatedConclude(original),
)

const ROLLOUTS = 40
let rollouts: string[]
beforeAll(async () => {
  const tokenizer = await qwen()
  const more = { meta: { note: 'x'.repeat(60_000) } }
  rollouts = Array.from({ length: ROLLOUTS }, (_, seed) => lines([cleanRollout(tokenizer, seed, { more })]))
})
afterEach(() => {
  judgingGate.from = Number.POSITIVE_INFINITY
})

/** A session of which all was read, while a conclusion stands that is of less. */
async function beingJudged() {
  const slow = gatedSource(rollouts.join(''), 1 << 18)
  slow.let(6)
  const told: Progress[] = []
  const session = await Session.open([slow.source], {}, testHost(), {
    concludesInSteps: true,
    onProgress: (progress) => told.push(progress),
  })
  await until(() => session.facts.length > 3)
  const part = (await session.settled()).totals.trajectories
  expect(part).toBeGreaterThan(0)
  expect(part).toBeLessThan(ROLLOUTS)
  judgingGate.from = ROLLOUTS
  slow.let(1000)
  await until(() => told.some(({ concluding }) => concluding !== undefined))
  expect(session.isDone).toBe(false)
  return { session, part, told }
}

async function isStillJudged(): Promise<boolean> {
  const { steps } = judgingGate
  await new Promise((resolve) => setTimeout(resolve, 60))
  return judgingGate.steps > steps
}

/** However long it takes until it is, beside a whole suite. */
async function goesOnToBeJudged(): Promise<void> {
  const { steps } = judgingGate
  await until(() => judgingGate.steps > steps)
}

describe('judging that is stopped', () => {
  it('leaves what was read under the verdicts that were drawn last, and goes on no further', async () => {
    const { session, part, told } = await beingJudged()
    session.stopJudging()
    expect(session.isJudged).toBe(false)
    await session.done
    expect(told.at(-1)).toMatchObject({ done: true, trajectories: ROLLOUTS })
    expect((await session.settled()).totals.trajectories).toBe(part)
    expect((await session.search({ text: '' })).total).toBe(ROLLOUTS)
    expect(await isStillJudged()).toBe(false)
  })

  it('is taken up again where a person asks for it', async () => {
    const { session, part } = await beingJudged()
    session.stopJudging()
    await session.done
    judgingGate.from = Number.POSITIVE_INFINITY
    expect((await session.settled()).totals.trajectories).toBe(part)
    session.judgeOn()
    expect((await session.settled()).totals.trajectories).toBe(ROLLOUTS)
    session.stopJudging()
    expect(session.isJudged).toBe(true)
  })

  it('is not taken up at once by what compares the run: that rests on the verdicts that stand', async () => {
    const { session, part } = await beingJudged()
    session.stopJudging()
    await session.done
    expect(session.concluded().report.totals.trajectories).toBe(part)
    expect(compareRuns(session, session).here.rollouts).toBe(part)
    expect(session.isJudged).toBe(false)
  })

  it('is taken up again beside a second run', async () => {
    const { session } = await beingJudged()
    session.stopJudging()
    await session.done
    judgingGate.from = Number.POSITIVE_INFINITY
    session.compareWith(null)
    expect((await session.settled()).totals.trajectories).toBe(ROLLOUTS)
  })
})

describe('a run that is followed to its end', () => {
  const never = () => new Promise<never>(() => {})

  /** A file of which nothing is ever read from there on. */
  function stuckFrom(text: string, stuck: number): WatchedFile {
    const source = memorySource(text, 1 << 16, 'run.jsonl')
    const isStuck = (start: number) => start >= stuck && start < source.size
    return {
      source: {
        ...source,
        slice: (start, end) => (isStuck(start) ? never() : source.slice(start, end)),
        stream: (start = 0) =>
          isStuck(start) ? new ReadableStream<Uint8Array>({ pull: never }) : source.stream(start),
      },
      identity: 'run',
      stamp: text,
      quiet: true,
    }
  }
  const first = () => rollouts.slice(0, 6).join('')
  const whole = () => rollouts.slice(0, 12).join('')

  it('keeps what was read of it where a person does not wait for the rest', async () => {
    let now = first()
    const page = enginePage(new Map(), async () => async () => [stuckFrom(now, first().length)])
    await page.open({ 'run.jsonl': first() })
    page.progress.length = 0
    await page.ask('follow', { on: true })
    await until(() => page.progress.some(({ trajectories }) => trajectories === 6))
    now = whole()
    const ending = page.send('follow', { on: false })
    expect(await page.ask('stopReading', {})).toEqual({ isWhole: false })
    expect((await ending.answer).kind).toBe('answer')
    await page.done()
    expect((await page.ask('report', {})).totals.trajectories).toBe(6)
    expect((await page.ask('search', { text: '' })).total).toBe(6)
    expect(page.progress.at(-1)?.bytesRead).toBe(first().length)
    // Another policy would be tried on all that stands there, beside verdicts on a part.
    await expect(page.ask('tryPolicy', { policy: 'sft', intend: [] })).rejects.toThrow('Reading of the run was stopped')
  })

  it('waits for no dataset that a person does not wait for, and calls the rollouts whole', async () => {
    const prompts = memorySource('{"question":"Which river is it?"}\n', 1 << 16, 'prompts.jsonl')
    let isStuck = false
    let isAsked = false
    const dataset: ByteSource = {
      ...prompts,
      stream(start) {
        isAsked = isStuck
        return isStuck ? new ReadableStream<Uint8Array>({ pull: never }) : prompts.stream(start)
      },
    }
    const page = enginePage(new Map([['prompts.jsonl', dataset]]), async () => async () => [
      stuckFrom(first(), first().length),
    ])
    const bytes = new TextEncoder().encode(first())
    await page.ask('open', {
      sources: [{ kind: 'bytes', name: 'run.jsonl', bytes }],
      options: {},
      dataset: [{ kind: 'file', name: 'prompts.jsonl', file: null }],
    })
    await page.done()
    page.progress.length = 0
    await page.ask('follow', { on: true })
    await until(() => page.progress.some(({ trajectories }) => trajectories === 6))
    isStuck = true
    const ending = page.send('follow', { on: false })
    await until(() => isAsked)
    expect(await page.ask('stopReading', {})).toEqual({ isWhole: true })
    expect((await ending.answer).kind).toBe('answer')
    const { checks } = await page.ask('report', {})
    expect(checks.find(({ code }) => code === 'C11')).toMatchObject({
      status: 'not-checkable',
      reason: 'the dataset has not been read to its end',
    })
  })

  it('can be left unjudged: the last verdicts stand', async () => {
    let now = first()
    const page = enginePage(new Map(), async () => async () => [stuckFrom(now, whole().length)])
    await page.open({ 'run.jsonl': first() })
    page.progress.length = 0
    await page.ask('follow', { on: true })
    await until(() => page.progress.some(({ trajectories }) => trajectories === 6))
    expect((await page.ask('report', {})).totals.trajectories).toBe(6)
    judgingGate.from = 12
    now = whole()
    const ending = page.send('follow', { on: false })
    await until(() => page.progress.at(-1)?.done === true)
    expect(await page.ask('stopJudging', {})).toMatchObject({ report: { totals: { trajectories: 6 } }, isWhole: false })
    const ended = await ending.answer
    expect(ended.kind === 'answer' && ended.output).toMatchObject({ report: { totals: { trajectories: 6 } } })
    expect((await page.ask('search', { text: '' })).total).toBe(12)
    // What leaves the page is of everything: it is judged in steps for it, and no further once that is stopped.
    for (const [name, input] of [
      ['export', { id: 1, kind: 'ids', indices: null }],
      ['tryPolicy', { policy: 'rl', intend: [] }],
    ] as const) {
      const asked = page.send(name, input)
      await goesOnToBeJudged()
      asked.cancel()
      expect(await asked.answer).toMatchObject({ kind: 'failed', message: 'Stopped.' })
      expect(await isStillJudged()).toBe(false)
      expect((await page.ask('report', {})).totals.trajectories).toBe(6)
    }
    // One that is stopped takes nothing away from another one that waits for the same.
    const one = page.send('export', { id: 2, kind: 'ids', indices: null })
    const other = page.send('tryPolicy', { policy: 'rl', intend: [] })
    await goesOnToBeJudged()
    one.cancel()
    expect(await one.answer).toMatchObject({ kind: 'failed', message: 'Stopped.' })
    await goesOnToBeJudged()
    other.cancel()
    expect(await other.answer).toMatchObject({ kind: 'failed', message: 'Stopped.' })
    expect(await isStillJudged()).toBe(false)
    judgingGate.from = Number.POSITIVE_INFINITY
    await page.ask('judgeOn', {})
    expect((await page.ask('report', {})).totals.trajectories).toBe(12)
  })
})
