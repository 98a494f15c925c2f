import type { DumpView } from '../checks/check.ts'
import type { CheckResult, Count } from '../model/report.ts'

/** A byte per rollout of `DumpView.facts`, 1 where it is in the set. */
export type RowSet = Uint8Array

/** The rollouts in which each code stands, what the policy intends excepted; a code without a fault has no entry. */
export type FaultRows = ReadonlyMap<string, RowSet>

/** What a defect is recognised from. */
export interface DefectEvidence {
  readonly dump: DumpView
  /** The result of a check, null where it was not run. */
  result(code: string): CheckResult | null
  /** The result of a check that fails, null where it does not. */
  failing(code: string): CheckResult | null
  /** The rollouts in which a code stands, null where only sums are known. */
  rows(code: string): RowSet | null
}

/** A defect as it was found in a dump. */
export interface DefectShape {
  /** Codes that it is known by, all of them failing. */
  readonly checks: readonly string[]
  readonly places: Count
  /** The rollouts that have it, null where only sums are known. */
  readonly rows: RowSet | null
}

/** Codes that a defect brings along. */
export interface Explained {
  readonly codes: readonly string[]
  /** Each rollout has one of the codes, if a defect that all of them have is the cause: in a few alone it is another. */
  readonly everywhere?: true
  /** Only where the defect is at work and was not found: where it was, these are faults of their own. */
  readonly elsewhere?: true
  /** Only where no first assistant turn has the fault. */
  readonly afterFirstTurn?: true
}

export const explained = (...codes: readonly string[]): Explained => ({ codes })

/** The trainer's logprobs differ, from turn to turn or on the whole. */
export const GAPS: Explained = { codes: ['L01', 'L02'], everywhere: true }

export function evidenceOf(
  checks: readonly CheckResult[],
  dump: DumpView,
  faultRows: FaultRows | null,
): DefectEvidence {
  const byCode = new Map(checks.map((check) => [check.code, check]))
  const nowhere = new Uint8Array(dump.facts.length)
  return {
    dump,
    result: (code) => byCode.get(code) ?? null,
    failing: (code) => {
      const check = byCode.get(code)
      return check?.status === 'fail' ? check : null
    },
    rows: (code) => (faultRows === null ? null : (faultRows.get(code) ?? nowhere)),
  }
}

/** The rollouts in which any of these codes stands. */
export function rowsOfAny(evidence: DefectEvidence, codes: readonly string[]): RowSet | null {
  return codes.reduce<RowSet | null>((all, code) => {
    const rows = evidence.rows(code)
    return all === null || rows === null ? null : all.map((set, row) => set | (rows[row] as number))
  }, new Uint8Array(evidence.dump.facts.length))
}

export function rowsWhere(dump: DumpView, holds: (row: DumpView['facts'][number]) => boolean): RowSet {
  return Uint8Array.from(dump.facts, (row) => (holds(row) ? 1 : 0))
}

export function sizeOf(rows: RowSet): number {
  return rows.reduce((sum, set) => sum + set, 0)
}

export function inBoth(a: RowSet, b: RowSet): RowSet {
  return a.map((set, row) => set & (b[row] as number))
}

export function inEither(a: RowSet, b: RowSet): RowSet {
  return a.map((set, row) => set | (b[row] as number))
}

/** Whether nearly all of a set lies in another one. */
export function liesWithin(part: RowSet, whole: RowSet, { settings }: DumpView): boolean {
  const shared = sizeOf(inBoth(part, whole))
  return shared > 0 && shared >= settings.thresholds['systematic-share'] * sizeOf(part)
}
