import type { CheckResult, Defect, Finding, Report, Severity, Symptom } from '../../../shared/model/report.ts'

/** What one line of the list of defects tells: one cause, or several that are told together. */
export interface DefectLine {
  /** The first gives the line its name. */
  readonly parts: readonly DefectPart[]
  readonly title: string
  /** The worst of the checks that it is known by. */
  readonly severity: Severity
}

export interface DefectPart {
  readonly defect: Defect
  readonly symptoms: readonly { readonly symptom: Symptom; readonly check: CheckResult }[]
}

/** A failing check that no defect explains, or not wholly. */
export interface FaultLine {
  readonly check: CheckResult
  /** Ids of the defects that explain some of it. */
  readonly explainedBy: readonly string[]
  /** Affected units that none of them explains. */
  readonly remaining: number
}

const ORDER: readonly Severity[] = ['error', 'warning', 'info']

/** The defects of a report, a line each, and the failing checks that stand for themselves, the worst first. */
export function linesOf(report: Report): { readonly defects: DefectLine[]; readonly faults: FaultLine[] } {
  const failing = new Map(report.checks.filter(({ status }) => status === 'fail').map((check) => [check.code, check]))
  const ids = new Set(report.defects.map(({ id }) => id))
  const isPart = ({ part_of: whole }: Defect) => whole !== undefined && ids.has(whole)
  const defects = report.defects
    .filter((defect) => !isPart(defect))
    .map((defect) => {
      const told = [defect, ...report.defects.filter((part) => isPart(part) && part.part_of === defect.id)]
      const checks = told.flatMap((part) => part.checks.flatMap((code) => failing.get(code) ?? []))
      return {
        parts: told.map((part) => ({ defect: part, symptoms: symptomsOf(part, failing) })),
        title: told.length > 1 ? (defect.statement ?? defect.title) : defect.title,
        severity: ORDER.find((severity) => checks.some((check) => check.severity === severity)) ?? 'error',
      }
    })
  const faults = [...failing.values()]
    .map((check) => faultLine(report, check))
    .filter(({ remaining, explainedBy }) => remaining > 0 || explainedBy.length === 0)
    .sort(
      ({ check: a }, { check: b }) =>
        ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity) || (b.rate ?? 0) - (a.rate ?? 0),
    )
  return { defects, faults }
}

function symptomsOf({ symptoms }: Defect, failing: ReadonlyMap<string, CheckResult>): DefectPart['symptoms'] {
  return symptoms.flatMap((symptom) => {
    const check = failing.get(symptom.code)
    return check === undefined ? [] : [{ symptom, check }]
  })
}

function faultLine(report: Report, check: CheckResult): FaultLine {
  const symptoms = report.defects.flatMap(({ id, symptoms }) =>
    symptoms.filter(({ code }) => code === check.code).map(({ affected }) => ({ id, affected })),
  )
  if (symptoms.length === 0) return { check, explainedBy: [], remaining: check.affected }
  const explained = symptoms.reduce((sum, { affected }) => sum + affected, 0)
  // The list of findings may be cut, and two defects may count the same unit: neither alone shows that nothing remains.
  const remaining = Math.max(check.affected - explained, unexplainedUnits(report, check))
  return { check, explainedBy: symptoms.map(({ id }) => id), remaining: Math.min(check.affected, remaining) }
}

/** Units with a listed finding that no defect explains. */
function unexplainedUnits({ findings }: Report, { code, unit }: CheckResult): number {
  const unitOf = ({ source, record, part, group }: Finding) =>
    unit === 'trajectory' ? `${source}:${record}:${part}` : unit === 'group' ? `${source}:${group}` : `${source}`
  return new Set(
    findings
      .filter((finding) => finding.code === code && finding.intended !== true && finding.defect === undefined)
      .map(unitOf),
  ).size
}
