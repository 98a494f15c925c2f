import type { CheckResult } from '../../model/report.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { CheckTally } from '../check.ts'

/**
 * Whether a fault stands nearly everywhere it can stand; null where there is none. Four ways to be everywhere: at nearly all places
 * that the check looks at; in nearly all units (a turn that is masked out in every rollout is the framework's doing, whatever the
 * other turns are like); at nearly all edges of the kinds that have it (a header missing after every reply and never after the
 * question); in nearly all assistant turns of the indices that have it (a third turn that is rendered otherwise).
 */
export function patternOf(tally: CheckTally, thresholds: Thresholds): CheckResult['pattern'] {
  if (tally.affected === 0) return null
  const { checked, affected, placesChecked, placesAffected } = tally
  const everywhere =
    isNearlyAll({ checked, affected }, thresholds) ||
    (placesChecked > 0 &&
      (isNearlyAll({ checked: placesChecked, affected: placesAffected }, thresholds) ||
        isOfItsKinds(tally, thresholds) ||
        isOfItsTurns(tally, thresholds)))
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

/**
 * What stands at the end of rows alone is not of the turn that they end with, and where a check looks at one turn of each rollout, the index of
 * that turn says how long the rollout is. Turns amid rows show a pattern by themselves; where they do, rows that end with such a turn must
 * have the fault as well.
 */
function isOfItsTurns(tally: CheckTally, thresholds: Thresholds): boolean {
  const { byTurn, byTurnAtEnd, byTurnChecked, byTurnCheckedAtEnd } = tally
  const standsAtEnds = Object.values(byTurnAtEnd).some((count) => count > 0)
  let [checked, affected, amid, all] = [0, 0, 0, 0]
  for (const [turn, looked] of Object.entries(byTurnChecked)) {
    // A check that looks at whole rows, or at turns of the model, counts what stands before them only where it finds fault with it.
    if (turn === '0' && looked < tally.checked) continue
    const counted = standsAtEnds ? looked : looked - (byTurnCheckedAtEnd[turn] ?? 0)
    const faulty = byTurn[turn] ?? 0
    all += counted
    if (faulty === 0) continue
    checked += counted
    affected += faulty
    amid += faulty - (byTurnAtEnd[turn] ?? 0)
  }
  const enough = amid >= thresholds['systematic-subset-units'] && checked >= thresholds['systematic-kind-share'] * all
  return enough && all > tally.checked && isNearlyAll({ checked, affected }, thresholds)
}
