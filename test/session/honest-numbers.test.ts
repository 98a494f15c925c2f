import { beforeAll, describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { audited, cleanRollout, lines, qwen } from './dumps.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await qwen()
})

const ROWS = 12

/** The report of clean rollouts of which each was changed in one way. */
async function reportOf(change: (record: { input_ids: number[]; loss_mask: number[] }, i: number) => object) {
  const text = Array.from({ length: ROWS }, (_, i) => {
    const record = JSON.parse(lines([cleanRollout(tokenizer, i, { group: 'g', groupSize: ROWS, reward: i % 2 })]))
    return JSON.stringify({ ...record, ...change(record, i) })
  }).join('\n')
  return (await audited(text)).report()
}
const verdict = (report: Awaited<ReturnType<typeof reportOf>>, id: string) =>
  report.hypotheses.find((hypothesis) => hypothesis.id === id)?.verdict
const wrong = (report: Awaited<ReturnType<typeof reportOf>>) =>
  report.checks.filter(({ status, severity }) => status === 'fail' && severity !== 'info').map(({ code }) => code)

describe('a report', () => {
  it('counts a rollout that begins inside a turn once, though its siblings are looked at too', async () => {
    const report = await reportOf(({ input_ids, loss_mask }) => ({
      input_ids: input_ids.slice(3),
      loss_mask: loss_mask.slice(3),
      prompt_length: undefined,
      sampled: undefined,
      logprobs: undefined,
    }))
    const cut = report.checks.find(({ code }) => code === 'C01')
    expect(cut).toMatchObject({ status: 'fail', checked: ROWS, affected: ROWS, pattern: 'systematic' })
  })

  it('decides nothing about masks from rows without a token', async () => {
    const session = await audited('{"input_ids": [], "loss_mask": []}\n{"input_ids": [], "loss_mask": []}')
    expect(verdict(session.report(), 'H02')).toBe('not-checkable')
  })

  it('does not clear a mask that leaves out half of what the model wrote', async () => {
    const report = await reportOf(({ loss_mask }) => {
      let trained = 0
      return { loss_mask: loss_mask.map((value) => (value === 1 && trained++ % 2 === 0 ? 0 : value)) }
    })
    expect(verdict(report, 'H02')).not.toBe('contradicted')
    expect(verdict(await reportOf(() => ({})), 'H02')).toBe('contradicted')
  })

  it('calls a mask that lies one token late that, and suggests no policy that would hide it', async () => {
    const report = await reportOf(({ loss_mask }) => ({ loss_mask: [0, ...loss_mask.slice(0, -1)] }))
    expect(wrong(report)).toEqual(['M06'])
    expect(report.policy.suggested).toBeNull()
  })

  it('reads a number that stands as a text, and names a field whose text is none, without calling arrays unfit', async () => {
    const spelt = await reportOf(() => ({ reward: '0.9', step: '4', advantage: '-1e-1', temperature: '1.0' }))
    const plain = await reportOf(() => ({ reward: 0.9, step: 4, advantage: -0.1, temperature: 1 }))
    expect(spelt.checks).toEqual(plain.checks)
    expect(spelt.sources[0]?.drift).toEqual([])
    expect(spelt.aggregates).toMatchObject({ rewards: { rows: ROWS, sum: ROWS * 900_000 } })
    const broken = await reportOf(() => ({ reward: 'good', step: '4 ', advantage: '0x10', temperature: '' }))
    expect(wrong(broken)).toEqual([])
    expect(verdict(broken, 'H02')).toBe('contradicted')
    expect(broken.sources[0]?.drift).toEqual([
      `advantage is a text, a number was expected in ${ROWS} records`,
      `reward is a text, a number was expected in ${ROWS} records`,
      `step is a text, a number was expected in ${ROWS} records`,
      `temperature is a text, a number was expected in ${ROWS} records`,
    ])
    for (const [no, yes] of [
      ['false', 'true'],
      ['False', 'True'],
      ['0', '1'],
    ]) {
      const told = await reportOf((_, i) => ({ is_truncated: i % 2 === 0 ? yes : no }))
      const plainly = await reportOf((_, i) => ({ is_truncated: i % 2 === 0 }))
      expect(told.checks).toEqual(plainly.checks)
      expect(told.sources[0]?.drift).toEqual([])
    }
    const unclear = await reportOf(() => ({ is_truncated: 'no' }))
    expect(unclear.sources[0]?.drift).toEqual([`is_truncated is a text, true or false was expected in ${ROWS} records`])
    const failed = await reportOf(() => ({ reward: 'nan' }))
    expect(failed.checks.find(({ code }) => code === 'A10')).toMatchObject({ status: 'fail', affected: ROWS })
  })
})
