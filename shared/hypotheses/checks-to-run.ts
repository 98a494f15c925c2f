import { CHECKS } from '../checks/registry.ts'
import type { AuditOptions } from '../model/policy.ts'
import { HYPOTHESES } from './registry.ts'

/**
 * Codes of the checks that run, in the order of the registry: those that a person chose, or those on which the chosen hypotheses rest, whose
 * verdicts are then the ones that all checks would give; null = all.
 */
export function checksToRun({ checks, hypotheses }: AuditOptions): readonly string[] | null {
  if (checks !== undefined || hypotheses === undefined) return checks ?? null
  const chosen = HYPOTHESES.filter(({ id }) => hypotheses.includes(id))
  return CHECKS.filter((check) =>
    chosen.some(({ id, reads = [] }) => check.hypotheses.includes(id) || reads.includes(check.code)),
  ).map(({ code }) => code)
}
