import type { DumpView } from '../../checks/check.ts'
import type { Report } from '../../model/report.ts'
import { PARTS, TURN_KINDS } from '../../model/tokens.ts'
import type { TokenTotals } from '../audit/plan.ts'
import { tokenSums, toolRows } from '../audit/tool-sums.ts'

type Totals = Report['totals']

/** The sums of a report: over the whole dump, by part, turn, kind of turn end and tool. */
export function reportTotals(
  sums: TokenTotals,
  trajectories: number,
  { groups, sizeOfQuestions }: Pick<DumpView, 'groups' | 'sizeOfQuestions'>,
): Totals {
  const { turns, total, trained, masked, padding, unknown, lost, maskKnown } = sums
  return {
    trajectories,
    groups: groups.length,
    ...(sizeOfQuestions === undefined ? {} : { group_size_by_questions: sizeOfQuestions }),
    turns,
    tokens: { total, trained, masked, padding, unknown, lost },
    by_part: partRows(sums),
    by_turn: turnRows(sums),
    ...endRows(sums),
    by_tool: toolRows(sums.byTool, maskKnown),
  }
}

function partRows({ byPart, trainedByPart, unknownByPart, maskKnown }: TokenTotals): Totals['by_part'] {
  const rows = PARTS.map((part, at) => {
    const [total, trained, unknown] = [byPart[at], trainedByPart[at], unknownByPart[at]] as [number, number, number]
    return [part, tokenSums(total, trained, unknown, maskKnown)]
  })
  return Object.fromEntries(rows)
}

/** By the ordinal of the assistant turn, from the first on. */
function turnRows({ byTurn, trainedByTurn, unknownByTurn, maskKnown }: TokenTotals): Totals['by_turn'] {
  const rows = byTurn.map((total, turn) => [
    turn,
    tokenSums(total, trainedByTurn[turn] ?? 0, unknownByTurn[turn] ?? 0, maskKnown),
  ])
  return Object.fromEntries(rows.slice(1))
}

/** End tokens by the kind of their turn; nothing where a merged part did not count them. */
function endRows({ ends, trainedEnds, unknownEnds, maskKnown }: TokenTotals): Pick<Totals, 'end_by_role'> {
  if (ends === null || trainedEnds === null) return {}
  const rows = TURN_KINDS.flatMap((kind, at) => {
    const total = ends[at] as number
    const sums = tokenSums(total, trainedEnds[at] as number, unknownEnds[at] as number, maskKnown)
    return total === 0 ? [] : [[kind, sums] as const]
  })
  return { end_by_role: Object.fromEntries(rows) }
}
