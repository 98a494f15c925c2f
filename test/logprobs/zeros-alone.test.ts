import { expect, it } from 'vitest'
import { scoredRows } from '../fixtures/checks/logprob-rows.ts'
import { audited, qwen } from '../session/dumps.ts'

/** What is said of 16 rollouts of 16 steps in which both engines are exactly 0 on all that was sampled, but for the given rollouts. */
async function told(isFilled: (index: number) => boolean) {
  const rows = scoredRows(
    ({ sampler, trainer, sampled }, _row, index) => {
      if (isFilled(index)) return
      for (const token of sampled) sampler[token] = trainer[token] = 0
    },
    (index) => ({ more: { step: index } }),
    16,
  )(await qwen())
  const report = (await audited(rows.map(({ record }) => JSON.stringify(record)).join('\n'))).report()
  const status = (code: string) => report.checks.find((check) => check.code === code)?.status
  return {
    codes: ['L01', 'L05'].map(status),
    reason: report.checks.find(({ code }) => code === 'L05')?.reason,
    lora: report.hypotheses.find(({ id }) => id === 'H06-lora'),
  }
}

it('logprobs that are exactly 0 on every token, of both engines, tell nothing of either', async () => {
  const { codes, reason, lora } = await told(() => false)
  expect(codes).toEqual(['not-checkable', 'not-checkable'])
  expect(reason).toContain('in all of 16 rollouts the sampler')
  expect(lora).toMatchObject({ verdict: 'not-checkable', missing: [expect.stringContaining('logprobs other than 0')] })
})

it('where some rollouts have others, the engines can be compared', async () => {
  const { codes, lora } = await told((index) => index % 2 === 0)
  expect(codes[0]).toBe('pass')
  expect(lora?.verdict).not.toBe('not-checkable')
})
