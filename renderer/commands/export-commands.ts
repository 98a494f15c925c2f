import { stopExport } from '../data/exporting.ts'
import { saveReport } from '../data/save-report.ts'
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
  {
    id: 'save-report-html',
    title: 'Save the report as a page (HTML)',
    keys: [],
    run: () => void saveReport('html'),
  },
  {
    id: 'save-report-markdown',
    title: 'Save the report as Markdown',
    keys: [],
    run: () => void saveReport('markdown'),
  },
  { id: 'stop-export', title: 'Stop the export', keys: [], run: stopExport },
]
