import { csvExport } from './csv.ts'
import { dpoExport } from './dpo.ts'
import type { ExportId, ExportKind } from './export-kind.ts'
import { nativeExport } from './native.ts'
import { parquetExport } from './parquet.ts'
import { sftExport } from './sft.ts'
import { sourceExport } from './source.ts'

export const EXPORTS: readonly ExportKind[] = [
  sourceExport,
  nativeExport,
  csvExport,
  parquetExport,
  sftExport,
  dpoExport,
]

export function exportById(id: ExportId): ExportKind {
  const kind = EXPORTS.find((candidate) => candidate.id === id)
  if (kind === undefined)
    throw new Error(`There is no export named ${id}; there are ${EXPORTS.map((e) => e.id).join(', ')}.`)
  return kind
}
