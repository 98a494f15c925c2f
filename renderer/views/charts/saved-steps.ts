import type { TextTable } from '../../../shared/exports/table-text.ts'
import { allPoints, type StepLine, valueAt } from './step-words.ts'

/** All numbers of some lines, a row for each point. Where one is of several steps, each row says both its first and its last. */
export function savedSteps(columns: readonly { readonly title: string; readonly line: StepLine }[]): TextTable {
  const points = allPoints(columns.map(({ line }) => line))
  const isMerged = points.some(({ from, to }) => from !== to)
  return {
    columns: [...(isMerged ? ['first step', 'last step'] : ['step']), ...columns.map(({ title }) => title)],
    rows: points.map((point) => [
      point.from,
      ...(isMerged ? [point.to] : []),
      ...columns.map(({ line }) => valueAt(line, point)),
    ]),
  }
}
