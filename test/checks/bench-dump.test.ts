import { expect, it } from 'vitest'
import { generator, groupedRecord } from '../bench/dump.ts'
import { audited } from '../session/dumps.ts'

it('what is measured on is sound: a finding in each rollout would be measured as well', async () => {
  const random = generator(1000)
  const records = Array.from({ length: 400 }, (_, index) => groupedRecord(index, 1000, random))
  const report = (await audited(`${records.join('\n')}\n`)).report()
  expect(report.totals.trajectories).toBe(400)
  expect(report.checks.filter(({ status }) => status === 'fail').map(({ code }) => code)).toEqual([])
})
