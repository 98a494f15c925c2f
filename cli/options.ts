import { EXPORT_IDS } from '../shared/exports/export-kind.ts'
import { REPORT_FORMATS } from '../shared/exports/report-formats.ts'
import { type FieldMapping, mappingOf } from '../shared/formats/mapping.ts'
import { FORMATS, formatById } from '../shared/formats/registry.ts'
import { closestName } from '../shared/model/closest-name.ts'
import { ALL_FILES, type AuditOptions } from '../shared/model/policy.ts'
import { LIMIT_NAMES, type Limits } from '../shared/model/streams.ts'
import { resolveThresholds, ThresholdError } from '../shared/model/thresholds/registry.ts'
import type { OptionValue } from './arguments.ts'
import { UsageError } from './io.ts'

interface Described {
  readonly name: string
  readonly help: string
}

export type OptionSpec = Described &
  (
    | { readonly kind: 'flag' }
    | { readonly kind: 'text'; readonly placeholder: string }
    | { readonly kind: 'choice'; readonly placeholder: string; readonly choices: readonly string[] }
    | { readonly kind: 'integer' | 'number'; readonly placeholder: string; readonly least?: number }
    /** `item` says what an item looks like in capitals; `wants` says it in words. */
    | { readonly kind: 'list'; readonly placeholder: string; readonly item: RegExp; readonly wants: string }
    /** `ID=VALUE`, given as often as needed. */
    | { readonly kind: 'settings'; readonly placeholder: string }
    /** Everything up to the next option. */
    | { readonly kind: 'paths'; readonly placeholder: string }
  )

function choice(name: string, choices: readonly string[], help: string): OptionSpec {
  return { name, kind: 'choice', placeholder: choices.join('|'), choices, help }
}

function integer(name: string, help: string, least = 1): OptionSpec {
  return { name, kind: 'integer', placeholder: 'N', least, help }
}

function codes(name: string, help: string): OptionSpec {
  return {
    name,
    kind: 'list',
    placeholder: 'CODE…',
    item: /^[A-Z]\d\d$/,
    wants: 'a fault code such as M01 is needed. `rollout-inspector checks` lists them.',
    help,
  }
}

const LIMIT_HELP: Record<keyof Limits, string> = {
  max_prompt_length: 'tokens of a prompt, at most; this limit and those below are otherwise taken from the dump',
  max_completion_length: 'tokens behind the prompt or of each turn, at most',
  max_seq_len: 'tokens of a rollout, at most',
  max_turns: 'turns of the assistant, at most',
  max_tool_response_length: "length of a tool's reply, at most",
}

function limitOption(name: keyof Limits): string {
  return name.replaceAll('_', '-')
}

/** What a person declares about the run: the same for every command that audits. */
const AUDIT_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'tokenizer',
    kind: 'text',
    placeholder: 'ID|PATH',
    help: 'qwen2.5, qwen3, llama3, a folder with tokenizer.json, or a model name in the Hub cache; default: chosen from the ids',
  },
  choice('policy', ['rl', 'sft', 'last-turn'], 'what the run means to train'),
  codes('intend', 'faults that the run intends; listed, but they fail nothing'),
  choice(
    'mask-alignment',
    ['token', 'target', 'auto'],
    'index i of the mask marks token i, or the prediction of token i+1',
  ),
  ...LIMIT_NAMES.map((name) => integer(limitOption(name), LIMIT_HELP[name])),
  integer('group-size', 'rollouts per prompt', 2),
  choice('scale-rewards', ['group', 'batch', 'none'], 'how the trainer made advantages'),
  { name: 'advantage-eps', kind: 'number', placeholder: 'X', help: 'epsilon beside the standard deviation' },
  choice('loss-type', ['grpo', 'dapo', 'dr_grpo', 'bnpo'], 'how the trainer averages the loss'),
  { name: 'kl-beta', kind: 'number', placeholder: 'X', help: 'weight of the KL term' },
  codes('checks', 'run only these checks'),
  {
    name: 'threshold',
    kind: 'settings',
    placeholder: 'ID=VALUE',
    help: 'a number by which a check or a verdict decides; `checks CODE` lists them; may be repeated',
  },
  {
    name: 'hypothesis',
    kind: 'list',
    placeholder: 'ID…',
    item: /^H\d\d(-[A-Z]+)?$/i,
    wants: 'a hypothesis such as H02 is needed.',
    help: 'judge only these hypotheses, and run only the checks that they rest on, unless `--checks` says which',
  },
  {
    name: 'map',
    kind: 'settings',
    placeholder: 'FIELD=PATH…',
    help: 'where the fields of the native format stand in a dump of no known format',
  },
  {
    name: 'read-as',
    kind: 'settings',
    placeholder: '[FILE=]FORMAT',
    help: 'the format of a file that looks like those of several trainers; `formats` lists them; may be repeated',
  },
  {
    name: 'render-texts',
    kind: 'flag',
    help: 'show dumps of text alone as tokens of --tokenizer, marked as reconstructed; no check judges them',
  },
  integer('limit', 'only the first N rollouts, whole groups'),
  integer('sample', 'only N rollouts at random, whole groups'),
  integer('seed', 'seed of --sample', 0),
  integer('max-unpacked', 'most bytes out of a compressed file; default: 200 times its size, and 32 MiB at least'),
  integer('jobs', "worker threads; default: the machine's cores"),
]

const FAIL_ON = choice('fail-on', ['error', 'warning', 'none'], 'from which severity a finding fails; default: error')

/** In which forms a report is written, and what fails: the same for every command that makes one. */
const OUTPUT_OPTIONS: readonly OptionSpec[] = [
  { name: 'json', kind: 'text', placeholder: 'PATH', help: 'write the report as JSON; - is standard output' },
  choice(
    'format',
    REPORT_FORMATS.map((format) => format.id),
    'write the report for code hosts, CI or people',
  ),
  { name: 'out', kind: 'text', placeholder: 'PATH', help: 'where --format is written; default: standard output' },
  FAIL_ON,
  {
    name: 'baseline',
    kind: 'text',
    placeholder: 'REPORT',
    help: 'findings that this JSON report already has do not fail',
  },
]

export const INSPECT_OPTIONS: readonly OptionSpec[] = [
  ...OUTPUT_OPTIONS,
  {
    name: 'against',
    kind: 'paths',
    placeholder: 'PATH…',
    help: 'a second run, for the verdicts that need two (H06-library, H07, H08); stands after the first',
  },
  {
    name: 'dataset',
    kind: 'paths',
    placeholder: 'PATH…',
    help: 'the dataset that the run was started with, for what never became a rollout (C11)',
  },
  {
    name: 'relative-to',
    kind: 'text',
    placeholder: 'DIR',
    help: 'call files by their place under DIR, also where only some of a run are read; default: under what the paths have in common',
  },
  {
    name: 'follow',
    kind: 'flag',
    help: 'keep reading a dump that is still written; ends at the first finding that fails, or with Ctrl-C',
  },
  integer('max-findings', 'list at most N findings; default: 10,000. Counts are never cut', 0),
  ...AUDIT_OPTIONS,
]

export const MERGE_OPTIONS: readonly OptionSpec[] = [
  ...OUTPUT_OPTIONS,
  {
    name: 'against',
    kind: 'paths',
    placeholder: 'REPORT…',
    help: 'the reports of a second run, for the verdicts that need two (H06-library, H07, H08); stands after the first',
  },
]

const WHERE: OptionSpec = {
  name: 'where',
  kind: 'text',
  placeholder: 'QUERY',
  help: 'rollouts that fit a query, such as \'finding:M01 reward<0.5 "Treaty of"\'; `fields` lists what it can ask for',
}

export const SHOW_OPTIONS: readonly OptionSpec[] = [
  integer('index', 'the N-th rollout, 0-based, in the order of the report', 0),
  { name: 'id', kind: 'text', placeholder: 'ID', help: 'the rollout with this id' },
  { ...WHERE, help: 'the first rollout that fits a query, as in `export`' },
  ...AUDIT_OPTIONS,
]

export const EXPORT_OPTIONS: readonly OptionSpec[] = [
  { name: 'flagged', kind: 'flag', help: 'rollouts with a finding at or above --fail-on' },
  WHERE,
  {
    name: 'flags',
    kind: 'text',
    placeholder: 'FILE',
    help: 'rollouts that are flagged in this file, which the app exports; with --where, what flag, label: and note: ask for',
  },
  choice(
    'as',
    EXPORT_IDS,
    "the source's own records, native JSONL or Parquet, tables, or rows for supervised or preference training",
  ),
  {
    name: 'repair-masks',
    kind: 'flag',
    help: 'write the masks that the structure of the turns asks for; the manifest counts what changed',
  },
  {
    name: 'repair-masked-whole',
    kind: 'flag',
    help: 'with --repair-masks: rows as well that were masked whole because a limit cut them or a filter left them out',
  },
  { name: 'out', kind: 'text', placeholder: 'PATH', help: 'a folder, or a file where the export is one file' },
  FAIL_ON,
  ...AUDIT_OPTIONS,
]

export const LIST_OPTIONS: readonly OptionSpec[] = [{ name: 'json', kind: 'flag', help: 'as JSON' }]

/** The engine's options from parsed arguments; `tokenizer` is set by whoever resolved it. Throws `UsageError`. */
export function auditOptions(options: Readonly<Record<string, OptionValue>>, tokenizer: string | null): AuditOptions {
  refuseIdle(options)
  const limits: Partial<Record<keyof Limits, number>> = {}
  for (const name of LIMIT_NAMES) {
    const value = options[limitOption(name)]
    if (value !== undefined) limits[name] = value as number
  }
  const entries = {
    tokenizer: tokenizer ?? undefined,
    policy: options.policy,
    intend: options.intend,
    maskAlignment: options['mask-alignment'],
    limits: Object.keys(limits).length > 0 ? limits : undefined,
    groupSize: options['group-size'],
    scaleRewards: options['scale-rewards'],
    advantageEps: options['advantage-eps'],
    lossType: options['loss-type'],
    klBeta: options['kl-beta'],
    checks: options.checks,
    hypotheses: options.hypothesis,
    limit: options.limit,
    sample: options.sample,
    seed: options.seed,
    maxUnpacked: options['max-unpacked'],
    failOn: options['fail-on'],
    maxFindings: options['max-findings'],
    map: mapGiven(options.map as readonly string[] | undefined),
    renderTexts: options['render-texts'],
    readAs: formatsGiven(options['read-as'] as readonly string[] | undefined),
    thresholds: thresholdsGiven(options.threshold as readonly string[] | undefined),
  }
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as AuditOptions
}

/** An option that would do nothing beside the others was meant to do something. Throws `UsageError`. */
function refuseIdle({ limit, sample, seed }: Readonly<Record<string, OptionValue>>): void {
  if (seed !== undefined && sample === undefined) {
    throw new UsageError('--seed goes with --sample, which draws by it.')
  }
  if (limit !== undefined && sample !== undefined) {
    throw new UsageError(
      '--limit takes the first rollouts, and --sample draws from all of them. Leave one of them out.',
    )
  }
}

/** Throws `UsageError` for what is no mapping. */
function mapGiven(given: readonly string[] | undefined): FieldMapping | undefined {
  if (given === undefined) return undefined
  try {
    return mappingOf(given)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** `FORMAT` for all files, `FILE=FORMAT` for one. Throws `UsageError` for what is no format. */
function formatsGiven(given: readonly string[] | undefined): Record<string, string> | undefined {
  if (given === undefined) return undefined
  const named: Record<string, string> = {}
  for (const item of given) {
    const at = item.lastIndexOf('=')
    const [file, id] = at < 0 ? [ALL_FILES, item] : [item.slice(0, at), item.slice(at + 1)]
    if (formatById(id) === null || file === '') {
      const closest = closestName(
        id,
        FORMATS.map((format) => format.id),
      )
      throw new UsageError(
        `--read-as ${item}: ${id} is no format that is read.${closest === null ? '' : ` Did you mean ${closest}?`} \`rollout-inspector formats\` lists them.`,
      )
    }
    named[file] = id
  }
  return named
}

/** `ID=VALUE` by id; the last of several for one id counts. Throws `UsageError` for what no threshold can be. */
function thresholdsGiven(given: readonly string[] | undefined): Record<string, number> | undefined {
  if (given === undefined) return undefined
  const set: Record<string, number> = {}
  for (const item of given) {
    const at = item.indexOf('=')
    const [id, written] = [item.slice(0, at).trim(), item.slice(at + 1).trim()]
    const value = Number(written)
    if (at < 1 || written === '' || Number.isNaN(value)) {
      throw new UsageError(`--threshold ${item}: a threshold is set as ID=VALUE, with a number.`)
    }
    try {
      resolveThresholds({ [id]: value })
    } catch (error) {
      if (!(error instanceof ThresholdError)) throw error
      throw new UsageError(
        `--threshold ${item}: ${error.message} \`rollout-inspector checks CODE\` lists those of a check.`,
      )
    }
    set[id] = value
  }
  return set
}
