import type { CompareRequests, RolloutRef } from '../requests/compare.ts'
import type { RequestHandlers } from '../requests/handlers.ts'
import { alignment, type ComparedRunOrigin, compareRuns, pairDetail, pairsOf } from './comparison.ts'
import { comparisonExport } from './text.ts'

/**
 * @param current the open run; throws with a sentence where nothing is open
 * @param second the run that it is compared with; throws with a sentence where there is none
 */
export function compareHandlers(
  current: () => ComparedRunOrigin,
  second: () => ComparedRunOrigin,
): RequestHandlers<CompareRequests> {
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
    comparisonExport: async (input) => comparisonExport(input, current(), second()),
  }
}
