import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { BadRecord, isListOfLists } from './fields.ts'
import type { Format, ReadContext } from './format.ts'
import { fittingLayout, type Layout, MICRO_BATCHES, named, positional, TRAINING_SAMPLES } from './prime-rl-layouts.ts'
import { readMicroBatch } from './prime-rl-micro-batch.ts'
import { readTrainingSample } from './prime-rl-sample.ts'
import { batchByTokens, byTokens } from './prime-streams.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, recogniseBy } from './recognise.ts'

const MICRO_BATCH = 'MicroBatch'
const TRAINING_BATCH = 'TrainingBatch'

/** What the orchestrator hands to the trainer over the file system: packed micro batches, or samples before they are packed. */
export const primeRlBatch: Format = {
  id: 'prime-rl-batch',
  title: 'prime-rl batches between orchestrator and trainer',
  writer: {
    project: 'PrimeIntellect-ai/prime-rl',
    file: 'src/prime_rl/transports/rollouts/types.py',
    version: '559b4477',
  },
  streams: [
    'ids',
    'mask',
    'loss_weights',
    'sampled',
    'position_ids',
    'logprobs.sampler',
    'logprobs.reference',
    'advantages',
    'rewards',
    'step',
  ],
  // Lists of numbers in MessagePack are typed whatever their key.
  numericKeys: [],
  policy: null,
  maskAlignment: 'token',
  unsampledLogprob: 0,
  maskImplied: false,
  groupsByOrder: false,
  joins: [byTokens(true), batchByTokens(false)],
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => readRecord(record, context)),
}

function look(record: JsonObject): Evidence | null {
  if (rowsOf(record) !== null) {
    return {
      confidence: 0.95,
      seen: `tensors ${TENSORS.join(', ')} of rows, and a temperature`,
      version: 'MicroBatch tensors',
    }
  }
  const values = positional(record)
  if (values === null) return null
  const micro = fittingLayout(values, MICRO_BATCHES)
  if (micro !== null) {
    const fields = micro.fields.slice(0, micro.required).map(([name]) => name)
    return { confidence: 0.95, seen: `lists in the order ${fields.join(', ')}`, version: version(MICRO_BATCH, micro) }
  }
  const samples = samplesOf(values)
  if (samples === null) return null
  const sample = fittingLayout(samples[0] as JsonValue[], TRAINING_SAMPLES)
  if (sample === null) return null
  const fields = sample.fields.slice(0, sample.required).map(([name]) => name)
  return {
    confidence: 0.95,
    seen: `samples with lists in the order ${fields.join(', ')}`,
    version: version(TRAINING_BATCH, sample),
  }
}

/** Until December 2025 a list of dictionaries of tensors, [rows, tokens] each, was saved with torch. */
const TENSORS = ['input_ids', 'loss_mask', 'position_ids', 'advantages']

/** The rows of such a dictionary, each as a micro batch of its own; null for any other record. */
function rowsOf(record: JsonObject): JsonObject[] | null {
  const { input_ids: ids, temperature } = record
  // Named `logprobs` until 11 October 2025.
  const scores = record.inference_logprobs ?? record.logprobs
  if (typeof temperature !== 'number' || !isListOfLists(ids) || !isListOfLists(scores)) return null
  if (!TENSORS.every((name) => isListOfLists(record[name]))) return null
  const { logprobs: _, ...named } = record
  return ids.map((_, row) =>
    Object.fromEntries(
      Object.entries({ ...named, inference_logprobs: scores }).map(([name, value]) => [
        name,
        isListOfLists(value) ? (value[row] ?? null) : value,
      ]),
    ),
  )
}

function version(struct: string, { since }: Layout): string {
  return `${struct} ${since}`
}

/** The samples of a `TrainingBatch`; null where the record is none. */
function samplesOf([examples, ...rest]: readonly JsonValue[]): JsonValue[][] | null {
  if (!Array.isArray(examples) || examples.length === 0 || rest.length === 0 || rest.length > 3) return null
  if (!rest.every((value) => value === null || typeof value === 'number')) return null
  return examples.every(Array.isArray) ? (examples as JsonValue[][]) : null
}

function readRecord(record: OneRecord, { recognition }: ReadContext): Trajectory[] {
  const rows = rowsOf(record.object)
  if (rows !== null) {
    const trajectories: Trajectory[] = []
    for (const row of rows) trajectories.push(...readMicroBatch(record, row, trajectories.length))
    return trajectories
  }
  const values = positional(record.object)
  if (values === null) throw new BadRecord('bad-type', 'the record is no struct that was written by position')
  const samples = samplesOf(values)
  if (samples !== null) return readSamples(record, samples, values, recognition.version)
  const layout = layoutFor(values, MICRO_BATCHES, MICRO_BATCH, recognition.version)
  if (layout === null) {
    throw new BadRecord('unknown-layout', `its ${values.length} fields are in the order of no MicroBatch that is known`)
  }
  return readMicroBatch(record, named(values, layout))
}

/** That whose types fit, else that of the file: then one of its fields is of a wrong type. */
function layoutFor(
  values: readonly JsonValue[],
  layouts: readonly Layout[],
  struct: string,
  recognised: string | null,
): Layout | null {
  return fittingLayout(values, layouts) ?? layouts.find((each) => version(struct, each) === recognised) ?? null
}

function readSamples(
  record: OneRecord,
  samples: readonly JsonValue[][],
  values: readonly JsonValue[],
  recognised: string | null,
): Trajectory[] {
  const layouts = samples.map((sample) => layoutFor(sample, TRAINING_SAMPLES, TRAINING_BATCH, recognised))
  const first = layouts.find((layout) => layout !== null)
  if (first === undefined || first === null) {
    throw new BadRecord(
      'unknown-layout',
      'its samples have their fields in the order of no TrainingSample that is known',
    )
  }
  // Until 27 January 2026 one temperature for all stands before the step.
  const [, ...rest] = values
  const early = first.since < '2026-01-27'
  const [temperature, step, run] = early ? rest : [null, ...rest]
  return samples.map((sample, part) =>
    readTrainingSample(record, part, named(sample, layouts[part] ?? first), {
      step: numberOf(step),
      temperature: numberOf(temperature),
      run: numberOf(run),
    }),
  )
}

function numberOf(value: JsonValue | undefined): number | null {
  return typeof value === 'number' ? value : null
}
