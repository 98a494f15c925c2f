import { describe, expect, it } from 'vitest'
import { causeOrder, causesFirst, causesOf } from '../../shared/hypotheses/causes.ts'
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
    by_turn_checked: {},
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

describe('causes', () => {
  it('tell a check that a defect explains wholly with the defect, and nowhere else', () => {
    const causes = causesOf(report([failing('M15', 96), failing('L02', 73)], [defect('V1', { M15: 96, L02: 73 })]))
    expect(causes).toMatchObject([{ ids: ['V1'], title: 'about V1', codes: ['M15', 'L02'], lead: { code: 'M15' } }])
  })

  it('stand before what follows from them, the worst first', () => {
    const findings = [
      finding('L02', 0, { defect: 'V1' }),
      finding('M15', 0, { defect: 'V1' }),
      finding('T04', 0, { defect: 'V3' }),
      finding('T05', 0, { defect: 'V2' }),
      finding('C12', 0),
    ]
    const about = report(
      [failing('M15', 96), failing('L02', 73), failing('T05', 96), failing('T04', 96, 'warning'), failing('C12', 3)],
      [defect('V1', { M15: 96, L02: 73 }), defect('V2', { T05: 96 }), defect('V3', { T04: 96 }, { part_of: 'V2' })],
      findings,
    )
    expect(causesFirst(findings, causeOrder(about)).map(({ code }) => code)).toEqual([
      'M15',
      'T05',
      'T04',
      'C12',
      'L02',
    ])
  })

  it('tell of a check that is explained in part how many units remain', () => {
    const causes = causesOf(report([failing('C04', 23)], [defect('V11', { C04: 20 })]))
    expect(causes.map(({ ids, explainedBy, extent }) => [ids, explainedBy, extent.affected])).toEqual([
      [['V11'], [], 20],
      [['C04'], ['V11'], 3],
    ])
  })

  it('keep a check as long as one of its findings has no defect, whatever the sums say', () => {
    const findings = [
      finding('T04', 0, { defect: 'V3' }),
      finding('T04', 7),
      finding('T04', 7, { turn: 2 }),
      finding('T04', 9, { intended: true }),
    ]
    const two = [defect('V3', { T04: 6 }), defect('T15', { T04: 4 })]
    const causes = causesOf(report([failing('T04', 8)], two, findings))
    expect(causes.find(({ ids }) => ids[0] === 'T04')).toMatchObject({
      explainedBy: ['V3', 'T15'],
      extent: { affected: 1 },
    })
  })

  it('tell defects that belong together as one, in the words of the first', () => {
    const header = defect('V2', { T05: 96 }, { statement: 'Header and newline missing' })
    const [cause] = causesOf(
      report(
        [failing('T05', 96), failing('T04', 96, 'warning')],
        [header, defect('V3', { T04: 96 }, { part_of: 'V2' })],
      ),
    )
    expect(cause).toMatchObject({ ids: ['V2', 'V3'], title: 'Header and newline missing', severity: 'error' })
  })

  it('do not lose a defect whose whole is not in the report', () => {
    const causes = causesOf(report([failing('T04', 96, 'warning')], [defect('V3', { T04: 96 }, { part_of: 'V2' })]))
    expect(causes).toMatchObject([{ title: 'about V3', severity: 'warning' }])
  })

  it('are sorted by the worst that fails because of them, then by how much they touch, defect or not', () => {
    const checks = [
      failing('M04', 90, 'info'),
      failing('A06', 96, 'warning'),
      failing('M01', 2),
      { ...failing('M03', 1), affected_weight: 0.9 },
      failing('C03', 7, 'warning'),
      failing('C05', 7),
    ]
    const causes = causesOf(report(checks, [defect('V10', { C03: 7, C05: 7 }), defect('A06', { A06: 96 })]))
    expect(causes.map(({ ids }) => ids[0])).toEqual(['M03', 'V10', 'M01', 'A06', 'M04'])
  })
})
