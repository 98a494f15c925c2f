import { expect, it } from 'vitest'
import { audited, cleanRollout, qwen, rolloutWithTrainedReply } from '../session/dumps.ts'

/** Experiences of one rollout each: the mask without its first entry, padded to one width with another id than ends a turn. */
async function reportOf(isTrained: boolean, isLate = false) {
  const tokenizer = await qwen()
  const records = Array.from({ length: 12 }, (_, seed) => {
    const { record } = (isTrained ? rolloutWithTrainedReply : cleanRollout)(tokenizer, seed)
    const width = 400
    const wide = (list: readonly number[], by = 0) => [...list, ...Array<number>(width - list.length).fill(by)]
    return {
      sequences: [wide(record.input_ids, 151643)],
      attention_mask: [wide(record.input_ids.map(() => 1))],
      action_mask: [wide(record.loss_mask as number[]).slice(isLate ? 0 : 1, isLate ? -1 : width)],
      info: { reward: [seed % 2] },
    }
  })
  return (await audited(records.map((record) => `${JSON.stringify(record)}\n`).join(''))).report()
}

it('a mask of OpenRLHF has its entries at the tokens that they predict, so that a clean run is silent', async () => {
  const report = await reportOf(false)
  expect(report.sources[0]).toMatchObject({ format: { id: 'openrlhf' }, skipped: [], drift: [] })
  expect(report.checks.filter(({ status, severity }) => status === 'fail' && severity === 'error')).toEqual([])
  expect(report.totals.tokens.trained).toBeGreaterThan(100)
})

it('and one that is off by a token, or trains what a tool said, is not', async () => {
  const failing = (report: Awaited<ReturnType<typeof reportOf>>) =>
    report.checks.flatMap(({ code, status, severity }) => (status === 'fail' && severity === 'error' ? [code] : []))
  expect(failing(await reportOf(true))).toContain('M01')
  expect(failing(await reportOf(false, true))).not.toEqual([])
})

it('a mask that is shorter than the arrays beside it moves nothing but itself', async () => {
  const tokenizer = await qwen()
  const records = Array.from({ length: 8 }, (_, seed) => {
    const { record } = cleanRollout(tokenizer, seed)
    const mask = (record.loss_mask as number[]).slice(1)
    const advantage = seed % 2 === 0 ? 1 : -1
    return {
      sequences: record.input_ids,
      attention_mask: record.input_ids.map(() => 1),
      action_mask: seed === 3 ? mask.slice(0, -7) : mask,
      action_log_probs: mask.map((flag, i) => (flag === 1 ? -0.1 - (i % 5) / 10 : 0)),
      advantages: mask.map((flag) => flag * advantage),
      info: { reward: seed % 2 },
    }
  })
  const found = (await audited(records.map((record) => `${JSON.stringify(record)}\n`).join(''))).report()
  const failing = found.checks.filter(({ status, severity }) => status === 'fail' && severity !== 'info')
  expect(failing.map(({ code, affected }) => `${code} ${affected}`)).toContain('S03 1')
  expect(failing.map(({ code }) => code)).not.toContain('M06')
  expect(failing.map(({ code }) => code)).not.toContain('S05')
})

it('the length that it writes for a response counts what a tool said between two actions (A08), be it beside the sequence or among its info', async () => {
  const tokenizer = await qwen()
  type Measure = (mask: readonly number[]) => number
  const statusOf = async (measure: Measure, isInfo: boolean) => {
    const records = Array.from({ length: 8 }, (_, seed) => {
      const { record } = cleanRollout(tokenizer, seed)
      const mask = (record.loss_mask as number[]).slice(1)
      const length = { response_length: isInfo ? measure(mask) : [measure(mask)] }
      return {
        sequences: [record.input_ids],
        attention_mask: [record.input_ids.map(() => 1)],
        action_mask: [mask],
        info: { reward: [seed % 2], ...(isInfo ? length : {}) },
        ...(isInfo ? {} : length),
      }
    })
    const report = (await audited(records.map((record) => `${JSON.stringify(record)}\n`).join(''))).report()
    expect(report.sources[0]).toMatchObject({ format: { id: 'openrlhf' }, drift: [] })
    return report.checks.find(({ code }) => code === 'A08')?.status
  }
  const span: Measure = (mask) => mask.lastIndexOf(1) - mask.indexOf(1) + 1
  const actions: Measure = (mask) => mask.reduce((sum, one) => sum + one, 0)
  expect([await statusOf(span, false), await statusOf(span, true)]).toEqual(['fail', 'fail'])
  expect([await statusOf(actions, false), await statusOf(actions, true)]).toEqual(['pass', 'pass'])
})
