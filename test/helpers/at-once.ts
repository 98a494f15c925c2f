import { grouping } from '../../shared/checks/grouping/group-views.ts'
import { fittingAdvantages } from '../../shared/checks/groups/advantages.ts'
import { gatheringLimits, resolvingLimits } from '../../shared/checks/limits/limits.ts'
import { findingUnproved, runningDumpCheck } from '../../shared/checks/reporting/dump-reporter.ts'
import { aggregating } from '../../shared/hypotheses/aggregates.ts'
import { recognisingDefects } from '../../shared/hypotheses/defects.ts'
import { atOnce, type Steps } from '../../shared/model/steps.ts'

/** What the program does in steps, without a pause. */
function whole<Given extends unknown[], Result>(steps: (...given: Given) => Steps<Result>) {
  return (...given: Given): Result => atOnce(steps(...given))
}

export const runDumpCheck = whole(runningDumpCheck)
export const findUnproved = whole(findingUnproved)
export const fitAdvantages = whole(fittingAdvantages)
export const resolveLimits = whole(resolvingLimits)
export const declaredLimits = whole(gatheringLimits)
export const aggregate = whole(aggregating)
export const recogniseDefects = whole(recognisingDefects)
export const resolveGroupSize = (...given: Parameters<typeof grouping>) => atOnce(grouping(...given)).groupSize
