import type { CheckResult } from '../model/report.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import type { CheckTally } from './check.ts'

/**
 * Whether a fault stands nearly everywhere it can stand; null where there is none. Three ways to be everywhere: at nearly all places
 * that the check looks at; in nearly all units (a turn that is masked out in every rollout is the framework's doing, whatever the
 * other turns are like); at nearly all edges of the kinds that have it (a header missing after every reply and never after the
 * question).
 */
export function patternOf(tally: CheckTally, thresholds: Thresholds): CheckResult['pattern'] {
  if (tally.affected === 0) return null
  const { checked, affected, placesChecked, placesAffected } = tally
  const everywhere =
    isNearlyAll({ checked, affected }, thresholds) ||
    (placesChecked > 0 &&
      (isNearlyAll({ checked: placesChecked, affected: placesAffected }, thresholds) ||
        isOfItsKinds(tally, thresholds)))
  return everywhere && affected >= thresholds['systematic-units'] ? 'systematic' : 'sporadic'
}

function isNearlyAll(
  { checked, affected }: { readonly checked: number; readonly affected: number },
  thresholds: Thresholds,
): boolean {
  return affected >= thresholds['systematic-share'] * checked
}

function isOfItsKinds({ byBoundary, placesChecked }: CheckTally, thresholds: Thresholds): boolean {
  const kinds = Object.values(byBoundary).filter(({ affected }) => affected > 0)
  const checked = kinds.reduce((sum, kind) => sum + kind.checked, 0)
  const affected = kinds.reduce((sum, kind) => sum + kind.affected, 0)
  const enough = checked >= thresholds['systematic-kind-share'] * placesChecked
  return kinds.length > 0 && enough && isNearlyAll({ checked, affected }, thresholds)
}
