import { alignment, type ComparedRunOrigin, compareRuns, pairDetail, pairsOf } from './comparison.ts'
import { comparisonExport } from './comparison-text.ts'
import type { TrajectoryDetail } from './protocol.ts'
import type { CompareRequests, RolloutRef } from './requests/compare.ts'
import type { RequestHandlers } from './requests/handlers.ts'

interface Run extends ComparedRunOrigin {
  detail(index: number): Promise<TrajectoryDetail>
}

/**
 * @param current the open run; throws with a sentence where nothing is open
 * @param second the run that it is compared with; throws with a sentence where there is none
 */
export function compareHandlers(current: () => Run, second: () => Run): RequestHandlers<CompareRequests> {
  const runOf = (run: RolloutRef['run']) => (run === 'second' ? second() : current())
  return {
    comparison: async () => compareRuns(current(), second()),
    async pairs(query) {
      const book = pairsOf(current(), second())
      return { positions: book.query(query), total: book.known.length }
    },
    async pairRows({ positions }) {
      const book = pairsOf(current(), second())
      return positions.flatMap((position) => (book.known[position] === undefined ? [] : book.row(position)))
    },
    pair: ({ position }) => pairDetail(current(), second(), position),
    alignment: ({ left, right }) => alignment(runOf, left, right),
    comparedTrajectory: ({ index }) => second().detail(index),
    comparisonExport: async ({ as }) => comparisonExport(as, current(), second()),
  }
}
