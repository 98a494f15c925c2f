import type { Cell } from '../../../shared/exports/csv.ts'
import type { TextTable } from '../../../shared/exports/table-text.ts'
import type { Report } from '../../../shared/model/report.ts'

type Sums = Report['totals']['by_part']['end']

/** Where the loss falls as one table: by part, end of turn, assistant turn and tool. Empty where there is no mask. */
export function lossTable({ by_part, end_by_role, by_turn, by_tool }: Report['totals']): TextTable {
  const row = (by: string, name: string, { total, trained }: Sums): Cell[] => [
    by,
    name,
    total,
    trained,
    trained === null || total === 0 ? null : trained / total,
  ]
  const turns = Object.entries(by_turn).sort(([a], [b]) => Number(a) - Number(b))
  return {
    columns: ['by', 'name', 'tokens', 'trained', 'trained_share'],
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
