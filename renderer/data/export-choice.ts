import * as z from 'zod'
import { EXPORT_IDS } from '../../shared/exports/export-kind.ts'
import { TABLE_FORMATS } from '../../shared/exports/table-text.ts'
import { EXPORT_PLACES, type ExportChoice, useExporting } from '../state/exporting.ts'
import { database, type InspectorDatabase } from './database.ts'

const NAME = 'export'

const CHOICE = z.object({
  as: z.enum(EXPORT_IDS),
  // Kept before there was a choice for tables.
  table: z.enum(TABLE_FORMATS).default('csv'),
  repairMasks: z.boolean(),
  place: z.enum(EXPORT_PLACES),
})

/** Reads how rollouts were exported the last time. Without storage the standard way is offered, which is not worth a message. */
export async function loadExportChoice(from: InspectorDatabase = database): Promise<void> {
  try {
    const kept = CHOICE.safeParse((await from.preferences.get(NAME))?.value)
    if (kept.success) useExporting.setState({ choice: kept.data })
  } catch {
    // Marks say that nothing can be kept here.
  }
}

/** Offers the same the next time. Where it cannot be kept it lasts until the window is closed, and the export matters more. */
export async function keepExportChoice(choice: ExportChoice, into: InspectorDatabase = database): Promise<void> {
  useExporting.setState({ choice })
  await into.preferences.put({ name: NAME, value: choice }).catch(() => undefined)
}
