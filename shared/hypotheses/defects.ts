import type { DumpView } from '../checks/check.ts'
import { deniedLater } from '../checks/logprobs/later-denials.ts'
import type { CheckResult, Defect, Symptom } from '../model/report.ts'
import { atOnce, type Steps } from '../model/steps.ts'
import {
  type DefectEvidence,
  type DefectShape,
  type Explained,
  evidenceOf,
  type FaultRows,
  inBoth,
  liesWithin,
  type RowSet,
  sizeOf,
} from './defects-evidence.ts'
import { GENERAL_DEFECTS } from './defects-general.ts'
import { type KnownDefect, RERENDERED_CONTEXT, VERIFIERS_DEFECTS } from './defects-verifiers.ts'

export interface Diagnosis {
  /** Those of the old verifiers trainer in the order of their numbers, then the others by code. */
  readonly defects: Defect[]
  /** The defect that explains a fault in a rollout (an index of `DumpView.facts`; null: a fault of the whole dump), null where none does. */
  defectOf(code: string, row: number | null): string | null
}

/**
 * The defects in a dump: single causes, each with the checks that fail because of it. A check is a symptom only where nearly all of its
 * rollouts have the defect. Without `faultRows` (only sums are known) those are symptoms that stand nearly everywhere, as the defect does.
 */
export function* recognisingDefects(
  checks: readonly CheckResult[],
  dump: DumpView,
  faultRows: FaultRows | null = null,
): Steps<Diagnosis> {
  const evidence = evidenceOf(checks, dump, faultRows)
  const found: Found[] = []
  const isTaken = (code: string) => found.some(({ claims }) => claims.has(code))
  const add = (known: KnownDefect) => {
    const shape = known.recognise(evidence)
    if (shape === null) return null
    const each: Found = { known, shape, claims: new Map() }
    for (const code of shape.checks) each.claims.set(code, claimOfLead(evidence, code, shape))
    found.push(each)
    return each
  }
  const explain = (each: Found) => {
    for (const group of each.known.explains) {
      for (const code of group.codes) {
        const claim = isTaken(code) ? null : claimOf(evidence, each.shape, group, code)
        if (claim !== null) each.claims.set(code, claim)
      }
    }
  }
  for (const known of VERIFIERS_DEFECTS) {
    add(known)
    yield 0.3
  }
  for (const each of found) {
    explain(each)
    yield 0.5
  }
  for (const known of GENERAL_DEFECTS) {
    // What another cause explains is no cause; what explains nothing is told by its check.
    const each = isTaken(known.id) ? null : add(known)
    if (each === null) continue
    explain(each)
    if (each.claims.size === 1) found.pop()
    yield 0.7
  }
  if (!isTaken('L02')) add(RERENDERED_CONTEXT)
  found.sort((a, b) => rankOf(a) - rankOf(b) || (a.known.id < b.known.id ? -1 : 1))
  return {
    defects: joined(found, dump),
    defectOf(code, row) {
      const owner = found.find(({ shape, claims }) => {
        return claims.has(code) && (row === null || shape.rows === null || shape.rows[row] === 1)
      })
      return owner?.known.id ?? null
    },
  }
}

interface Found {
  readonly known: KnownDefect
  readonly shape: DefectShape
  readonly claims: Map<string, Symptom>
}

function claimOfLead(evidence: DefectEvidence, code: string, { rows }: DefectShape): Symptom {
  const check = evidence.failing(code) as CheckResult
  const own = evidence.rows(code)
  return symptomOf(check, rows === null || own === null ? null : inBoth(own, rows))
}

function symptomOf({ code, unit, affected, places, pattern }: CheckResult, shared: RowSet | null): Symptom {
  // Groups and files are not counted by rollouts: where their rollouts coincide, they do.
  const units = shared === null || unit !== 'trajectory' ? affected : Math.min(affected, sizeOf(shared))
  return { code, affected: units, places: { ...places }, pattern }
}

/** What a check says because of a defect; null where it has other rollouts, or so few of a defect's that this one does not cause it. */
function claimOf(evidence: DefectEvidence, shape: DefectShape, group: Explained, code: string): Symptom | null {
  const { dump } = evidence
  const check = evidence.failing(code)
  if (check === null || (group.afterFirstTurn && (check.by_turn['1'] ?? 0) > 0)) return null
  if (group.everywhere && isEverywhere(evidence, shape) && !isWidespread(evidence, group)) return null
  const rows = evidence.rows(code)
  if (group.elsewhere && (rows === null || standsWith(evidence, shape, rows))) return null
  if (rows === null || shape.rows === null) {
    return check.pattern === 'systematic' && isEverywhere(evidence, shape) ? symptomOf(check, null) : null
  }
  return liesWithin(rows, shape.rows, dump) ? symptomOf(check, inBoth(rows, shape.rows)) : null
}

/** Some of these rollouts have a check by which the defect is known. */
function standsWith({ rows }: DefectEvidence, { checks }: DefectShape, others: RowSet): boolean {
  return checks.some((code) => {
    const own = rows(code)
    return own !== null && inBoth(own, others).includes(1)
  })
}

function isEverywhere({ dump, failing }: DefectEvidence, { rows, checks }: DefectShape): boolean {
  if (rows === null) return checks.every((code) => failing(code)?.pattern === 'systematic')
  return sizeOf(rows) >= dump.settings.thresholds['systematic-share'] * dump.facts.length
}

/** What all rollouts have shows in most of those that a check could look at. */
function isWidespread({ dump, result }: DefectEvidence, { codes, afterFirstTurn }: Explained): boolean {
  const checks = codes.flatMap((code) => result(code) ?? [])
  const told = checks.reduce((sum, check) => sum + check.affected, 0)
  // Of a gap that all rollouts show together many have too few such tokens to be told by themselves.
  const together = afterFirstTurn ? atOnce(deniedLater(dump))?.laterAlone : 0
  const affected = Math.max(told, together ?? 0)
  return affected >= dump.settings.thresholds['symptom-share'] * Math.max(...checks.map(({ checked }) => checked))
}

/** V1 to V14, then codes. */
function rankOf({ known: { id } }: Found): number {
  return id.startsWith('V') ? Number(id.slice(1)) : Number.POSITIVE_INFINITY
}

function joined(found: readonly Found[], dump: DumpView): Defect[] {
  const header = found.find(({ known }) => known.id === 'V2')
  const newline = found.find(({ known }) => known.id === 'V3')
  const together = header !== undefined && newline !== undefined && isSameRows(header.shape, newline.shape, dump)
  return found.map(({ known: { id, title, why, fix, cite }, shape, claims }) => ({
    id,
    title,
    checks: [...shape.checks],
    places: { ...shape.places },
    why,
    fix,
    cite,
    symptoms: [...claims.values()],
    ...(together && id === 'V2' ? { statement: 'Assistant header and newline missing from turn 2 on' } : {}),
    ...(together && id === 'V3' ? { part_of: 'V2' } : {}),
  }))
}

function isSameRows({ rows: a }: DefectShape, { rows: b }: DefectShape, dump: DumpView): boolean {
  return a === null || b === null || (liesWithin(a, b, dump) && liesWithin(b, a, dump))
}
