import type { DumpView } from '../checks/check.ts'
import { type GapTrend, gapTrendsOf } from '../checks/logprobs/trend.ts'
import { type RowSet, rowsWhere } from './defects-evidence.ts'

/**
 * Rollouts in which the gap between sampler and trainer may be one that grows from step to step (L08): those behind the first third of the steps, whose mean is
 * what the gap grew from. What differs by as much from the first step on has another cause.
 */
export function whereGapGrew(dump: DumpView): RowSet {
  const growing = gapTrendsOf(dump).filter(({ grows }) => grows)
  return rowsWhere(dump, ({ place, step }) => {
    const trend = growing.find(({ sources }) => sources.has(place.source))
    return trend !== undefined && step !== null && step >= grownFrom(trend)
  })
}

function grownFrom({ steps }: GapTrend): number {
  return steps[Math.floor(steps.length / 3)]?.step ?? Number.POSITIVE_INFINITY
}
