import * as z from 'zod'
import { CHECKS } from '../../checks/registry.ts'
import { formatById } from '../../formats/registry.ts'
import { HYPOTHESES } from '../../hypotheses/registry.ts'
import { LIMIT_NAMES } from '../../model/streams.ts'
import { resolveThresholds } from '../../model/thresholds/registry.ts'
import { BUNDLED_TOKENIZERS } from '../../tokens/tokenizer.ts'
import type { DeclaredOptions } from './options.ts'
import { STATE_SCHEMA } from './schema.ts'
import { CODE, FINDING } from './shapes.ts'

const whole = z.int().nonnegative()
/** A column of `columns.ts`. */
const column = z.string()
/** An integer of any size, in decimals. */
const weight = z.string().regex(/^-?\d{1,60}$/)
const codes = z.array(z.enum(CHECKS.map(({ code }) => code)))
const positive = z.number().positive()
const finite = z.number()

const SHAPES = {
  map: z.record(z.string(), z.string()),
  renderTexts: z.literal(true),
  policy: z.enum(['rl', 'sft', 'last-turn']),
  intend: codes,
  maskAlignment: z.enum(['token', 'target']),
  limits: z.strictObject(
    Object.fromEntries(LIMIT_NAMES.map((name) => [name, positive.optional()])) as Record<
      (typeof LIMIT_NAMES)[number],
      z.ZodOptional<typeof positive>
    >,
  ),
  groupSize: z.int().positive(),
  scaleRewards: z.enum(['group', 'batch', 'none']),
  advantageEps: finite,
  lossType: z.enum(['grpo', 'dapo', 'dr_grpo', 'bnpo']),
  klBeta: finite,
  checks: codes,
  hypotheses: z.array(z.enum(HYPOTHESES.map(({ id }) => id))),
  thresholds: z.record(z.string(), finite).refine(areThresholds, 'holds a threshold that this version does not know'),
} satisfies Record<keyof DeclaredOptions, z.ZodType>

const DECLARED_OPTIONS = z.strictObject(SHAPES).partial()

function areThresholds(set: Record<string, number>): boolean {
  try {
    resolveThresholds(set)
    return true
  } catch {
    return false
  }
}

/** The evidence of one kin as a report keeps it. */
export const KIN_STATE = z.object({
  format: z.string().refine((id) => formatById(id) !== null, 'is no format that this version knows'),
  families: z.array(z.enum(BUNDLED_TOKENIZERS)).nullable(),
  first_model: z.string().nullable(),
  model: z.string().nullable(),
  sources: z.string(),
  sequences: whole,
  candidates: z.array(
    z.object({ id: z.string(), size: whole, start: z.string(), spellings: z.record(z.string(), z.string()) }),
  ),
  lengths: z.string(),
  fits: z.array(z.string()),
  alignment: z.object({ masked: whole, one_shorter: whole, compared: whole, early: whole }),
  shapes: z.object({
    multi_turn: whole,
    last_only: whole,
    closed_turns: whole,
    newline_only: whole,
    earlier_thoughts: whole,
    earlier_thoughts_masked: whole,
    last_thoughts: whole,
    last_thoughts_masked: whole,
    /** Older reports do not have them. */
    with_blocks: whole.optional(),
    own_blocks: whole.optional(),
    tags_left_out: whole.optional(),
    tags_trained: whole.optional(),
    tags_of_both: whole.optional(),
    own_tags: whole.optional(),
  }),
  /** Nor these. */
  shifts: z
    .object({
      late: whole,
      not_late: whole,
      late_behind_thought: whole,
      early: whole,
      not_early: whole,
      unclear: whole,
    })
    .optional(),
  padded_ends: z.object({ trained: whole, untrained: whole }).optional(),
  /** Not written where no row has one. */
  heads: column.optional(),
})

export type KinState = z.infer<typeof KIN_STATE>

/** What a report carries so that it can be judged again beside others: `aggregates.state`. */
export const MERGE_STATE = z.object({
  schema: z.literal(STATE_SCHEMA),
  options: DECLARED_OPTIONS,
  /** How many findings are listed at most. */
  max_findings: whole,
  /** A second run was given, which is no part of the report. */
  against: z.literal(true).optional(),
  /** The dataset of the run was given, which is no part of the report either. */
  dataset: z.literal(true).optional(),
  /** Named by the person; `files` is a hash over its files, null where it came with the program. */
  tokenizer: z
    .object({ id: z.string(), origin: z.enum(['given', 'file', 'cache']), files: z.string().nullable() })
    .nullable(),
  kins: z.array(KIN_STATE),
  totals: z.object({
    turns: whole,
    total: whole,
    trained: whole,
    masked: whole,
    padding: whole,
    unknown: whole,
    lost: whole,
    sampled: whole,
    untrained: whole,
    by_part: column,
    trained_by_part: column,
    by_turn: column,
    trained_by_turn: column,
    /** By the kind of the turn. Reports of before they were counted have none. */
    ends: column.optional(),
    trained_ends: column.optional(),
    /** Tokens without a mask, by part, by turn and at ends. Not written where all have one, nor in reports of before they were counted. */
    unknown_by_part: column.optional(),
    unknown_by_turn: column.optional(),
    unknown_ends: column.optional(),
    /** Tool; of its calls number, tokens and trained ones, then of its replies; then those of either without a mask, where some have none. Reports of before they were counted have none. */
    by_tool: z.array(z.tuple([z.string(), whole, whole, whole, whole, whole, whole]).rest(whole)).default([]),
    /** In the units of `weightUnits`; null where no rollout has a mask, and where no oracle looked. */
    weight: weight.nullable(),
    weight_unsampled: weight.nullable(),
  }),
  /** Sums of each check over rollouts, without what it says of groups and of the whole dump. */
  tallies: z.record(CODE, z.string()),
  /** Findings of rollouts by severity, intended ones excepted: error, warning, info. */
  severities: z.record(CODE, column),
  findings: z.object({
    /** Of rollouts, listed or not. */
    seen: whole,
    /** Places in the report's list of those that rest on groups or on the whole dump: they are made anew. */
    of_dump: column,
    /** Of rollouts, which stand behind those of the dump in the list and were cut off. */
    unlisted: z.array(FINDING),
  }),
  /** Codes that stand in each rollout. */
  codes: column,
  rollouts: z.record(z.string(), column),
})

export type MergeState = z.infer<typeof MERGE_STATE>
