import { describe, expect, it } from 'vitest'
import { noise, scoredRows } from '../fixtures/checks/logprob-rows.ts'
import { audited, qwen } from '../session/dumps.ts'

const K1 = (d: number) => -d
const K3 = (d: number) => Math.exp(d) - d - 1
const REVERSED = (d: number) => Math.exp(-d) + d - 1

/** Twelve rollouts whose KL the formula of their place gives. */
async function told(
  formulaOf: (index: number) => (d: number) => number,
  decimals = 17,
  declared?: string[],
  /** Of the differences between policy and reference. */
  spread = 1.2,
) {
  const rows = scoredRows(
    ({ trainer, sampled }, { record }, index) => {
      const reference = trainer.map((value) => value)
      const kl: (number | null)[] = trainer.map(() => null)
      for (const [k, token] of sampled.entries()) {
        const own = Math.min(0, (trainer[token] as number) + (noise(k * 19) - 0.7) * spread)
        reference[token] = own
        kl[token] = Number(formulaOf(index)(own - (trainer[token] as number)).toFixed(decimals))
      }
      record.logprobs = { ...record.logprobs, reference }
      record.kl = kl
      if (declared !== undefined) record.meta = { kl_estimator: declared[index] }
    },
    () => ({}),
    12,
  )(await qwen())
  const report = (await audited(rows.map(({ record }) => JSON.stringify(record)).join('\n'))).report()
  const check = report.checks.find(({ code }) => code === 'L10')!
  const findings = report.findings.filter(({ code }) => code === 'L10')
  return { ...check, records: findings.map(({ record }) => record), message: findings[0]?.message }
}

describe('a stored KL of which rollouts follow different formulas', () => {
  it.each([6, 2])('names those that follow k3 with policy and reference exchanged: %i of 12', async (count) => {
    const { status, records, message } = await told((index) => (index < count ? REVERSED : K3))
    expect(status).toBe('fail')
    expect(records).toEqual(Array.from({ length: count }, (_, index) => index))
    expect(message).toMatch(
      /^The stored KL of this rollout is k3 with policy and reference exchanged, to the last digit; not all/,
    )
  })

  it.each([3, 4, 6])('names them where %i decimals were kept', async (decimals) => {
    const { records, message } = await told((index) => (index < 2 ? REVERSED : K3), decimals)
    expect(records).toEqual([0, 1])
    expect(message).toMatch(/ is k3 with policy and reference exchanged, /)
    expect((await told(() => K3, decimals)).status).toBe('pass')
  })

  it('does not name them where what rounding left tells too few tokens apart', async () => {
    for (const spread of [0.1, 0.3])
      expect((await told((index) => (index < 2 ? REVERSED : K3), 3, undefined, spread)).records).toEqual([])
  })

  it('does not name rollouts of k3 that was stored as bf16', async () => {
    const bfloat = (value: number) => {
      const [word = 0] = new Uint32Array(Float32Array.of(value).buffer)
      return new Float32Array(Uint32Array.of((word + 0x8000) & 0xffff0000).buffer)[0] as number
    }
    for (const spread of [0.3, 1.2])
      expect((await told(() => (d) => bfloat(K3(d)), 17, undefined, spread)).records).toEqual([])
  })

  it('names those of k1 whose sign is turned', async () => {
    const { records, message } = await told((index) => (index === 4 ? (d) => d : K3))
    expect(records).toEqual([4])
    expect(message).toMatch(/ is reference − policy, k1 with its sign turned, /)
  })

  it('does not tell which of two formulas is meant, and does not let it pass', async () => {
    const { status, reason } = await told((index) => (index < 6 ? K1 : K3))
    expect(status).toBe('not-checkable')
    expect(reason).toBe('the stored KL follows different formulas: k1 in 6 rollouts, k3 in 6 rollouts')
  })

  it('does not let a KL pass that follows no formula', async () => {
    let seed = 0
    const { status, reason } = await told(() => () => 0.1 * (0.5 + 0.5 * Math.sin(97 * seed++)))
    expect(status).toBe('not-checkable')
    expect(reason).toMatch(/^the stored KL follows no formula that is known: \S+ is nearest, and explains \d+ % of it$/)
  })

  it('says nothing where each follows the one that it declares, or where digits were rounded away', async () => {
    const declared = Array.from({ length: 12 }, (_, index) => (index < 6 ? 'k1' : 'k3'))
    expect((await told((index) => (index < 6 ? K1 : K3), 17, declared)).status).toBe('pass')
    expect((await told(() => K3)).status).toBe('pass')
    expect((await told((index) => (index < 2 ? REVERSED : K3), 2)).records).toEqual([])
  })
})
