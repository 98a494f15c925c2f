import { beforeAll, describe, expect, it } from 'vitest'
import { causeOrder } from '../../shared/hypotheses/causes.ts'
import type { HypothesisId, Report } from '../../shared/model/report.ts'
import type { SourceInput } from '../../shared/session/protocol.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { memorySource } from '../containers/memory-source.ts'
import { audited, cleanRollout, gatedSource, lines, qwen, rolloutWithTrainedReply, until } from './dumps.ts'
import { enginePage } from './engine-page.ts'

let training: string
let evaluation: string
beforeAll(async () => {
  const tokenizer: Tokenizer = await qwen()
  const seeds = [0, 1, 2]
  training = lines(seeds.map((seed) => rolloutWithTrainedReply(tokenizer, seed, { reward: 1 })))
  // The same questions, put without the tool.
  evaluation = lines(seeds.map((seed) => cleanRollout(tokenizer, seed, { reward: 1, tools: [] })))
})

const bytes = (name: string, text: string): SourceInput => ({
  kind: 'bytes',
  name,
  bytes: new TextEncoder().encode(text),
})

const verdictOf = ({ hypotheses }: Report, id: HypothesisId) => hypotheses.find((result) => result.id === id)?.verdict

/** What the command line makes of the same two. */
async function besideEachOther(options = {}): Promise<Report> {
  const second = await audited([memorySource(evaluation, 1 << 16, 'eval.jsonl')], options)
  const run = [memorySource(training, 1 << 16, 'train.jsonl')]
  return (await audited(run, options, undefined, { against: second.secondRun() })).report()
}

describe('a second run beside the open one', () => {
  it('decides what one run cannot, just as if both had been given at once; taken away, nothing of it is left', async () => {
    const page = enginePage()
    await page.open({ 'train.jsonl': training })
    const alone = await page.ask('report', {})
    expect(verdictOf(alone, 'H08')).toBe('not-checkable')

    const { report, second } = await page.ask('compare', { sources: [bytes('eval.jsonl', evaluation)] })
    expect(report).toEqual(await besideEachOther())
    expect(verdictOf(report, 'H08')).toBe('supported')
    expect(second).toMatchObject({
      sources: [{ name: 'eval.jsonl', trajectories: 3 }],
      tokenizer: 'qwen2.5',
      unreadable: [],
    })
    const evaluated = await audited([memorySource(evaluation, 1 << 16, 'eval.jsonl')])
    expect(second?.causes).toEqual(causeOrder(evaluated.report()))
    expect(await page.ask('report', {})).toEqual(report)
    const told = page.progress.filter((progress) => progress.second)
    expect(told.at(-1)).toMatchObject({ done: true, trajectories: 3 })

    expect(await page.ask('compare', { sources: null })).toEqual({ report: alone, second: null })
    expect(await page.ask('report', {})).toEqual(alone)
  })

  it('is heard of in a rollout that is shown already, and once it is taken away no more', async () => {
    const tokenizer = await qwen()
    const scored = (rewards: readonly number[]) =>
      lines(rewards.map((reward, seed) => cleanRollout(tokenizer, seed, { reward })))
    const own = Array.from({ length: 12 }, (_, seed) => (seed < 10 ? 1 : 0))
    const page = enginePage()
    await page.open({ 'train.jsonl': scored(own) })
    const codes = async () => (await page.ask('trajectory', { index: 0 })).findings.map(({ code }) => code)
    const alone = await codes()
    expect(alone).not.toContain('A11')
    await page.ask('compare', { sources: [bytes('eval.jsonl', scored([...own.map(() => 0), 1]))] })
    expect(await codes()).toContain('A11')
    await page.ask('compare', { sources: null })
    expect(await codes()).toEqual(alone)
  })

  it('is read under the settings of the open one, and is gone when these change', async () => {
    const page = enginePage()
    const options = { tokenizer: 'qwen3' }
    await page.open({ 'train.jsonl': training }, options)
    const { report, second } = await page.ask('compare', { sources: [bytes('eval.jsonl', evaluation)] })
    expect(report).toEqual(await besideEachOther(options))
    expect(second?.tokenizer).toBe('qwen3')
    const before = page.progress.length
    await page.ask('reconfigure', { options: {} })
    await until(() => page.progress.slice(before).some(({ done, second }) => done && !second))
    expect(verdictOf(await page.ask('report', {}), 'H08')).toBe('not-checkable')
  })

  it('that cannot be read leaves everything as it is, and says why', async () => {
    const page = enginePage()
    await expect(page.ask('compare', { sources: null })).rejects.toThrow('Nothing is open.')
    await page.open({ 'train.jsonl': training })
    const { report } = await page.ask('compare', { sources: [bytes('eval.jsonl', evaluation)] })
    const comparing = page.ask('compare', { sources: [bytes('notes.jsonl', 'no dump\n')] })
    await expect(comparing).rejects.toThrow(
      /No rollout of the second run could be read.*notes\.jsonl is text, but no JSON/,
    )
    expect(await page.ask('report', {})).toEqual(report)
  })

  it('is let go when it is taken back, or something else is opened, while it is read', async () => {
    const slow = gatedSource(evaluation, 64)
    const page = enginePage(new Map([['slow', slow.source]]))
    await page.open({ 'train.jsonl': training })
    const choose = () => page.send('compare', { sources: [{ kind: 'file', name: 'slow', file: null }] })
    const first = choose()
    first.cancel()
    expect(await first.answer).toMatchObject({ kind: 'failed', message: 'Stopped.' })
    const second = choose()
    const taken = page.send('compare', { sources: null })
    expect(await taken.answer).toMatchObject({ kind: 'answer' })
    slow.let(1000)
    expect(await second.answer).toMatchObject({ kind: 'failed' })
    expect(verdictOf(await page.ask('report', {}), 'H08')).toBe('not-checkable')
  })
})
