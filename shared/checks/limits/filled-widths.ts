import { filtered, type Steps } from '../../model/steps.ts'
import type { LimitName } from '../../model/streams.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { completionLength } from './limits.ts'

/**
 * Columns of a padded batch that are no limit of the run, for all that the dump tells: more rows than the stragglers of any run fill them, and
 * each of these came to an end by itself. So does a batch look whose padding was taken off to its longest row (docs/decisions/0024).
 *
 * @param sources files of formats whose limits are the widths of their columns
 */
export function* filledWidths(
  facts: readonly TrajectoryFacts[],
  sources: ReadonlySet<number>,
  thresholds: Thresholds,
): Steps<ReadonlySet<LimitName>> {
  const none = new Set<LimitName>()
  if (sources.size === 0) return none
  // A limit that any other file names is one.
  if (facts.some(({ limits, place }) => limits !== undefined && !sources.has(place.source))) return none
  const { 'near-limit-tokens': near, 'h04-near-limit-contradicted': few } = thresholds
  const found = new Set<LimitName>()
  for (const [name, { lengthOf, isWhole }] of WIDTHS) {
    const filling = yield* filtered(facts, (row) => {
      const [width, length] = [row.limits?.[name], lengthOf(row)]
      return width !== undefined && length !== null && width - length <= near
    })
    if (filling.length >= few * facts.length && filling.length > 0 && filling.every(isWhole)) found.add(name)
  }
  return found
}

interface Width {
  /** Tokens of the column that are no padding; null where that is not known. */
  lengthOf(row: TrajectoryFacts): number | null
  /** Known not to be cut there. */
  isWhole(row: TrajectoryFacts): boolean
}

const WIDTHS: readonly (readonly [LimitName, Width])[] = [
  [
    'max_prompt_length',
    {
      lengthOf: ({ promptLength }) => promptLength,
      isWhole: ({ cutLeft, promptOpen, promptHash }) =>
        promptHash !== null && cutLeft === undefined && promptOpen !== true,
    },
  ],
  [
    'max_completion_length',
    {
      lengthOf: (row) => (row.promptLength === null ? null : completionLength(row)),
      isWhole: (row) => row.endReason === 'stop' && row.isTruncated !== true,
    },
  ],
]
