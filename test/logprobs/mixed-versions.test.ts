import { describe, expect, it } from 'vitest'
import { Random } from '../../samples/random.ts'
import { auditTrajectories } from '../checks/audit.ts'
import { noise, scoredRows } from '../fixtures/checks/logprob-rows.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audit, faultsOf } from '../planted/audit.ts'
import { cleanDump, copyOf } from '../planted/dump.ts'
import { turnsBy } from '../planted/rollout.ts'
import { native } from '../planted/writers/native.ts'

/**
 * Severities of L09 over rollouts whose later turns may have newer weights, in an engine of eight bits: noise is the heavier the less likely a
 * token is. Each older version is `stale` nats further from the trainer.
 */
async function severities(std: number, stale: number, groups: number): Promise<Record<string, number>> {
  const clean = await cleanDump(`eight bits ${std} ${stale}`, 'qwen3', { groups })
  const random = new Random(`eight bits ${std} ${stale} ${groups}`)
  const rollouts = clean.rollouts.map(copyOf)
  for (const rollout of rollouts) {
    const most = random.integer(0, 2)
    const versions = rollout.tokens.map(() => -1)
    for (const [at, { contentStart, end }] of turnsBy(rollout, 'assistant').entries()) {
      const behind = Math.max(0, most - at)
      for (const [k, token] of rollout.tokens.slice(contentStart, end).entries()) {
        if (!token.sampled) continue
        versions[contentStart + k] = 10 - behind
        const size = token.sampler === 0 ? 0 : std * (0.3 + Math.min(2, -token.sampler))
        const off = token.sampler === 0 ? 0 : behind * stale * random.exponential()
        token.trainer = Math.min(0, token.trainer + size * random.normal() - off)
      }
    }
    rollout.more = { ...rollout.more, versions }
  }
  const faults = faultsOf(await audit({ ...clean, rollouts }, native)).filter(({ code }) => code === 'L09')
  const of = (severity: string) => faults.filter((fault) => fault.severity === severity).length
  return { warning: of('warning'), info: of('info') }
}

/** L09 on one rollout of two versions; the trainer differs by `older` and `newer` on average, of which both engines leave some on every token. */
async function found(older: number, newer: number, edge = 40) {
  const rows = scoredRows(
    ({ sampler, trainer, sampled }, { record }) => {
      const at = new Map(sampled.map((token, k) => [token, k]))
      record.versions = record.input_ids.map((_, token) =>
        at.has(token) ? ((at.get(token) as number) < edge ? 7 : 8) : -1,
      )
      for (const [k, token] of sampled.entries()) {
        const mean = k < edge ? older : newer
        sampler[token] = -1
        // As noise of an engine: most tokens a little, some a good deal.
        trainer[token] = -1 + (k % 2 === 0 ? -1 : 1) * mean * 4 * noise(k * 13 + 5) ** 3
      }
    },
    undefined,
    1,
  )
  const tokenizer = await testTokenizer('qwen2.5')
  const trajectories = rows(tokenizer).map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
  const { byCode } = await auditTrajectories(trajectories, tokenizer)
  return byCode.get('L09')?.findings ?? []
}

describe('L09 over many rollouts', () => {
  it.each([
    [0.05, 8],
    [0.15, 8],
    [0.3, 8],
    [0.3, 16],
  ])('takes noise of %f nats for what it is, though some older segments seem worse (%i groups)', async (std, groups) => {
    const { warning, info } = await severities(std, 0, groups)
    expect(warning).toBe(0)
    expect(info).toBeGreaterThan(groups * 2)
  })

  it('warns where the older versions are further from the trainer in most of them', async () => {
    const { warning, info } = await severities(0.1, 0.1, 8)
    expect(warning).toBeGreaterThan(16)
    expect(info).toBeLessThan(8)
  })
})

describe('L09', () => {
  it.each([
    ['newer', 0.016, 0.034],
    ['older, within chance,', 0.04, 0.034],
  ])('is a note where the %s version is the noisier one', async (_, older, newer) => {
    const [first, ...more] = await found(older, newer)
    expect(first).toMatchObject({ severity: 'info' })
    expect(first?.message).toMatch(
      /, and no older version is further from the trainer than the newest by more than chance$/,
    )
    expect(more).toEqual([])
  })

  it('warns where the older version is surely further from the trainer, be the newest noisy as well', async () => {
    for (const newer of [0.004, 0.034]) {
      const [first] = await found(0.2, newer)
      expect(first?.severity).toBe('warning')
      expect(first?.message).toMatch(/and the gap to the trainer goes from 0\.\d+ to 0\.\d+$/)
    }
  })

  it('says of two versions that both agree with the trainer that they are alike', async () => {
    expect((await found(0.004, 0.003))[0]).toMatchObject({
      severity: 'info',
      message: expect.stringMatching(/, as between engines of the same weights$/),
    })
  })
})

describe('L12 in a rollout of two versions', () => {
  /** Sampled tokens on which sampler and trainer are far apart; the first forty are of the older version. */
  async function routed(far: readonly number[]) {
    const rows = scoredRows(
      ({ sampler, trainer, sampled }, { record }) => {
        record.model = 'Qwen/Qwen3-30B-A3B'
        const at = new Map(sampled.map((token, k) => [token, k]))
        record.versions = record.input_ids.map((_, token) =>
          at.has(token) ? ((at.get(token) as number) < 40 ? 7 : 8) : -1,
        )
        for (const [k, token] of sampled.entries()) {
          sampler[token] = -1
          trainer[token] = -1 + (k % 2 === 0 ? -1 : 1) * (k < 40 ? 0.06 : 0.005)
          if (far.includes(k)) trainer[token] = k % 2 ? -1.8 : -2
        }
      },
      undefined,
      1,
    )
    const tokenizer = await testTokenizer('qwen2.5')
    const trajectories = rows(tokenizer).map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
    const { byCode } = await auditTrajectories(trajectories, tokenizer)
    return byCode.get('L12')?.findings.length
  }

  it('is not told of tokens that the older sampled, of which the version tells', async () => {
    expect(await routed([5, 18, 27, 33])).toBe(0)
  })

  it('is told where they lie in what the newest sampled as well', async () => {
    expect(await routed([5, 18, 47, 58])).toBe(1)
  })
})
