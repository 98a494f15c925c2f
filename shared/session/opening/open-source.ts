import {
  type Container,
  type JsonValue,
  type RawRecord,
  type RecordSpans,
  UnreadableSource,
} from '../../containers/container.ts'
import { decodeRecords } from '../../containers/decode.ts'
import { type OpenOptions, openContainer } from '../../containers/open.ts'
import { listKeyOf, unwrapped } from '../../containers/wrapped-records.ts'
import { isObject, kindOf } from '../../formats/fields.ts'
import type { Format, Recognition } from '../../formats/format.ts'
import { type FieldMapping, MAP_FIELDS, mappedRecords, mappingText } from '../../formats/mapping.ts'
import { native } from '../../formats/native.ts'
import { areRollouts, proposeMapping } from '../../formats/propose-mapping.ts'
import { allNumericKeys, type RecognisedFormat, recogniseFormat } from '../../formats/registry.ts'
import { NO_RUN, type SourceRun } from '../../formats/run-metadata/run-facts.ts'
import { partitionPoint } from '../../model/partition-point.ts'
import { ALL_FILES, type AuditOptions } from '../../model/policy.ts'
import type { SourceJoin } from '../../model/report.ts'
import type { ByteSource, SkippedRecord } from '../../model/source.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { firstFailure } from './first-failure.ts'

/** A source whose container and format are known. */
export interface OpenSource {
  readonly source: ByteSource
  readonly container: Container
  readonly format: Format
  readonly recognition: Recognition
  /** What its name and the files beside it say of the run. */
  readonly run: SourceRun
  /** Trajectories of the first records, for everything that is decided before the pass. */
  readonly sample: readonly Trajectory[]
  /** Nearly all of its first records are whole numbers in arrays. */
  readonly isOfNumbers: boolean
  /** What was found of it in the other sources; absent before they were looked at. */
  readonly joined?: readonly SourceJoin[]
}

/** A source that could not be read at all. */
export interface UnreadableFile {
  readonly name: string
  readonly bytes: number
  /** Stable, machine-readable, as in `UnreadableSource`; `read-error` where the bytes could not be had. */
  readonly code: string
  /** One sentence with what to do. */
  readonly message: string
}

/** Enough for eight groups of eight. */
const SAMPLE_RECORDS = 64
/**
 * Little enough for the samples of a thousand files, which are held until the last one is open. The same for one file as for a
 * thousand: what is decided of a file must not hang on how many are opened with it.
 */
const SAMPLE_BYTES = 512 << 10
/** However long they are: what one rollout does is no convention. */
const LEAST_SAMPLE_RECORDS = 2

/** Records that are rollouts and are not read: of no known format, or of another than a person named. Settings beside their tokens describe no run. */
export class UnreadRollouts extends UnreadableSource {}

/**
 * Opens one source as far as its format. Throws `UnreadableSource` with a sentence for people when the bytes are no
 * container that is read, when no record is good, or when no format recognises the records.
 */
export async function openSource(
  source: ByteSource,
  sourceIndex: number,
  options: OpenOptions & {
    readonly signal?: AbortSignal
    readonly map?: FieldMapping | null
    readonly readAs?: AuditOptions['readAs'] | null
  } = {},
): Promise<OpenSource> {
  const { container, records, firstBad } = await openRecords(
    await openContainer(source, options),
    options.map ?? null,
    options.signal,
  )
  if (records.length === 0) {
    throw new UnreadableSource(
      'no-good-record',
      firstBad === null
        ? `${source.name} holds no record. Check that the run wrote to it.`
        : `${source.name}: no record could be read; ${await firstFailure(container, firstBad)}. Check that this is a rollout dump (JSON, one object for each rollout) and that it was copied whole.`,
    )
  }
  const { metadata } = container
  const values = records.map((record) => record.value)
  const map = options.map ?? null
  const own = options.readAs?.[source.name] ?? null
  const ofAll = own === null ? (options.readAs?.[ALL_FILES] ?? null) : null
  const recognised = recogniseFormat({ records: values, metadata }, own ?? ofAll)
  if (own !== null && recognised?.format.id !== own) {
    throw new UnreadRollouts(
      'not-that-format',
      `${source.name} was to be read as ${own}, which its records are not (${describeRecord(records[0] as RawRecord)}). Leave out what it was named${recognised === null ? '' : `: they look like ${recognised.format.id}`}.`,
    )
  }
  const known = mappedBy(map, records, recognised)
  if (known === null) {
    const proposed = proposeMapping(values)
    const Unread = proposed !== null && areRollouts(proposed, values.length) ? UnreadRollouts : UnreadableSource
    throw new Unread(
      'unknown-format',
      `${source.name}: its records are of no known format (${describeRecord(records[0] as RawRecord)})${map === null ? '' : `, and ${nothingAt(map)}`}. ${proposed === null ? `${container.id === 'torch' ? 'The checkpoints of a run hold no rollouts. ' : ''}Known formats are listed by \`rollout-inspector formats\`; the least a dump needs is \`input_ids\` and \`loss_mask\`${map === null ? ', or --map with where they stand' : ''}${unfitArrays(records[0] as RawRecord)}.` : `They may be read with --map ${mappingText(proposed)}`}`,
    )
  }
  const { format } = known
  const recognition = ofAll === null || ofAll === format.id ? known.recognition : { ...known.recognition, isNot: ofAll }
  const sample = format.read(records, { source: sourceIndex, recognition, metadata }).trajectories
  return { source, container, format, recognition, run: NO_RUN, sample, isOfNumbers: areOfNumbers(records) }
}

/** Of the bytes of records in which arrays of whole numbers stand, so many are enough that little else is to be parsed. */
const NUMBERS_SHARE = 0.9

function areOfNumbers(records: readonly RawRecord[]): boolean {
  const bytes = records.reduce((sum, { length }) => sum + length, 0)
  const beside = records.reduce((sum, { value }) => sum + lengthBeside(value), 0)
  return beside < bytes * (1 - NUMBERS_SHARE)
}

/** Characters that a value is written with, about, without its arrays of whole numbers. */
function lengthBeside(value: JsonValue): number {
  if (value instanceof Int32Array) return 0
  if (value instanceof Float64Array) return value.length * FLOAT_CHARACTERS
  if (typeof value === 'string') return value.length
  if (value === null || typeof value !== 'object') return SHORT_CHARACTERS
  const inside = Array.isArray(value) ? value : Object.values(value)
  return inside.reduce<number>(
    (sum, each) => sum + lengthBeside(each),
    Array.isArray(value) ? 0 : inside.length * SHORT_CHARACTERS,
  )
}

/** Of a number with a fraction, and of a key or a word. */
const FLOAT_CHARACTERS = 18
const SHORT_CHARACTERS = 8

/** What a person mapped is read so, unless a trainer's own format is recognised. */
function mappedBy(
  map: FieldMapping | null,
  records: readonly RawRecord[],
  known: RecognisedFormat | null,
): RecognisedFormat | null {
  if (map === null) return known
  const { reward, ...others } = map
  // A name for the reward among scores is what a known format may lack as well.
  if (reward !== undefined && known?.recognition.scores?.includes(reward) && Object.keys(others).length === 0) {
    const { sameScores: _, ...recognition } = known.recognition
    return { ...known, recognition: { ...recognition, rewardOf: [reward] } }
  }
  if (known !== null && known.format !== native) {
    return { ...known, recognition: { ...known.recognition, unusedMapping: map } }
  }
  const namesWhole = WHOLE.some((field) => map[field] !== undefined)
  const reached = mappedRecords(records, map)
  if (known === null || (namesWhole && known.recognition.confidence < 1)) {
    if (holdAny(reached, WHOLE)) return { format: native, recognition: mappedRecognition(map) }
  }
  if (known === null) return null
  const { format, recognition } = known
  // A file of another shape that was opened with those that the mapping is for has nothing there.
  if (!holdAny(reached, namesWhole ? WHOLE : FILLED)) {
    return {
      format,
      recognition: { ...recognition, evidence: [...recognition.evidence, nothingAt(map)], unusedMapping: map },
    }
  }
  const evidence = [...recognition.evidence, ...mappedRecognition(map).evidence]
  return { format, recognition: { ...recognition, evidence, fieldMapping: map } }
}

/** What a mapping fills that says where the rollouts are, and not a field of rollouts that are known. */
const WHOLE = ['input_ids', 'completion_ids', 'messages', 'completion_text'] as const
/** Names at the top of a mapped record. */
const FILLED = [...new Set(MAP_FIELDS.map((field) => field.split('.')[0] as string))]

/** Whether tokens or messages stand in any of the records where the mapping says. */
function reaches(map: FieldMapping, records: readonly RawRecord[]): boolean {
  return holdAny(mappedRecords(records, map), WHOLE)
}

function holdAny(mapped: readonly RawRecord[], names: readonly string[]): boolean {
  return mapped.some(({ value }) => isObject(value) && names.some((key) => Object.hasOwn(value, key)))
}

function nothingAt(map: FieldMapping): string {
  const what = WHOLE.some((field) => map[field] !== undefined)
    ? 'neither token ids nor messages stand'
    : 'nothing stands'
  return `${what} where the mapping says (${mappingText(map)})`
}

/** How records that a person mapped are recognised. */
export function mappedRecognition(map: FieldMapping): Recognition {
  return { confidence: 1, evidence: [`the mapping that was given: ${mappingText(map)}`], version: null, mapping: map }
}

/**
 * The container with its first good records. Where all that it holds is one object around a list, and that list and not the object
 * is what is known, or what can be mapped, the records are those of the list.
 */
export async function openRecords(container: Container, map: FieldMapping | null, signal: AbortSignal | undefined) {
  const outer = { container, ...(await firstGoodRecords(container, signal)) }
  const [wrapper] = outer.records
  const isAlone = wrapper !== undefined && outer.records.length === 1 && outer.firstBad === null
  const key = isAlone && container.id.startsWith('json') ? listKeyOf(wrapper.value) : null
  if (wrapper === undefined || key === null || isReadable([wrapper], map)) return outer
  const list = unwrapped(container, wrapper, key)
  const inner = { container: list, ...(await firstGoodRecords(list, signal)) }
  return isReadable(inner.records, map) ? inner : outer
}

/** Some format knows the records, or they hold fields that a person mapped or may map. */
function isReadable(records: readonly RawRecord[], map: FieldMapping | null): boolean {
  const values = records.map(({ value }) => value)
  return (
    recogniseFormat({ records: values }) !== null ||
    (map === null ? proposeMapping(values) !== null : reaches(map, records))
  )
}

/** Good records near the beginning, however many bad ones stand before them. None only where every record is bad. */
async function firstGoodRecords(container: Container, signal: AbortSignal | undefined) {
  const good: RawRecord[] = []
  let firstBad: SkippedRecord | null = null
  for await (const spans of container.index({ batchBytes: SAMPLE_BYTES, ...(signal ? { signal } : {}) })) {
    for (let from = 0; from < spans.offsets.length; from += SAMPLE_RECORDS) {
      const part = await container.read(partOf(spans, from, from + SAMPLE_RECORDS))
      const { records, skipped } = await decodeRecords(part, allNumericKeys)
      firstBad ??= skipped[0] ?? null
      for (const record of records) good.push(record)
      if (good.length >= LEAST_SAMPLE_RECORDS) return { records: good, firstBad }
    }
  }
  signal?.throwIfAborted()
  return { records: good, firstBad }
}

/** Whether a file of lines holds all the records that `firstGoodRecords` looks at, however long it becomes. */
export async function hasWholeSample(container: Container, signal: AbortSignal): Promise<boolean> {
  let good = 0
  for await (const spans of container.index({ batchBytes: SAMPLE_BYTES, signal })) {
    // Another batch began, so that the one before it is over.
    if (good >= LEAST_SAMPLE_RECORDS) return true
    for (let from = 0; from < spans.offsets.length; from += SAMPLE_RECORDS) {
      const part = await container.read(partOf(spans, from, from + SAMPLE_RECORDS))
      good += (await decodeRecords(part, allNumericKeys)).records.length
      if (good < LEAST_SAMPLE_RECORDS) continue
      if (from + SAMPLE_RECORDS <= spans.offsets.length) return true
      break
    }
  }
  return false
}

/** Records `from` (inclusive) to `to` (exclusive) of a batch, counted from its first. */
export function partOf(spans: RecordSpans, from: number, to: number): RecordSpans {
  const { damaged } = spans
  const index = (damaged?.index ?? -1) - from
  return {
    first: spans.first + from,
    lines: spans.lines.subarray(from, to),
    offsets: spans.offsets.subarray(from, to),
    lengths: spans.lengths.subarray(from, to),
    ...(damaged !== undefined && index >= 0 && index < to - from ? { damaged: { ...damaged, index } } : {}),
  }
}

function describeRecord(record: RawRecord): string {
  const value = record.value
  if (value === null || typeof value !== 'object' || Array.isArray(value) || ArrayBuffer.isView(value)) {
    return 'the first is not an object'
  }
  const keys = Object.keys(value).slice(0, 8)
  return keys.length === 0 ? 'the first is an empty object' : `the first has the keys ${keys.join(', ')}`
}

/** What stands under the names of the two arrays that a dump needs, where that is none. */
function unfitArrays({ value }: RawRecord): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || ArrayBuffer.isView(value)) return ''
  const unfit = ['input_ids', 'loss_mask'].flatMap((key) => {
    const stored = value[key]
    if (stored === undefined || ArrayBuffer.isView(stored)) return []
    if (!Array.isArray(stored)) return [`\`${key}\` is ${kindOf(stored)}`]
    const isOfLists = stored.some((each) => Array.isArray(each) || ArrayBuffer.isView(each))
    return [`\`${key}\` is ${isOfLists ? 'a list of lists' : 'a list of what is no number'}`]
  })
  return unfit.length === 0 ? '' : `. Each is a list of numbers of one rollout; here ${unfit.join(' and ')}`
}

/** The place of one record among the batches of its source; throws where it was not indexed. */
export function spansOf(batches: readonly RecordSpans[], record: number): RecordSpans {
  const batch = batchOf(batches, record)
  if (batch === null) throw new Error(`Record ${record} was not indexed.`)
  return partOf(batch, record - batch.first, record - batch.first + 1)
}

/** The batch that holds a record, null where it was not indexed. */
export function batchOf(batches: readonly RecordSpans[], record: number): RecordSpans | null {
  const batch = batches[partitionPoint(batches.length, (i) => (batches[i] as RecordSpans).first <= record) - 1]
  const at = record - (batch?.first ?? 0)
  return batch === undefined || at < 0 || at >= batch.offsets.length ? null : batch
}

/** Bytes of all of them, as they are stored. */
export function bytesOf(opened: readonly OpenSource[]): number {
  return opened.reduce((sum, { source }) => sum + source.size, 0)
}
