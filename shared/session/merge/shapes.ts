import * as z from 'zod'
import { CHECKS } from '../../checks/registry.ts'
import type { Finding, LogReport, SourceReport } from '../../model/report.ts'
import { RUN_METRICS } from '../../model/run-log.ts'
import { STREAMS } from '../../model/streams.ts'

/**
 * Shapes of what a report lists and a merged report lists again as it is. What is not named here is let through: reports may have
 * more fields than this version writes.
 */

const whole = z.int().nonnegative()
const place = { source: whole, record: whole, part: whole }
/** A hash or a text of a file: it is shown and compared, nothing more. */
const text = z.string()

/** A code of this version. */
export const CODE = z.string().refine((name) => CODES.has(name), 'is no check of this version')
const CODES: ReadonlySet<string> = new Set(CHECKS.map(({ code }) => code))

export const FINDING = z.looseObject({
  code: CODE,
  severity: z.enum(['error', 'warning', 'info']),
  scope: z.enum(['tokens', 'turn', 'trajectory', 'group', 'source']),
  source: whole,
  record: whole.nullable(),
  part: whole.nullable(),
  trajectory: text.nullable(),
  group: text.nullable(),
  members: z.array(z.looseObject({ ...place, trajectory: text })).nullable(),
  turn: z.int().nullable(),
  tokens: z.tuple([z.int(), z.int()]).nullable(),
  fingerprint: text,
  message: text,
  evidence: z.looseObject({}),
  intended: z.boolean().optional(),
}) satisfies z.ZodType<Finding>

export const SOURCE = z.looseObject({
  name: text,
  bytes: whole,
  sha256: text.nullable(),
  container: text.nullable(),
  format: z
    .looseObject({ id: text, version: text.nullable(), confidence: z.number(), evidence: z.array(text) })
    .nullable(),
  records: whole,
  trajectories: whole,
  skipped: z.array(
    z.looseObject({
      record: whole,
      line: whole.nullable(),
      byte: whole,
      code: text,
      message: text,
      group: text.optional(),
    }),
  ),
  missing: z.array(z.enum(STREAMS)),
  drift: z.array(text),
  notes: z.array(text).optional(),
  joined: z
    .array(
      z.looseObject({
        on: text,
        with: z.array(text),
        adds: z.boolean(),
        matched: whole,
        of: whole,
        other_ids: whole,
      }),
    )
    .optional(),
  unreadable: z.looseObject({ code: text, message: text }).optional(),
}) satisfies z.ZodType<SourceReport>

const points = z.array(z.number())

export const LOG = z.looseObject({
  name: text,
  bytes: whole,
  kind: text,
  title: text,
  evidence: text,
  notes: z.array(text),
  series: z.array(
    z
      .looseObject({ name: text, metric: z.enum(RUN_METRICS), steps: points, values: z.array(z.number().nullable()) })
      .refine(({ steps, values }) => steps.length === values.length, 'has more steps than values, or fewer'),
  ),
  others: z.array(text),
}) satisfies z.ZodType<LogReport>
