import { whyNotJson } from '../model/not-json.ts'
import { REPORT_SCHEMA } from '../model/report.ts'

/** What claims to be a report of this program, or why a text is none: the end of a sentence that begins with its name. */
export type ReportText = { readonly report: Record<string, unknown> } | { readonly isNone: string }

/** Reads a text as far as its schema tells that it is a report. */
export function readReportText(text: string): ReportText {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { isNone: `is no JSON (${whyNotJson(text, error)})` }
  }
  const schema = typeof value === 'object' && value !== null ? (value as { schema?: unknown }).schema : undefined
  if (schema === REPORT_SCHEMA) return { report: value as Record<string, unknown> }
  const said = typeof schema === 'string' ? `its schema is ${JSON.stringify(schema.slice(0, 80))}` : 'it has no schema'
  return { isNone: `is no report of this program: ${said}, not ${JSON.stringify(REPORT_SCHEMA)}` }
}
