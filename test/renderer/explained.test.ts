import { describe, expect, it } from 'vitest'
import { linesOf } from '../../renderer/views/verdicts/explained.ts'
import type { CheckResult, Defect, Finding, Report, Severity } from '../../shared/model/report.ts'

function failing(code: string, affected: number, severity: Severity = 'error'): CheckResult {
  return {
    code,
    name: code,
    title: code,
    hypotheses: [],
    severity,
    status: 'fail',
    needs: [],
    reason: null,
    unit: 'trajectory',
    checked: 96,
    affected,
    rate: affected / 96,
    pattern: 'sporadic',
    places: { checked: 96, affected },
    affected_tokens: 0,
    affected_weight: null,
    by_turn: {},
    by_boundary: {},
    intended: 0,
  }
}

function defect(id: string, affected: Readonly<Record<string, number>>, more: Partial<Defect> = {}): Defect {
  const codes = Object.keys(affected)
  return {
    id,
    title: `about ${id}`,
    checks: codes.slice(0, 1),
    places: { checked: 96, affected: 96 },
    why: '',
    fix: '',
    cite: '',
    symptoms: codes.map((code) => ({
      code,
      affected: affected[code] as number,
      places: { checked: 96, affected: 96 },
      pattern: 'sporadic',
    })),
    ...more,
  }
}

function finding(code: string, record: number, more: Partial<Finding> = {}): Finding {
  return {
    code,
    severity: 'error',
    scope: 'tokens',
    source: 0,
    record,
    part: 0,
    trajectory: `r${record}`,
    group: null,
    members: null,
    turn: null,
    tokens: null,
    fingerprint: `${code}-${record}`,
    message: '',
    evidence: {},
    ...more,
  }
}

function report(checks: CheckResult[], defects: Defect[], findings: Finding[] = []): Report {
  // The lines are made from these three alone.
  return { checks, defects, findings } as unknown as Report
}

describe('lines of defects and faults', () => {
  it('lists a check that a defect explains wholly with the defect, and nowhere else', () => {
    const { defects, faults } = linesOf(
      report([failing('M15', 96), failing('L02', 73)], [defect('V1', { M15: 96, L02: 73 })]),
    )
    expect(defects.map(({ title, parts }) => [title, parts[0]?.symptoms.map(({ check }) => check.code)])).toEqual([
      ['about V1', ['M15', 'L02']],
    ])
    expect(faults).toEqual([])
  })

  it('says of a check that is explained in part how many units remain', () => {
    const { faults } = linesOf(report([failing('C04', 23)], [defect('V11', { C04: 20 })]))
    expect(faults).toMatchObject([{ check: { code: 'C04' }, explainedBy: ['V11'], remaining: 3 }])
  })

  it('keeps a check in the list as long as one of its findings has no defect, whatever the sums say', () => {
    const findings = [
      finding('T04', 0, { defect: 'V3' }),
      finding('T04', 7),
      finding('T04', 7, { turn: 2 }),
      finding('T04', 9, { intended: true }),
    ]
    const two = [defect('V3', { T04: 6 }), defect('T15', { T04: 4 })]
    const { faults } = linesOf(report([failing('T04', 8)], two, findings))
    expect(faults).toMatchObject([{ explainedBy: ['V3', 'T15'], remaining: 1 }])
  })

  it('tells defects that belong together as one, in the words of the first', () => {
    const header = defect('V2', { T05: 96 }, { statement: 'Header and newline missing' })
    const { defects } = linesOf(
      report(
        [failing('T05', 96), failing('T04', 96, 'warning')],
        [header, defect('V3', { T04: 96 }, { part_of: 'V2' })],
      ),
    )
    expect(defects.map(({ title, parts, severity }) => [title, parts.map((part) => part.defect.id), severity])).toEqual(
      [['Header and newline missing', ['V2', 'V3'], 'error']],
    )
  })

  it('does not lose a defect whose whole is not in the report', () => {
    const { defects } = linesOf(report([failing('T04', 96, 'warning')], [defect('V3', { T04: 96 }, { part_of: 'V2' })]))
    expect(defects.map(({ title, severity }) => [title, severity])).toEqual([['about V3', 'warning']])
  })

  it('sorts what stands for itself by severity, then by rate', () => {
    const checks = [failing('M04', 90, 'info'), failing('C03', 10, 'warning'), failing('M01', 2), failing('M03', 5)]
    expect(linesOf(report(checks, [])).faults.map(({ check }) => check.code)).toEqual(['M03', 'M01', 'C03', 'M04'])
  })
})
