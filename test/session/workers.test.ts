import { beforeAll, describe, expect, it } from 'vitest'
import { plainFacts } from '../../shared/checks/facts/kept-facts.ts'
import type { AuditRequest } from '../../shared/session/audit/plan.ts'
import type { Session } from '../../shared/session/session.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { gzipped, memorySource } from '../containers/memory-source.ts'
import { conversation } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited, cleanRollout, cutRollout, lines, qwen, rolloutWithTrainedReply, turnsOf } from './dumps.ts'
import { workerHost } from './test-host.ts'

/** Above what is audited in one thread, and several batches long. */
const LARGE = 9 << 20

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

function weigh(mask: number[]): void {
  for (const [token, trained] of mask.entries()) if (trained === 1 && token % 3 === 0) mask[token] = 0.25
}

/** The same dump for all tests, and what one thread makes of it: both take seconds. */
const dumps = new Map<boolean, string>()
const inlines = new Map<boolean, Promise<Session>>()

function dumpOf(cut: boolean): string {
  const dump = dumps.get(cut) ?? largeDump(LARGE, cut)
  dumps.set(cut, dump)
  return dump
}

function inlineOf(cut: boolean): Promise<Session> {
  const inline = inlines.get(cut) ?? audited(dumpOf(cut))
  inlines.set(cut, inline)
  return inline
}

/** Rollouts of many kinds, about 20 kB each: sound, faulty, cut, weighted, without a mask, without ids; and records that are none. */
function largeDump(bytes: number, cut: boolean): string {
  const long = (seed: number) => `Document ${seed}: ${'the river Arn rises in the hills of Teal. '.repeat(60)}`
  const kinds = Array.from({ length: 8 }, (_, seed) => {
    const turns = turnsOf(tokenizer, seed, {
      tool: { text: long(seed), ...(seed === 1 ? { train: { content: true } } : {}) },
    })
    const record = conversation(tokenizer, turns, {
      messages: true,
      logprobs: 'both',
      attention: seed === 2 ? 'loss' : 'ones',
      padRight: seed,
      limits: { max_seq_len: 4096 },
      ...(seed === 3 ? { mask: 'none' as const } : {}),
      ...(seed === 4 && cut ? { cutRight: 20, isTruncated: true, finishReason: 'length' } : {}),
      ...(seed === 5 ? { editMask: weigh } : {}),
      ...(seed === 6 ? { more: { somebodys_field: 1 } } : {}),
    }).record
    if (seed === 7) return { messages: record.messages, reward: 1, finish_reason: 'stop' }
    return record
  })
  const written: string[] = []
  for (let row = 0, size = 0; size < bytes; row++) {
    const record = { ...kinds[row % kinds.length], id: `row-${row}`, group_id: `g${row >> 3}`, reward: (row % 5) / 4 }
    const line = row % 97 === 50 ? '{"input_ids": [1, 2' : JSON.stringify(record)
    written.push(line)
    size += line.length + 1
  }
  return written.join('\n')
}

describe('audit workers', () => {
  it.each([2, 3])('%i give the report, the rows and the rollouts that one thread gives', async (jobs) => {
    const dump = dumpOf(true)
    const inline = await inlineOf(true)
    const { host, log } = workerHost(jobs)
    const shared = await audited(dump, {}, host)
    expect(log).toMatchObject({ spawned: jobs, terminated: jobs })
    expect(log.results).toBeGreaterThanOrEqual(3)
    expect(shared.report()).toEqual(inline.report())
    expect(shared.facts.map(plainFacts)).toEqual(inline.facts.map(plainFacts))
    expect(shared.boundaries()).toEqual(inline.boundaries())
    const all = inline.facts.map((_, index) => index)
    expect(shared.rows(all)).toEqual(inline.rows(all))
    expect(await shared.detail(12)).toEqual(await inline.detail(12))
    // The dump is as mixed as it is meant to be.
    const report = inline.report()
    expect(report.sources[0]?.skipped.length).toBeGreaterThan(2)
    expect(report.sources[0]?.drift.some((line) => line.startsWith('no loss mask in '))).toBe(true)
    expect(report.totals.tokens.lost).toBeGreaterThan(0)
    expect(report.totals.tokens.unknown).toBeGreaterThan(0)
    expect(report.checks.filter(({ status }) => status === 'fail').map(({ code }) => code)).toEqual(
      expect.arrayContaining(['M01', 'M15']),
    )
  })

  it('are one fewer where nobody waits for this thread, which does its share', async () => {
    const dump = dumpOf(true)
    const inline = await inlineOf(true)
    const { host, log } = workerHost(2)
    const shared = await audited(dump, {}, { ...host, nobodyWaits: true })
    expect(log).toMatchObject({ spawned: 1, terminated: 1 })
    expect(shared.report()).toEqual(inline.report())
    expect(shared.facts.map(plainFacts)).toEqual(inline.facts.map(plainFacts))
    // Its two jobs and what it was free for later; the batches between were this thread's.
    const alone = workerHost(2)
    await audited(dump, {}, alone.host)
    expect(log.results).toBeGreaterThanOrEqual(2)
    expect(log.results).toBeLessThan(alone.log.results)
  })

  it('are as many as ever where there are so many that this thread finds records for them', async () => {
    const { host, log } = workerHost(5)
    await audited(dumpOf(true), {}, { ...host, nobodyWaits: true })
    expect(log.spawned).toBe(5)
  })

  it('load the whole tokenizer only when a text must be encoded, each once', async () => {
    const without = workerHost(2)
    await audited(dumpOf(false), {}, without.host)
    expect(without.log.loaded).toEqual([])
    const { host, log } = workerHost(2)
    await audited(dumpOf(true), {}, host)
    expect(log.loaded).toEqual(['qwen2.5', 'qwen2.5'])
  })

  it('encode the sampled text of the first records again where it is enough to tell of the dump', async () => {
    const dump = dumpOf(false)
    const options = { thresholds: { 'drift-tokens': 1000 } }
    const inline = await audited(dump, options)
    expect(inline.facts.some(({ drift }) => drift !== undefined)).toBe(true)
    // Both engines agree on every token, so it passes.
    expect(inline.report().checks.find(({ code }) => code === 'T02')?.status).toBe('pass')
    const { host, log } = workerHost(2)
    const shared = await audited(dump, options, host)
    expect(log.loaded.length).toBeGreaterThan(0)
    expect(shared.facts.map(plainFacts)).toEqual(inline.facts.map(plainFacts))
    expect(shared.report()).toEqual(inline.report())
  })

  it('leave the first rollouts to the thread that starts them, where somebody waits for them', async () => {
    const dump = dumpOf(true)
    const inline = await inlineOf(true)
    const jobs: number[] = []
    const { host } = workerHost(2, (message) => {
      const request = message as AuditRequest
      if (request.kind === 'job') jobs.push(request.job.job)
      return false
    })
    const shared = await audited(dump, {}, { ...host, firstHere: true })
    expect(shared.report()).toEqual(inline.report())
    expect(shared.facts.map(plainFacts)).toEqual(inline.facts.map(plainFacts))
    expect(jobs.length).toBeGreaterThan(1)
    expect(jobs).not.toContain(0)
  })

  it('read several sources of different tokenizers', async () => {
    const llama = await testTokenizer('llama3')
    const other = Array.from({ length: 20 }, (_, seed) => cutRollout(llama, seed))
    const sources = () => [
      memorySource(lines(other), 1 << 16, 'a.jsonl'),
      memorySource(dumpOf(true), 1 << 16, 'b.jsonl'),
      memorySource(
        gzipped(lines(Array.from({ length: 5 }, (_, seed) => rolloutWithTrainedReply(llama, seed)))),
        1 << 10,
        'c.gz',
      ),
    ]
    const inline = await audited(sources())
    const shared = await audited(sources(), {}, workerHost(3).host)
    expect(shared.report()).toEqual(inline.report())
    expect(shared.facts.map(({ place }) => place)).toEqual(inline.facts.map(({ place }) => place))
    expect(inline.report().tokenizer.evidence.join()).toContain('llama3')
  })

  it('are not started for a small dump, or when one thread is asked for', async () => {
    const small = workerHost(3)
    await audited(lines([cleanRollout(tokenizer, 1)]), {}, small.host)
    expect(small.log.spawned).toBe(0)
    const alone = workerHost(1)
    await audited(dumpOf(false), {}, alone.host)
    expect(alone.log.spawned).toBe(0)
  })

  it('that are slow do not change the order of the rollouts', async () => {
    const dump = dumpOf(false)
    const { host } = workerHost(3, (message, worker) => {
      const request = message as AuditRequest
      if (request.kind !== 'job' || worker.number !== 1) return false
      // The first worker answers last.
      setTimeout(() => worker.pass(message), 300)
      return true
    })
    const session = await audited(dump, {}, host)
    expect(session.facts.map(({ place }) => place.record)).toEqual(
      session.facts.map(({ place }) => place.record).sort((a, b) => a - b),
    )
    expect(session.report()).toEqual((await inlineOf(false)).report())
  })
})

describe('an audit worker that breaks', () => {
  const message = 'An audit worker stopped: its code could not be loaded'

  it('while the dump is still being surveyed ends the reading with a sentence', async () => {
    const { host } = workerHost(2, () => true, 'its code could not be loaded')
    await expect(audited(dumpOf(false), {}, host)).rejects.toThrow(message)
  })

  it('before it got a job ends the reading with a sentence', async () => {
    const { host } = workerHost(2, (request, worker) => {
      if ((request as AuditRequest).kind === 'plan') worker.fail('its code could not be loaded')
      return true
    })
    await expect(audited(dumpOf(false), {}, host)).rejects.toThrow(message)
  })

  it('over a job ends the reading with a sentence, and all workers', async () => {
    const { host, log } = workerHost(3, (request, worker) => {
      if ((request as AuditRequest).kind === 'plan' || worker.number !== 2) return false
      worker.fail('its code could not be loaded')
      return true
    })
    await expect(audited(dumpOf(false), {}, host)).rejects.toThrow(message)
    expect(log.terminated).toBe(3)
  })

  it('and says why a job failed is quoted', async () => {
    const { host } = workerHost(2, (request, worker) => {
      const asked = request as AuditRequest
      if (asked.kind === 'plan') return false
      worker.reply({ kind: 'failed', job: asked.job.job, message: 'The record is too strange.' })
      return true
    })
    await expect(audited(dumpOf(false), {}, host)).rejects.toThrow('The record is too strange.')
  })
})
