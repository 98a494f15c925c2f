import * as z from 'zod'
import { whyNotJson } from './not-json.ts'
import { issueWords } from './schema-issue.ts'

const MARKS_FORMAT = 'rollout-inspector.marks/1'

/** In characters. */
export const LONGEST_LABEL = 40
/** In UTF-16 units. */
export const LONGEST_NOTE = 20_000

const TIME = z.iso.datetime({ offset: true })
const TOKENS = z
  .tuple([z.int().min(0), z.int().min(1)])
  .refine(([start, end]) => start < end, { error: 'a span ends after it begins' })

const NOTE = z.object({
  /** Names the note for ever: a note that is changed keeps it. */
  id: z.string().min(1).max(64),
  /** Half-open, in stored ids, padding included; null = the whole rollout. */
  tokens: TOKENS.nullable(),
  text: z.string().min(1).max(LONGEST_NOTE),
  written_at: TIME,
})

const MARKED = z.object({
  /** The content of the record (16 hex digits) and the part of it: what marks hang on. */
  record: z.string().regex(/^[0-9a-f]{8,64}$/, { error: 'a hash in lower-case hex digits is expected' }),
  part: z.int().min(0),
  /** The rollout's own id and the dump it was marked in, for people. */
  id: z.string(),
  dump: z.string(),
  /** When it was flagged; null = it is not. */
  flagged_at: TIME.nullable(),
  labels: z.array(
    z.string().refine((label) => label !== '' && label === tidyLabel(label), {
      error: `a label is one line of at most ${LONGEST_LABEL} characters without spaces around it`,
    }),
  ),
  notes: z.array(NOTE),
})

const FILE = z.object({
  format: z.literal(MARKS_FORMAT),
  rollouts: z.array(MARKED),
})

/** What a person keeps of a rollout: whether it is flagged, its labels, notes on it and on spans of its tokens. */
export type MarkedRollout = z.infer<typeof MARKED>
export type MarksFile = z.infer<typeof FILE>

/** A label as it is kept: one line, single spaces, nothing that hides; empty where nothing is left. */
export function tidyLabel(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return [...line].slice(0, LONGEST_LABEL).join('').trim()
}

/** Reads a file of marks. Throws a sentence that says what is wrong with it and where. `name` is the file's, for that sentence. */
export function parseMarks(text: string, name: string): MarksFile {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new Error(`${name} is not JSON (${whyNotJson(text, error)}). Choose a file that “Export marks” wrote.`)
  }
  const format = typeof value === 'object' && value !== null && 'format' in value ? value.format : undefined
  if (format !== MARKS_FORMAT) {
    const is = typeof format === 'string' ? `its format is “${format.slice(0, 60)}”` : 'it has no field “format”'
    throw new Error(`${name} holds no marks: ${is}, “${MARKS_FORMAT}” is expected.`)
  }
  const read = FILE.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const where = issue?.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('') ?? ''
  const more = read.error.issues.length > 1 ? ` There are ${read.error.issues.length - 1} more such faults.` : ''
  throw new Error(
    `${name}: ${where.replace(/^\./, '')}: ${issueWords(issue?.message)}.${more} Nothing was taken from it.`,
  )
}

/** The text of a file of marks, rollouts in a fixed order, so that two exports of the same marks are the same bytes. */
export function formatMarks(rollouts: readonly MarkedRollout[]): string {
  const sorted = [...rollouts].sort((a, b) => (a.record < b.record ? -1 : a.record > b.record ? 1 : a.part - b.part))
  const file: MarksFile = { format: MARKS_FORMAT, rollouts: sorted }
  return `${JSON.stringify(file, null, 2)}\n`
}
