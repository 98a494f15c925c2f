import { stopExport } from '../data/exporting.ts'
import type { Command } from './command.ts'
import { openExport } from './open-export.ts'

export const EXPORT_COMMANDS: readonly Command[] = [
  { id: 'export', title: 'Export rollouts…', keys: ['e'], run: () => openExport() },
  {
    id: 'export-shown',
    title: 'Export the rollouts that the table shows…',
    keys: ['E'],
    run: () => openExport('shown'),
  },
  { id: 'stop-export', title: 'Stop the export', keys: [], run: stopExport },
]
