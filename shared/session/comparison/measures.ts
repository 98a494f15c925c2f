import type { Steps } from '../../model/steps.ts'
import type { ComparedMeasure } from '../requests/compare.ts'
import { Both, type ComparedSide } from './pair.ts'
import { checkMeasures, edgeMeasures, logMeasures, lossMeasures, settingMeasures, verdictMeasures } from './reports.ts'
import {
  documentMeasures,
  endMeasures,
  lengthMeasures,
  logprobMeasures,
  rewardMeasures,
  turnMeasures,
} from './rollouts.ts'
import { byDifference } from './statistics.ts'

const SECTIONS: readonly ((two: Both) => Iterable<ComparedMeasure>)[] = [
  verdictMeasures,
  rewardMeasures,
  endMeasures,
  lengthMeasures,
  lossMeasures,
  turnMeasures,
  logprobMeasures,
  edgeMeasures,
  checkMeasures,
  documentMeasures,
  logMeasures,
  settingMeasures,
]

/** Every measure of which at least one run tells, the largest difference that is more than chance first. */
export function* comparedMeasures(here: ComparedSide, there: ComparedSide): Steps<ComparedMeasure[]> {
  const errors = here.run.dump.settings.thresholds['run-standard-errors']
  const two = new Both(here, there, errors)
  const measures: ComparedMeasure[] = []
  for (const [done, section] of SECTIONS.entries()) {
    yield done / SECTIONS.length
    for (const each of section(two)) {
      measures.push(each)
      yield done / SECTIONS.length
    }
  }
  return measures.filter((each) => each.here !== null || each.there !== null).sort(byDifference)
}
