import { beforeAll, describe, expect, it } from 'vitest'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { Report } from '../../shared/model/report.ts'
import { Session } from '../../shared/session/session.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { memorySource } from '../containers/memory-source.ts'
import { audited, cleanRollout, lines, qwen } from './dumps.ts'
import { testHost, workerHost } from './test-host.ts'

/** Above what is audited in one thread. */
const LARGE = 9 << 20

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

/** Rollouts with a filler of -15 among the logprobs of trained tokens, which is taken for one only where that is set. */
function withFiller(seed: number, text = '') {
  const rollout = cleanRollout(tokenizer, seed, { padRight: text.length })
  const sampler = rollout.record.logprobs?.sampler as (number | null)[]
  sampler[sampler.findIndex((value) => value !== null)] = -15
  return rollout
}

const statusOf = (report: Report, code: string) => report.checks.find((check) => check.code === code)?.status
const FILLERS: AuditOptions = { thresholds: { 'least-logprob': -14 } }

describe('thresholds of a session', () => {
  it('reach the checks of single rollouts, and the report says which were set', async () => {
    const dump = lines([1, 2, 3].map((seed) => withFiller(seed)))
    const usual = (await audited(dump)).report()
    expect([statusOf(usual, 'L05'), usual.thresholds]).toEqual(['pass', undefined])
    const report = (await audited(dump, FILLERS)).report()
    expect(statusOf(report, 'L05')).toBe('fail')
    expect(report.thresholds).toEqual({ 'least-logprob': { value: -14, default: -1000 } })
  })

  it('reach audit workers as they reach one thread', async () => {
    const line = lines([withFiller(1, ' '.repeat(400))]).trim()
    const count = Math.ceil(LARGE / line.length)
    const dump = Array.from({ length: count }, (_, row) => line.replace('"rollout-1"', `"row-${row}"`)).join('\n')
    const { host, log } = workerHost(2)
    const report = (await audited(dump, FILLERS, host)).report()
    expect(log.spawned).toBe(2)
    expect(report.checks.find(({ code }) => code === 'L05')).toMatchObject({ checked: count, affected: count })
  })

  it('that cannot be are refused in a sentence before anything is read', async () => {
    const open = (thresholds: Record<string, number>) =>
      Session.open([memorySource(lines([cleanRollout(tokenizer, 1)]))], { thresholds }, testHost())
    await expect(open({ 'least-logprb': 1 })).rejects.toThrow(
      /There is no threshold least-logprb\. The nearest are least-logprob,/,
    )
    await expect(open({ 'systematic-share': 2 })).rejects.toThrow(/systematic-share cannot be 2/)
  })
})
