import type { FaultRows } from '../hypotheses/defects-evidence.ts'
import type { CheckResult } from '../model/report.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'

/**
 * The results of checks, with those called systematic whose fault stands in nearly all rollouts of some files and in none of the others:
 * runs of two settings that are opened together. Each file would say so of itself, and reading them together makes it no fault of the data.
 *
 * @param sourceOf number of the source of each rollout
 */
export function withPatternsBySource(
  checks: readonly CheckResult[],
  faults: FaultRows,
  sourceOf: Int32Array,
  thresholds: Thresholds,
): CheckResult[] {
  const sources = sourceOf.reduce((most, source) => Math.max(most, source + 1), 0)
  if (sources < 2) return [...checks]
  const rollouts = countsBySource(sourceOf, sources, null)
  return checks.map((check) => {
    const rows = faults.get(check.code)
    if (check.pattern !== 'sporadic' || check.unit !== 'trajectory' || rows === undefined) return check
    const affected = countsBySource(sourceOf, sources, rows)
    return isOfWholeSources(affected, rollouts, thresholds) ? { ...check, pattern: 'systematic' } : check
  })
}

function countsBySource(sourceOf: Int32Array, sources: number, rows: Uint8Array | null): Int32Array {
  const counts = new Int32Array(sources)
  for (let i = 0; i < sourceOf.length; i++) {
    if (rows === null || rows[i] === 1) counts[sourceOf[i] as number] = (counts[sourceOf[i] as number] as number) + 1
  }
  return counts
}

function isOfWholeSources(affected: Int32Array, rollouts: Int32Array, thresholds: Thresholds): boolean {
  let [having, all] = [0, 0]
  for (let source = 0; source < rollouts.length; source++) {
    const [here, of] = [affected[source] as number, rollouts[source] as number]
    all += of
    if (here === 0) continue
    if (here < thresholds['systematic-subset-units'] || here < thresholds['systematic-share'] * of) return false
    having += of
  }
  return having > 0 && having >= thresholds['systematic-kind-share'] * all
}
