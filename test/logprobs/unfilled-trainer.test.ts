import { describe, expect, it } from 'vitest'
import { type Scores, scoredRows } from '../fixtures/checks/logprob-rows.ts'
import type { Conversation } from '../helpers/conversation.ts'
import { audited, qwen } from '../session/dumps.ts'

const scoresOf = ({ record }: Conversation) => (record as unknown as { logprobs: Omit<Scores, 'sampled'> }).logprobs

async function told(records: readonly object[]) {
  const report = (await audited(records.map((record) => JSON.stringify(record)).join('\n'))).report()
  const failing = report.checks.flatMap(({ code, status, affected }) =>
    status === 'fail' && code.startsWith('L') ? [`${code} ${affected}`] : [],
  )
  const [finding] = report.findings.filter(({ code }) => code === 'L05')
  return { failing, message: finding?.message, missing: report.sources[0]?.missing }
}

const native = async (edit: (trainer: (number | null)[], sampler: (number | null)[], index: number) => void) =>
  told(
    scoredRows(({ trainer, sampler }, _row, index) => edit(trainer, sampler, index))(await qwen()).map(
      ({ record }) => record,
    ),
  )

/** As NeMo-RL logs its training data; a number for every token, of which index 0 is 0. */
const ofNemo = (row: Conversation, index: number, trainer: (value: number, trained: boolean) => number) => {
  const mask = row.record.loss_mask as number[]
  return {
    token_ids: row.record.input_ids,
    token_loss_mask: mask,
    sample_loss_mask: 1,
    generation_logprobs: scoresOf(row).sampler.map((value) => value ?? 0),
    prev_logprobs: scoresOf(row).trainer.map((value, token) => trainer(value ?? -0.4, mask[token] === 1)),
    idx: index,
  }
}

describe('a trainer that says exactly 0 of every token that was sampled', () => {
  it('has an array that nobody filled, in few rollouts and in all', async () => {
    const few = await native((trainer, _sampler, index) => index < 2 && trainer.fill(0))
    expect(few.failing).toEqual(['L05 2'])
    expect(few.message).toMatch(
      /^\d+ tokens carry loss with a placeholder for a logprob: the trainer's are exactly 0 on every token of this rollout that the sampler scored, at token \d+ as well, where the sampler's is -/,
    )
    const all = await native((trainer) => trainer.fill(0))
    expect(all.failing).toEqual([expect.stringMatching(/^L05 /)])
  })

  it('is as certain as the sampler, or of all but one token', async () => {
    const certain = await native((trainer, sampler) => {
      for (let token = 0; token < sampler.length; token++) if (sampler[token] !== null) sampler[token] = -1e-4
      trainer.fill(0)
    })
    expect(certain.failing).toEqual([])
    const butOne = await native((trainer, sampler) => {
      const last = sampler.findLastIndex((value) => value !== null)
      trainer.fill(0, 0, last)
    })
    expect(butOne.failing).not.toContainEqual(expect.stringMatching(/^L05 /))
  })

  it('scored nothing where NeMo-RL leaves its pass out, and writes zeros from end to end', async () => {
    const rows = scoredRows(() => undefined)(await qwen())
    const left = await told(rows.map((row, index) => ofNemo(row, index, () => 0)))
    expect(left.failing).toEqual([])
    expect(left.missing).toContain('logprobs.trainer')
    const lost = await told(rows.map((row, index) => ofNemo(row, index, (value, trained) => (trained ? 0 : value))))
    expect(lost.failing).toEqual([expect.stringMatching(/^L05 /)])
  })
})
