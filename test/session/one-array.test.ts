import { describe, expect, it } from 'vitest'
import { scoredRows } from '../fixtures/checks/logprob-rows.ts'
import { audited, lines, qwen } from './dumps.ts'

/** Checks that compare the logprobs of sampler and trainer, token by token or over rollouts. */
const COMPARING = ['L01', 'L02', 'L03', 'L04', 'L06', 'L08']

/** The checks of a dump whose first rollouts have the sampler's logprobs in both places. */
async function checksOf(copied: number) {
  const rows = scoredRows(
    ({ sampler, trainer, sampled }, _, row) => {
      if (row < copied) for (const token of sampled) trainer[token] = sampler[token] as number
    },
    (step) => ({ more: { step } }),
  )
  const session = await audited(lines(rows(await qwen())))
  return new Map(session.report().checks.map((check) => [check.code, check]))
}

describe('checks that compare sampler and trainer', () => {
  it("are not checkable where the sampler's numbers stand in both places", async () => {
    const checks = await checksOf(Number.POSITIVE_INFINITY)
    expect(checks.get('L07')?.status).toBe('fail')
    for (const code of COMPARING) {
      expect(checks.get(code), code).toMatchObject({
        status: 'not-checkable',
        reason: expect.stringMatching(/^the dump does not carry logprobs that the trainer computed by itself/),
      })
    }
  })

  it('pass where one rollout has those of both', async () => {
    const checks = await checksOf(2)
    expect(checks.get('L07')?.status).toBe('fail')
    for (const code of COMPARING.filter((code) => code !== 'L08')) expect(checks.get(code)?.status, code).toBe('pass')
    expect(checks.get('L08')?.reason).toContain('too few to tell a trend')
  })
})
