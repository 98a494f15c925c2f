import type { CheckResult } from '../model/report.ts'
import type { CheckTally } from './check.ts'

/** Share of the places a check looks at from which a fault is the framework's and not the data's. */
export const SYSTEMATIC_SHARE = 0.95

/** Trajectories (or groups) that must have it: one alone cannot show a pattern. */
export const SYSTEMATIC_UNITS = 2

/**
 * Whether a fault stands nearly everywhere it can stand: at nearly all places that the check looks at, or nearly only at kinds
 * of turn edge where nearly every edge has it ("assistant>tool lacks the newline at 4,096 of 4,096"). Null where there is none.
 */
export function patternOf(tally: CheckTally): CheckResult['pattern'] {
  if (tally.affected === 0) return null
  const everywhere =
    tally.placesChecked > 0
      ? tally.placesAffected >= SYSTEMATIC_SHARE * tally.placesChecked || wholeKindsOnly(tally)
      : tally.affected >= SYSTEMATIC_SHARE * tally.checked
  return everywhere && tally.affected >= SYSTEMATIC_UNITS ? 'systematic' : 'sporadic'
}

function wholeKindsOnly({ byBoundary, placesAffected }: CheckTally): boolean {
  let inWholeKinds = 0
  for (const { checked, affected } of Object.values(byBoundary)) {
    if (checked >= SYSTEMATIC_UNITS && affected >= SYSTEMATIC_SHARE * checked) inWholeKinds += affected
  }
  return inWholeKinds >= SYSTEMATIC_SHARE * placesAffected && inWholeKinds > 0
}
