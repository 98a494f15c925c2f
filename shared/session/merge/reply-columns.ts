import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { OPEN_ENDS } from '../../checks/truncation/long-replies.ts'
import { type Cells, NUMBER, oneOf, TEXT } from './columns.ts'
import { listOf, recordOf } from './composites.ts'

/** Texts of tool replies that are longest of their tool or turn. */
export const LONGEST_OF_KINDS: Cells<NonNullable<TrajectoryFacts['longestOfKinds']>> = listOf(
  recordOf({ start: NUMBER, end: NUMBER, tokens: NUMBER, characters: NUMBER, tool: TEXT, turn: NUMBER }, ':'),
)

/** Those that are as long as any, or break off. */
export const LONG_REPLIES: Cells<NonNullable<TrajectoryFacts['longReplies']>> = listOf(
  recordOf(
    {
      start: NUMBER,
      end: NUMBER,
      tokens: NUMBER,
      characters: NUMBER,
      open: oneOf(OPEN_ENDS),
      text: TEXT,
      edge: TEXT,
      tool: TEXT,
      turn: NUMBER,
    },
    ':',
  ),
)
