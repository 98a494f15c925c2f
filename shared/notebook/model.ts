import * as z from 'zod'
import type { HypothesisId } from '../model/report.ts'
import { issueWords } from '../model/schema-issue.ts'

export const NOTEBOOK_SCHEMA = 'rollout-inspector.notebook/1'

/** What a person says of a hypothesis. A verdict of a dump stands beside it and never replaces it. */
export const STATUSES = ['pending', 'testing', 'partial', 'inconclusive', 'validated', 'invalidated'] as const
export const PRIORITIES = ['critical', 'high', 'medium', 'medium-low', 'low'] as const
export const CONFIDENCES = ['high', 'medium', 'low'] as const
/** When a hypothesis is tested: first, if the first phase leaves it open, last, or after something else is settled. */
export const PHASES = ['1', '2', '3', 'later'] as const
export const CATEGORIES = ['A', 'B', 'C', 'D', 'E', 'F', 'G'] as const

export type Status = (typeof STATUSES)[number]
export type Priority = (typeof PRIORITIES)[number]
export type Confidence = (typeof CONFIDENCES)[number]
export type Phase = (typeof PHASES)[number]
export type Category = (typeof CATEGORIES)[number]

/** The verdicts of the program, by id. */
const VERDICT_IDS = ['H01', 'H02', 'H03', 'H04', 'H05', 'H06-library', 'H06-lora', 'H07', 'H08'] as const
VERDICT_IDS satisfies readonly HypothesisId[]

/** Markdown, as a person wrote it. Empty where nothing was written. */
const TEXT = z.string()
/** ISO 8601. */
const TIME = z.string()

const METHOD = z.object({
  /** Stable within the hypothesis: `m1`. */
  id: z.string(),
  title: z.string(),
  /** The command to run or the code to add. */
  how: TEXT,
  /** What has to be seen for the hypothesis to hold. */
  success: TEXT,
})
export type ValidationMethod = z.infer<typeof METHOD>

/** The report that a number came from. */
const ORIGIN = z.object({
  /** Hash of the dump, as in an address. */
  dump: z.string(),
  /** File names, for people. */
  names: z.array(z.string()),
  /** Version of the program that audited it. */
  version: z.string(),
  /** Hash of the report's JSON; null where it was not kept. */
  report: z.string().nullable(),
  /** What the audit was run under: policy, tokenizer, limits, thresholds that were moved. */
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
})
export type EvidenceOrigin = z.infer<typeof ORIGIN>

const EVIDENCE_KINDS = ['finding', 'measure', 'span', 'chart', 'what-if', 'comparison', 'group'] as const

const EVIDENCE = z.object({
  id: z.string(),
  kind: z.enum(EVIDENCE_KINDS),
  /** One sentence with its numbers. */
  title: z.string(),
  numbers: z.array(
    z.object({ name: z.string(), value: z.union([z.number(), z.string(), z.null()]), unit: z.string().nullable() }),
  ),
  from: ORIGIN,
  /** By what it is found again in a report, such as a finding's fingerprint or a measure's name. */
  key: z.record(z.string(), z.string()),
  /** The link back, as it stands behind the `#`. */
  address: z.string().regex(/^(?:#[\s\S]*)?$/, 'an address that leads out of the page'),
  pinnedAt: TIME,
  note: TEXT,
})
export type Evidence = z.infer<typeof EVIDENCE>

const HYPOTHESIS = z.object({
  /** `H02`, `H06-lora`; unique in the notebook. */
  id: z.string(),
  title: z.string(),
  /** The verdict that speaks of the same question; null for a hypothesis of one's own. */
  verdict: z.enum(VERDICT_IDS).nullable(),
  priority: z.enum(PRIORITIES),
  status: z.enum(STATUSES),
  /** What is said beside the status, or in place of one that none of the words above covers. */
  statusNote: z.string(),
  confidence: z.enum(CONFIDENCES).nullable(),
  phase: z.enum(PHASES),
  description: TEXT,
  rootCause: TEXT,
  /** File and line, such as `grpo_trainer.py:1173`. */
  codeLocation: z.string(),
  why: TEXT,
  validation: z.array(METHOD),
  invalidation: TEXT,
  questions: TEXT,
  alternatives: TEXT,
  interactions: TEXT,
  /** Test order with its reasons, cost and what has to be done before. */
  testing: TEXT,
  related: TEXT,
  results: TEXT,
  notes: TEXT,
  nextAction: TEXT,
  evidence: z.array(EVIDENCE),
  /** Where it stands in the folder that was imported; null where it stands in none. */
  file: z.string().nullable(),
})
export type Hypothesis = z.infer<typeof HYPOTHESIS>

/** The fields of a hypothesis that a person writes. */
export type HypothesisField = Exclude<keyof Hypothesis, 'id' | 'evidence' | 'file' | 'verdict'>

/** A run that was opened in the inspector. */
const LINKED_RUN = z.object({ dump: z.string(), names: z.array(z.string()), linkedAt: TIME })
export type LinkedRun = z.infer<typeof LINKED_RUN>

const EXPERIMENT = z.object({
  /** `A1`; unique in the notebook. */
  id: z.string(),
  category: z.enum(CATEGORIES),
  title: z.string(),
  /** As they were written, in their order; what the command line says comes on top (`parametersOf`). */
  parameters: z.array(z.object({ name: z.string(), value: z.string() })),
  command: z.string(),
  outcome: TEXT,
  notes: TEXT,
  runs: z.array(LINKED_RUN),
  /** Ids of the hypotheses that it was meant to decide. */
  tests: z.array(z.string()),
  file: z.string().nullable(),
})
export type Experiment = z.infer<typeof EXPERIMENT>
export type ExperimentField = Exclude<keyof Experiment, 'id' | 'file'>

const PROBLEM = z.object({
  statement: TEXT,
  environment: TEXT,
  works: TEXT,
  baseline: TEXT,
  criteria: z.array(z.object({ id: z.string(), text: z.string(), met: z.boolean() })),
})
export type Problem = z.infer<typeof PROBLEM>

const CHANGE = z.object({
  at: TIME,
  of: z.object({ kind: z.enum(['hypothesis', 'experiment', 'problem', 'notebook']), id: z.string() }),
  /** The field; `added`, `removed` and `imported` where it is not one of them. */
  field: z.string(),
  /** In words; empty where there was nothing. Texts are cut, see `LONGEST_KEPT`. */
  from: z.string(),
  to: z.string(),
  reason: z.string(),
})
export type Change = z.infer<typeof CHANGE>

/** Parts of a path that lead out of a folder or nowhere, on some system at least: whoever makes an archive names its files as he likes. */
export const LEADS_ELSEWHERE = /(?:^|\/)\.{0,2}(?:\/|$)|\\|^[a-z]:/i

/** A Markdown page of an imported folder. */
const PAGE = z.object({
  /** From the folder's root, with slashes; it never leads out of it. */
  path: z.string().refine((path) => !LEADS_ELSEWHERE.test(path), 'a path that leads out of the folder'),
  /** Every byte of it: what is not UTF-8 stands as single low surrogates (`markdown/text.ts`). */
  text: z.string(),
})
export type Page = z.infer<typeof PAGE>

const FOLDER = z.object({
  name: z.string(),
  pages: z.array(PAGE),
  /** Files that are no Markdown: left where they are, and never written. */
  others: z.array(z.string()),
  importedAt: TIME,
})
export type NotebookFolder = z.infer<typeof FOLDER>

const NOTEBOOK = z.object({
  schema: z.literal(NOTEBOOK_SCHEMA),
  problem: PROBLEM,
  hypotheses: z.array(HYPOTHESIS),
  experiments: z.array(EXPERIMENT),
  history: z.array(CHANGE),
  /** The folder that it was read from and is written back to; null where there is none. */
  folder: FOLDER.nullable(),
})

/** What a person knows and tries about why a run does not learn. */
export type Notebook = z.infer<typeof NOTEBOOK>

/** What was given is no notebook: a sentence that names the place. */
export class NotebookError extends Error {
  override readonly name = 'NotebookError'
}

/** Checks what came from storage or a file. Throws `NotebookError` with the first place that is wrong. */
export function checkNotebook(value: unknown, what = 'This notebook'): Notebook {
  const schema = typeof value === 'object' && value !== null && 'schema' in value ? value.schema : undefined
  if (typeof schema === 'string' && schema !== NOTEBOOK_SCHEMA && schema.startsWith('rollout-inspector.notebook/')) {
    throw new NotebookError(
      `${what} was written by another version of the program (${schema.slice(0, 60)}; this one reads ${NOTEBOOK_SCHEMA}). Open it with that version.`,
    )
  }
  const read = NOTEBOOK.safeParse(value)
  if (!read.success) {
    const [first] = read.error.issues
    const place = first === undefined || first.path.length === 0 ? 'its top' : `“${first.path.map(String).join('.')}”`
    throw new NotebookError(`${what} cannot be read: ${issueWords(first?.message)}, at ${place}.`)
  }
  const twice = firstTwice(read.data.hypotheses) ?? firstTwice(read.data.experiments)
  if (twice !== null) throw new NotebookError(`${what} cannot be read: the id “${twice}” stands in it twice.`)
  return read.data
}

function firstTwice(entries: readonly { readonly id: string }[]): string | null {
  const seen = new Set<string>()
  for (const { id } of entries) {
    if (seen.has(id)) return id
    seen.add(id)
  }
  return null
}
