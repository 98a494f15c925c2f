import { Both, type ComparedSide } from './comparison-pair.ts'
import {
  checkMeasures,
  edgeMeasures,
  logMeasures,
  lossMeasures,
  settingMeasures,
  verdictMeasures,
} from './comparison-reports.ts'
import {
  documentMeasures,
  endMeasures,
  lengthMeasures,
  logprobMeasures,
  rewardMeasures,
  turnMeasures,
} from './comparison-rollouts.ts'
import { byDifference } from './comparison-statistics.ts'
import type { ComparedMeasure } from './requests/compare.ts'

/** Every measure of which at least one run tells, the largest difference that is more than chance first. */
export function comparedMeasures(here: ComparedSide, there: ComparedSide): ComparedMeasure[] {
  const errors = here.run.dump.settings.thresholds['run-standard-errors']
  const two = new Both(here, there, errors)
  return [
    ...verdictMeasures(two),
    ...rewardMeasures(two),
    ...endMeasures(two),
    ...lengthMeasures(two),
    ...lossMeasures(two),
    ...turnMeasures(two),
    ...logprobMeasures(two),
    ...edgeMeasures(two),
    ...checkMeasures(two),
    ...documentMeasures(two),
    ...logMeasures(two),
    ...settingMeasures(two),
  ]
    .filter((each) => each.here !== null || each.there !== null)
    .sort(byDifference)
}
