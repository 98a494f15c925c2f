import { count, counted } from './number-text.ts'
import type { Report, SourceReport } from './report.ts'

/** How the record is marked that stands for the rest of a file which could no longer be read, or became shorter, while it was read. */
export const LOST_CODES = { unread: 'read-error', shorter: 'became-shorter' } as const

type SkippedRecord = SourceReport['skipped'][number]

const CODES: ReadonlySet<string> = new Set(Object.values(LOST_CODES))

/** Files that were lost while they were read, in the order of the report, each once with its sentence. What was read of them before is judged. */
export function lostFiles({ sources }: Pick<Report, 'sources'>): { name: string; code: string; message: string }[] {
  return sources.flatMap(({ name, skipped }) => {
    const rest = skipped.find(({ code }) => CODES.has(code))
    return rest === undefined ? [] : [{ name, code: rest.code, message: rest.message }]
  })
}

/** Codes of a last skipped record that stands for all of the file behind a place: it was lost, or what it is packed in is cut or damaged there. */
const REST_CODES: ReadonlySet<string> = new Set([
  ...CODES,
  'damaged-gzip',
  'damaged-zstd',
  'damaged-zip',
  'cut-off',
  'unpacked-limit',
])

/** The record from which on nothing of a file could be read; null where all was looked at. */
export function unreadRest({ skipped }: Pick<SourceReport, 'skipped'>): SkippedRecord | null {
  const last = skipped.at(-1)
  return last !== undefined && REST_CODES.has(last.code) ? last : null
}

/** `record 2 (line 3)`, `record 2 (byte 40,213)` */
export function recordPlace({ record, line, byte }: Pick<SkippedRecord, 'record' | 'line' | 'byte'>): string {
  return `record ${count(record)} (${line === null ? `byte ${count(byte)}` : `line ${count(line)}`})`
}

/** `2 records skipped, the rest of 1 file not read`; empty where there is nothing of the kind. */
export function skippedText(sources: readonly Pick<SourceReport, 'skipped'>[]): string {
  const rests = sources.filter((source) => unreadRest(source) !== null).length
  const records = sources.reduce((sum, { skipped }) => sum + skipped.length, 0) - rests
  return [
    ...(records > 0 ? [`${counted(records, 'record')} skipped`] : []),
    ...(rests > 0 ? [`the rest of ${counted(rests, 'file')} not read`] : []),
  ].join(', ')
}
