import { expect, it } from 'vitest'
import type { CheckResult } from '../../shared/model/report.ts'
import { readSample, type SampleRecord } from '../samples/read-sample.ts'
import { audited } from './dumps.ts'

const sample = readSample('clean-qwen2.5').slice(0, 16)

async function resultOf(code: string, changed: (record: SampleRecord) => object): Promise<CheckResult> {
  const lines = sample.map((record) => `${JSON.stringify(changed(record))}\n`).join('')
  const report = (await audited(lines, { checks: [code] })).report()
  return report.checks[0] as CheckResult
}

const without = (names: readonly string[], more: object) => (record: SampleRecord) => ({
  ...Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name))),
  ...more,
})

it.each([
  ['a flag', { is_truncated: false }],
  ['a finish reason', { finish_reason: 'stop' }],
])('C05 looks at rollouts with %s alone, and lacks both where there is neither', async (_, one) => {
  const flags = ['is_truncated', 'finish_reason']
  expect(await resultOf('C05', without(flags, one))).toMatchObject({ status: 'pass', checked: sample.length })
  const neither = await resultOf('C05', without(flags, {}))
  expect(neither.status).toBe('not-checkable')
  expect(neither.reason).toBe('the dump carries neither truncation flags nor finish reasons')
})

it('T02 lacks sampled ids where nothing tells what was sampled, and has nothing to look at where flags tell of every turn', async () => {
  const lacking = await resultOf('T02', without([], {}))
  expect(lacking.status).toBe('not-checkable')
  expect(lacking.reason).toMatch(/neither sampled flags nor sampled ids/)
  const flagged = await resultOf('T02', (record) => ({ ...record, sampled: record.loss_mask }))
  expect(flagged.status).not.toBe('not-checkable')
})
