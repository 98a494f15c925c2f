import type { Cell } from '../../../shared/exports/csv.ts'
import type { TextTable } from '../../../shared/exports/table-text.ts'
import type { Report } from '../../../shared/model/report.ts'
import { type TokenSums, trainedShare } from '../../../shared/model/trained-share.ts'

/** Where the loss falls as one table: by part, end of turn, assistant turn and tool. Empty where there is no mask. */
export function lossTable({ by_part, end_by_role, by_turn, by_tool }: Report['totals']): TextTable {
  const row = (by: string, name: string, sums: TokenSums): Cell[] => [
    by,
    name,
    sums.total,
    sums.unknown ?? 0,
    sums.trained,
    trainedShare(sums),
  ]
  const turns = Object.entries(by_turn).sort(([a], [b]) => Number(a) - Number(b))
  return {
    columns: ['by', 'name', 'tokens', 'tokens_without_mask', 'trained', 'trained_share'],
    rows: [
      ...Object.entries(by_part).map(([part, sums]) => row('part', part, sums)),
      ...Object.entries(end_by_role ?? {}).map(([role, sums]) => row('end of turn', role, sums)),
      ...turns.map(([turn, sums]) => row('assistant turn', turn, sums)),
      ...by_tool.flatMap(({ tool, calls, replies }) => [
        row('call of tool', tool ?? 'not known', calls),
        row('reply of tool', tool ?? 'not known', replies),
      ]),
    ],
  }
}
