import type { Report } from './report.ts'

/** How the record is marked that stands for the rest of a file which could no longer be read, or became shorter, while it was read. */
export const LOST_CODES = { unread: 'read-error', shorter: 'became-shorter' } as const

const CODES: ReadonlySet<string> = new Set(Object.values(LOST_CODES))

/** Files that were lost while they were read, in the order of the report, each once with its sentence. What was read of them before is judged. */
export function lostFiles({ sources }: Pick<Report, 'sources'>): { name: string; code: string; message: string }[] {
  return sources.flatMap(({ name, skipped }) => {
    const rest = skipped.find(({ code }) => CODES.has(code))
    return rest === undefined ? [] : [{ name, code: rest.code, message: rest.message }]
  })
}
