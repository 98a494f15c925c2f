import type { CheckResult, Count, Defect, Finding, Report, Severity, Symptom } from '../model/report.ts'

/** One thing that is wrong: a defect with all that fails because of it, or a failing check that none explains, or not wholly. */
export interface Cause {
  /** `V1`; of defects that are told together all of them; the code of a check that stands for itself. */
  readonly ids: readonly string[]
  readonly title: string
  /** The worst of the checks that fail because of it. */
  readonly severity: Severity
  /** All codes that fail because of it, those it is known by first. */
  readonly codes: readonly string[]
  /** Its extent is that of this check, of what it fails by first. */
  readonly lead: CheckResult
  /** Affected units of `lead`, of those it looked at. */
  readonly extent: Count
  /** Share of the units or of the loss weight that it touches, whichever is more. */
  readonly reach: number
  /** The defects told here, each with its symptoms; empty for a check that stands for itself. */
  readonly parts: readonly DefectPart[]
  /** Of a check that defects explain in part: which they are. */
  readonly explainedBy: readonly string[]
}

export interface DefectPart {
  readonly defect: Defect
  readonly symptoms: readonly { readonly symptom: Symptom; readonly check: CheckResult }[]
}

const ORDER: readonly Severity[] = ['error', 'warning', 'info']

/** Everything that is wrong, the worst first: by severity, then by how much it touches, then as the report has it, defects before checks. */
export function causesOf(report: Pick<Report, 'checks' | 'defects' | 'findings'>): Cause[] {
  const failing = new Map(report.checks.filter(({ status }) => status === 'fail').map((check) => [check.code, check]))
  const ids = new Set(report.defects.map(({ id }) => id))
  const isPart = ({ part_of: whole }: Defect) => whole !== undefined && ids.has(whole)
  const defects = report.defects
    .filter((defect) => !isPart(defect))
    .flatMap((defect) => {
      const told = [defect, ...report.defects.filter((part) => isPart(part) && part.part_of === defect.id)]
      return ofDefects(told, failing) ?? []
    })
  const checks = [...failing.values()].flatMap((check) => ofCheck(report, check) ?? [])
  return [...defects, ...checks].sort(
    (a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity) || b.reach - a.reach,
  )
}

/** What it takes to put findings in order: small, where a report may list thousands of findings. */
export interface CauseOrder {
  /** Ids of causes, the worst first. */
  readonly ids: readonly string[]
  /** The codes that each defect is known by. */
  readonly known: Readonly<Record<string, readonly string[]>>
}

export function causeOrder(report: Pick<Report, 'checks' | 'defects' | 'findings'>): CauseOrder {
  return {
    ids: causesOf(report).flatMap((cause) => cause.ids),
    known: Object.fromEntries(report.defects.map(({ id, checks }) => [id, checks])),
  }
}

/** Findings in the order in which to look at them: what is wrong before what follows from it, the worst cause first, else as they were. */
export function causesFirst(findings: readonly Finding[], { ids, known }: CauseOrder): Finding[] {
  const rankOf = ({ code, defect }: Finding) => {
    const at = ids.indexOf(defect ?? code)
    return at < 0 ? ids.length : at
  }
  const follows = ({ code, defect }: Finding) =>
    defect !== undefined && known[defect]?.includes(code) === false ? 1 : 0
  return findings
    .map((finding) => ({ finding, follows: follows(finding), rank: rankOf(finding) }))
    .sort((a, b) => a.follows - b.follows || a.rank - b.rank)
    .map(({ finding }) => finding)
}

function ofDefects(told: readonly Defect[], failing: ReadonlyMap<string, CheckResult>): Cause | null {
  const [first] = told
  const parts = told.map((defect) => ({ defect, symptoms: symptomsOf(defect, failing) }))
  const all = parts.flatMap(({ symptoms }) => symptoms)
  const [lead] = all
  if (first === undefined || lead === undefined) return null
  return {
    ids: told.map(({ id }) => id),
    title: told.length > 1 ? (first.statement ?? first.title) : first.title,
    severity: ORDER.find((severity) => all.some(({ check }) => check.severity === severity)) ?? 'error',
    codes: [...new Set(all.map(({ check }) => check.code))],
    lead: lead.check,
    extent: { checked: lead.check.checked, affected: lead.symptom.affected },
    reach: Math.max(...all.map(({ check, symptom }) => reachOf(check, symptom.affected))),
    parts,
    explainedBy: [],
  }
}

function symptomsOf({ symptoms }: Defect, failing: ReadonlyMap<string, CheckResult>): DefectPart['symptoms'] {
  return symptoms.flatMap((symptom) => {
    const check = failing.get(symptom.code)
    return check === undefined ? [] : [{ symptom, check }]
  })
}

/** Of the loss weight, what stands in the units that are meant here. */
function reachOf({ checked, affected, affected_weight: weight }: CheckResult, units: number): number {
  const part = affected === 0 ? 0 : units / affected
  return Math.max(checked === 0 ? 0 : units / checked, (weight ?? 0) * part)
}

function ofCheck(report: Pick<Report, 'defects' | 'findings'>, check: CheckResult): Cause | null {
  const symptoms = report.defects.flatMap(({ id, symptoms }) =>
    symptoms.filter(({ code }) => code === check.code).map(({ affected }) => ({ id, affected })),
  )
  const explained = symptoms.reduce((sum, { affected }) => sum + affected, 0)
  // The list of findings may be cut, and two defects may count the same unit: neither alone shows that nothing remains.
  const remaining =
    symptoms.length === 0
      ? check.affected
      : Math.min(check.affected, Math.max(check.affected - explained, unexplainedUnits(report, check)))
  if (remaining === 0 && symptoms.length > 0) return null
  return {
    ids: [check.code],
    title: check.title,
    severity: check.severity,
    codes: [check.code],
    lead: check,
    extent: { checked: check.checked, affected: remaining },
    reach: reachOf(check, remaining),
    parts: [],
    explainedBy: symptoms.map(({ id }) => id),
  }
}

/** Units with a listed finding that no defect explains. */
function unexplainedUnits({ findings }: Pick<Report, 'findings'>, { code, unit }: CheckResult): number {
  const unitOf = ({ source, record, part, group }: Finding) =>
    unit === 'trajectory' ? `${source}:${record}:${part}` : unit === 'group' ? `${source}:${group}` : `${source}`
  return new Set(
    findings
      .filter((finding) => finding.code === code && finding.intended !== true && finding.defect === undefined)
      .map(unitOf),
  ).size
}
