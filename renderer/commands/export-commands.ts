import { type ExportId, REPAIRED } from '../../shared/exports/export-kind.ts'
import { exportRollouts } from '../data/exporting.ts'
import { list } from '../data/list.ts'
import { describeFilters, useFilters } from '../state/filters.ts'
import { useMarks } from '../state/marks.ts'
import type { Command } from './command.ts'

/** Every way to write rollouts, in words that follow “export …”. */
const EXPORTS: readonly (readonly [as: ExportId, words: string])[] = [
  ['source', 'records as stored'],
  ['native', 'in the native format'],
  ['parquet', 'in the native format as Parquet'],
  ['csv', 'as tables (CSV)'],
  ['sft', 'as rows for supervised fine-tuning'],
  ['dpo', 'as pairs for preference training'],
]

export const EXPORT_COMMANDS: readonly Command[] = [
  ...EXPORTS.map(
    ([as, words]): Command => ({
      id: `export-${as}`,
      title: `Export flagged rollouts, ${words}`,
      keys: as === 'source' ? ['e'] : [],
      run: () => exportFlagged(as),
    }),
  ),
  ...EXPORTS.map(
    ([as, words]): Command => ({
      id: `export-shown-${as}`,
      title: `Export the rollouts that the table shows, ${words}`,
      keys: as === 'source' ? ['E'] : [],
      run: () => exportShown(as),
    }),
  ),
  ...EXPORTS.filter(([as]) => REPAIRED.includes(as)).flatMap(([as, words]): Command[] => [
    {
      id: `export-repaired-${as}`,
      title: `Export flagged rollouts, ${words}, with repaired masks`,
      keys: [],
      run: () => exportFlagged(as, true),
    },
    {
      id: `export-shown-repaired-${as}`,
      title: `Export the rollouts that the table shows, ${words}, with repaired masks`,
      keys: [],
      run: () => exportShown(as, true),
    },
  ]),
]

function exportFlagged(as: ExportId, repairMasks = false): void {
  void exportRollouts({ as, indices: useMarks.getState().here, why: 'flagged', repairMasks })
}

function exportShown(as: ExportId, repairMasks = false): void {
  const filters = useFilters.getState()
  void exportRollouts({
    as,
    indices: [...list.get()],
    why: describeFilters(filters),
    repairMasks,
  })
}
