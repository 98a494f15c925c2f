import type { CheckResult } from '../model/report.ts'
import type { CheckTally } from './check.ts'

/** Share of the places a check looks at from which a fault is the framework's and not the data's. */
export const SYSTEMATIC_SHARE = 0.95

/** Trajectories (or groups) that must have it: one alone cannot show a pattern. */
export const SYSTEMATIC_UNITS = 2

/** Share of all places that edges of one kind must make up to show a pattern of their own: a handful of odd edges shows none. */
const KIND_SHARE = 0.1

/**
 * Whether a fault stands nearly everywhere it can stand; null where there is none. Three ways to be everywhere: at nearly all places
 * that the check looks at; in nearly all units (a turn that is masked out in every rollout is the framework's doing, whatever the
 * other turns are like); at nearly all edges of the kinds that have it (a header missing after every reply and never after the
 * question).
 */
export function patternOf(tally: CheckTally): CheckResult['pattern'] {
  if (tally.affected === 0) return null
  const { checked, affected, placesChecked, placesAffected } = tally
  const everywhere =
    isNearlyAll({ checked, affected }) ||
    (placesChecked > 0 && (isNearlyAll({ checked: placesChecked, affected: placesAffected }) || isOfItsKinds(tally)))
  return everywhere && affected >= SYSTEMATIC_UNITS ? 'systematic' : 'sporadic'
}

function isNearlyAll({ checked, affected }: { readonly checked: number; readonly affected: number }): boolean {
  return affected >= SYSTEMATIC_SHARE * checked
}

function isOfItsKinds({ byBoundary, placesChecked }: CheckTally): boolean {
  const kinds = Object.values(byBoundary).filter(({ affected }) => affected > 0)
  const checked = kinds.reduce((sum, kind) => sum + kind.checked, 0)
  const affected = kinds.reduce((sum, kind) => sum + kind.affected, 0)
  return kinds.length > 0 && checked >= KIND_SHARE * placesChecked && isNearlyAll({ checked, affected })
}
