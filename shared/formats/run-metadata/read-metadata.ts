import { parse as parseToml } from 'smol-toml'
import { Composer, type Document, Parser } from 'yaml'
import { parseJson } from '../../containers/json.ts'
import type { LimitName } from '../../model/streams.ts'
import { isObject } from '../fields.ts'
import type { RunFacts } from './run-facts.ts'

/** A file that describes a run, and what it says. */
export interface RunMetadata {
  readonly title: string
  readonly evidence: string
  readonly facts: RunFacts
}

/** A larger file describes no run. */
export const MOST_METADATA_BYTES = 4 << 20

const TOKENIZER = 'tokenizer (--tokenizer takes its folder)'
const NOTHING: RunFacts = { model: null, groupSize: null, limits: {} }

/** What this program writes, by what it says of itself. A report has the limits and settings that somebody tried, which are not the run's. */
const OWN: Readonly<Record<string, string>> = {
  report: 'report of this program',
  export: 'manifest of an export of this program',
  marks: 'marks of this program',
  notebook: 'notebook of this program',
  workspace: 'workspace of this program',
}
const OWN_NAME = /^rollout-inspector\.([a-z]+)\/\d/
/** The same at the start of a file. */
const OWN_HEAD = /^\s*\{\s*"(?:schema|format)"\s*:\s*"(rollout-inspector\.[a-z]+\/\d)/

/** Files beside a dump that say nothing that a check could use, by their keys. */
const SILENT: readonly { readonly keys: readonly string[]; readonly title: string }[] = [
  { keys: ['_data_files', '_fingerprint'], title: 'state of a saved Hugging Face dataset' },
  { keys: ['splits'], title: 'list of the splits of a saved Hugging Face dataset' },
  { keys: ['features', 'citation'], title: 'description of a saved Hugging Face dataset' },
  { keys: ['architectures', 'model_type'], title: 'configuration of a Hugging Face model' },
  { keys: ['model_type', 'transformers_version'], title: 'configuration of a Hugging Face model' },
  { keys: ['metadata', 'weight_map'], title: 'index of the weights of a model' },
  { keys: ['added_tokens', 'model', 'pre_tokenizer'], title: TOKENIZER },
  { keys: ['tokenizer_class'], title: 'configuration of a tokenizer (--tokenizer takes its folder)' },
  // nemo_gym/rollout_collection.py
  { keys: ['_ng_failure_class'], title: 'rollouts of NeMo-Gym that failed, and left no answer' },
  { keys: ['_ng_task_index', 'responses_create_params'], title: 'inputs of NeMo-Gym, without their answers' },
  // tinker_cookbook/checkpoint_utils.py
  { keys: ['name', 'state_path'], title: 'checkpoints of tinker-cookbook' },
  // verl/utils/skip/rollout_skip.py; the step stands in the name of the folder as well.
  { keys: ['global_steps'], title: 'step of a batch that verl keeps' },
  { keys: ['eos_token_id', 'transformers_version'], title: 'generation settings of a Hugging Face model' },
]

/**
 * Names of settings, by the end of their path; the first that is there speaks, and of several of one name the one that stands highest, which
 * the others take where they are not set. Read from the configurations of these trainers.
 */
const MODEL = [
  /^model(\.(name|path|model_name|name_or_path))?$/, // verifiers, prime-rl
  /(^|\.)(model_name_or_path|model_name|hf_checkpoint)$/, // TRL, open-instruct, NeMo-RL, tinker, slime
  /^actor_rollout_ref\.model\.path$/, // verl
  /^trainer\.policy\.model\.path$/, // SkyRL
  /^actor\.path$/, // AReaL
  /^base_model(_name_or_path)?$/, // PEFT adapters, axolotl
]
const GROUP_SIZE = [
  /(^|\.)(num_generations|num_generations_per_prompt)$/, // TRL, NeMo-RL
  /(^|\.)rollouts_per_example$/, // verifiers, prime-rl
  /^actor_rollout_ref\.rollout\.n$/, // verl
  /(^|\.)(n_samples_per_prompt|num_samples_per_prompt_rollout|group_size|n_samples)$/, // slime, SkyRL, open-instruct, tinker, AReaL
]
const LIMITS: Readonly<Record<LimitName, readonly RegExp[]>> = {
  max_prompt_length: [/(^|\.)(max_prompt_length|max_prompt_token_length|rollout_max_prompt_len)$/],
  max_completion_length: [
    /(^|\.)(max_completion_length|max_response_length|rollout_max_response_len|response_length)$/,
  ],
  max_seq_len: [
    /(^|\.)(max_seq_len|max_total_sequence_length|seq_len|sequence_len|cutoff_len|rollout_max_context_len)$/,
  ],
  max_turns: [/(^|\.)(max_turns|max_assistant_turns|max_tool_calling_iterations)$/],
  max_tool_response_length: [/(^|\.)max_tool_response_length$/],
}
/** Of evaluations beside the training, and of quantised weights, which have a `group_size` too. */
const OTHER_SETTINGS = /(^|\.)(evals?|evaluation|val|validation|(?=\w*quant)\w+)\./

/**
 * What a small file beside a dump says of the run: `metadata.json` of verifiers, `*_metadata.jsonl` of open-instruct, `meta.json` of rLLM,
 * and configurations in JSON, YAML or TOML. Null where it is none of these.
 */
export function readRunMetadata(bytes: Uint8Array): RunMetadata | null {
  if (bytes.length > MOST_METADATA_BYTES || bytes.includes(0)) return null
  const text = new TextDecoder().decode(bytes)
  for (const parse of [json, toml, yaml]) {
    const object = parse(text, bytes)
    if (object !== null) return described(object)
  }
  return null
}

/** What a file says that is too large to describe a run, by its first bytes: tokenizers are, reports and manifests. Null for all others. */
export function readLargeMetadata(head: Uint8Array): RunMetadata | null {
  const text = new TextDecoder().decode(head)
  const own = ownFile(OWN_HEAD.exec(text)?.[1])
  if (own !== null) return own
  // As the tokenizers library writes it: the version first, the vocabulary last.
  if (!/^\s*\{\s*"version"\s*:\s*"[^"]{1,20}"\s*,/.test(text) || !/"added_tokens"\s*:\s*\[/.test(text)) return null
  return { title: TOKENIZER, evidence: 'keys version, added_tokens', facts: NOTHING }
}

function ownFile(name: unknown): RunMetadata | null {
  const [, kind = ''] = (typeof name === 'string' && OWN_NAME.exec(name)) || []
  return Object.hasOwn(OWN, kind) ? { title: OWN[kind] as string, evidence: `it says ${name}`, facts: NOTHING } : null
}

function described(object: Readonly<Record<string, unknown>>): RunMetadata | null {
  const own = ownFile(object.schema) ?? ownFile(object.format)
  if (own !== null) return own
  const silent = SILENT.find(({ keys }) => keys.every((key) => Object.hasOwn(object, key)))
  if (silent !== undefined) {
    return {
      title: silent.title,
      evidence: `keys ${silent.keys.join(', ')}`,
      facts: NOTHING,
    }
  }
  const settings = settingsOf(object)
  const model = first(settings, MODEL, (value): value is string => typeof value === 'string' && value !== '')
  const size = first(settings, GROUP_SIZE, isCount)
  const limits = Object.entries(LIMITS).flatMap(([name, patterns]) => {
    const limit = first(settings, patterns, isCount)
    return limit === null ? [] : [{ name, ...limit }]
  })
  const found = [model, size, ...limits].filter((each) => each !== null)
  // One name that happens to be there makes no configuration.
  if (model === null && found.length < 2) return null
  return {
    title: 'description of the run',
    evidence: `settings ${found.map(({ path }) => path).join(', ')}`,
    facts: {
      model: model?.value ?? null,
      groupSize: size?.value ?? null,
      limits: Object.fromEntries(limits.map(({ name, value }) => [name, value])),
    },
  }
}

function first<Value>(
  settings: ReadonlyMap<string, unknown>,
  patterns: readonly RegExp[],
  fits: (value: unknown) => value is Value,
) {
  const depthOf = (path: string) => path.split('.').length
  for (const pattern of patterns) {
    let found: { path: string; value: Value } | null = null
    for (const [path, value] of settings) {
      if (!pattern.test(path) || OTHER_SETTINGS.test(path) || !fits(value)) continue
      if (found === null || depthOf(path) < depthOf(found.path)) found = { path, value }
    }
    if (found !== null) return found
  }
  return null
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
}

/** Settings by their path; W&B keeps each under a key of its own, `value`. */
function settingsOf(
  object: Readonly<Record<string, unknown>>,
  prefix = '',
  into = new Map<string, unknown>(),
  depth = 0,
) {
  for (const [key, value] of Object.entries(object)) {
    const path = prefix === '' ? key : `${prefix}.${key}`
    const held = isPlain(value) && Object.hasOwn(value, 'value') && Object.keys(value).length <= 2 ? value.value : value
    if (isPlain(held) && depth < 8) settingsOf(held, path, into, depth + 1)
    else into.set(path, held)
  }
  return into
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return (
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value) &&
    !(value instanceof Date)
  )
}

type Parsed = Readonly<Record<string, unknown>> | null

function json(text: string, bytes: Uint8Array): Parsed {
  const line = text.indexOf('\n')
  for (const end of [bytes.length, line < 0 ? 0 : new TextEncoder().encode(text.slice(0, line)).length]) {
    if (end === 0) continue
    try {
      const value = parseJson(bytes, 0, end)
      return isObject(value) ? value : null
    } catch {
      // A line of JSON, or none.
    }
  }
  return null
}

function toml(text: string): Parsed {
  try {
    return parseToml(text)
  } catch {
    return null
  }
}

/** Levels. The reader of YAML takes a frame of the stack for each, and where that ends within a pattern it takes the process with it. */
export const MOST_LEVELS = 100
const MOST_COLUMNS = 2 * MOST_LEVELS
/** Characters. Its reader takes kilobytes and microseconds for each mark that stands where none may; configurations have a tenth of this. */
export const MOST_YAML = 128 << 10

/** Whether brackets, or what stands before the first word of a line, may nest deeper than any configuration does. */
function nestsDeeply(text: string): boolean {
  let level = 0
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] as string
    if (letter === '[' || letter === '{') level++
    else if ((letter === ']' || letter === '}') && level > 0) level--
    if (level > MOST_LEVELS) return true
  }
  return text.split('\n').some((line) => (/^(?:[ \t]|[-?:][ \t])*/.exec(line)?.[0].length ?? 0) > MOST_COLUMNS)
}

/**
 * Whether a text is left unread that looks like settings in YAML: it is too long, or nests too deeply.
 *
 * @param head its beginning
 * @param rest all of it, null where nobody reads so much
 */
export function areUnreadSettings(head: Uint8Array, rest: Uint8Array | null): boolean {
  const decoder = new TextDecoder()
  const lines = decoder.decode(head).split('\n').slice(0, -1)
  const outer = lines.filter((line) => /^[^\s#]/.test(line) && !/^(---|%YAML)/.test(line))
  const keys = new Set(outer.map((line) => /^([\w.-]+):(?:\s|$)/.exec(line)?.[1]))
  // Lines of a log begin with words and colons too, and not each with another one.
  if (outer.length === 0 || keys.size < outer.length || keys.has(undefined)) return false
  const text = rest === null ? null : decoder.decode(rest)
  return text === null || isTooMuchYaml(text)
}

function isTooMuchYaml(text: string): boolean {
  return text.length > MOST_YAML || nestsDeeply(text)
}

function yaml(text: string): Parsed {
  if (isTooMuchYaml(text)) return null
  try {
    const document = onlyDocument(text)
    // Aliases may name each other a billion times; no configuration has many.
    const value: unknown = document?.toJS({ maxAliasCount: 100 })
    return isPlain(value) ? value : null
  } catch {
    return null
  }
}

/** The document that a text is; null where it is several, or none. Given up at the first error: each that is told costs a look at its whole line. */
function onlyDocument(text: string): Document | null {
  const composer = new Composer({ logLevel: 'silent' })
  let found: Document | null = null
  const isAlone = (documents: Iterable<Document>): boolean => {
    for (const document of documents) {
      if (found !== null || document.errors.length > 0) return false
      found = document
    }
    return true
  }
  for (const token of new Parser().parse(text))
    if (token.type === 'error' || !isAlone(composer.next(token))) return null
  return isAlone(composer.end()) ? found : null
}
