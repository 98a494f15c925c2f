import { describe, expect, it } from 'vitest'
import { audited, cleanRollout, lines, qwen } from '../session/dumps.ts'

const tokenizer = await qwen()

/** What fails in correct rollouts whose arrays begin `from` tokens into the row, beside a prompt of a stated length. */
async function failing(from: (prompt: number) => number) {
  const rollouts = [1, 2, 3, 4].map((seed) => {
    const rollout = cleanRollout(tokenizer, seed, { id: `r${seed}` })
    const { input_ids: ids, loss_mask: mask } = rollout.record
    const prompt = mask!.indexOf(1)
    const start = from(prompt)
    const advantages = mask!.map((flag) => (flag === 1 ? 0.5 : 0)).slice(start)
    Object.assign(rollout.record, { loss_mask: mask!.slice(start), advantages, prompt_length: prompt })
    expect(ids.length).toBeGreaterThan(prompt)
    return rollout
  })
  const { checks, hypotheses } = (await audited(lines(rollouts))).report()
  const codes = checks.flatMap(({ code, status, severity }) =>
    status === 'fail' && severity === 'error' ? [code] : [],
  )
  return { codes, verdict: hypotheses.find(({ id }) => id === 'H02')?.verdict }
}

describe('arrays beside a prompt of a stated length', () => {
  it('are over the response where they are as long as it', async () => {
    const whole = await failing(() => 0)
    expect(whole).toEqual({ codes: [], verdict: 'contradicted' })
    expect(await failing((prompt) => prompt)).toEqual(whole)
  })

  it.each([-1, 1])('do not fit where they are longer or shorter by one (%i)', async (by) => {
    expect((await failing((prompt) => prompt + by)).codes).toContain('S03')
  })
})
