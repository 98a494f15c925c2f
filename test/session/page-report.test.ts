import { expect, it } from 'vitest'
import type { Finding, Report } from '../../shared/model/report.ts'
import { pageReport } from '../../shared/session/concluding/page-report.ts'

const finding = (code: string, more: Partial<Finding> = {}) => ({ code, ...more }) as Finding
const report = (findings: Finding[], findings_omitted = 0) => ({ findings, findings_omitted }) as Report

it('keeps examples of every code, cause and intent, and counts what is left out', () => {
  const many = Array.from({ length: 5000 }, (_, k) => finding('M01', { record: k }))
  const cut = pageReport(report([...many, finding('M01', { defect: 'V1' }), finding('T05', { intended: true })], 7))
  expect(cut.findings).toHaveLength(22)
  expect(cut.findings.map(({ record }) => record).slice(0, 3)).toEqual([0, 1, 2])
  expect(cut.findings.at(-2)).toMatchObject({ defect: 'V1' })
  expect(cut.findings_omitted).toBe(7 + 5000 - 20)
})

it('leaves a short report as it is', () => {
  const short = report([finding('M01')], 3)
  expect(pageReport(short)).toBe(short)
})
