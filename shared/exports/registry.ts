import { csvExport } from './csv.ts'
import { dpoExport } from './dpo.ts'
import { EXPORT_IDS, type ExportId, type ExportKind } from './export-kind.ts'
import { nativeExport } from './native.ts'
import { parquetExport } from './parquet.ts'
import { sftExport } from './sft.ts'
import { sourceExport } from './source.ts'

const EXPORTS: Readonly<Record<ExportId, ExportKind>> = {
  source: sourceExport,
  native: nativeExport,
  csv: csvExport,
  parquet: parquetExport,
  sft: sftExport,
  dpo: dpoExport,
}

export function exportById(id: ExportId): ExportKind {
  if (!Object.hasOwn(EXPORTS, id)) {
    throw new Error(`There is no export named ${id}; there are ${EXPORT_IDS.join(', ')}.`)
  }
  return EXPORTS[id]
}
