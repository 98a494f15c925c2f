import { type Container, type RawRecord, type RecordSpans, UnreadableSource } from '../containers/container.ts'
import { openContainer } from '../containers/open.ts'
import { parseRecords } from '../containers/records.ts'
import type { Format, Recognition } from '../formats/format.ts'
import { allNumericKeys, recogniseFormat } from '../formats/registry.ts'
import type { ByteSource, SkippedRecord } from '../model/source.ts'
import type { Trajectory } from '../model/trajectory.ts'

/** A source whose container and format are known. */
export interface OpenSource {
  readonly source: ByteSource
  readonly container: Container
  readonly format: Format
  readonly recognition: Recognition
  /** Trajectories of the first records, for everything that is decided before the pass. */
  readonly sample: readonly Trajectory[]
}

/** Enough for eight groups of eight, little enough to be read before a person notices. */
const SAMPLE_RECORDS = 64
const SAMPLE_BYTES = 4 << 20

/**
 * Opens one source as far as its format. Throws `UnreadableSource` with a sentence for people when the bytes are no
 * container that is read, when no record is good, or when no format recognises the records.
 */
export async function openSource(source: ByteSource, sourceIndex: number): Promise<OpenSource> {
  const container = await openContainer(source)
  const { records, skipped } = await firstRecords(container)
  if (records.length === 0) {
    const first = skipped[0]
    throw new UnreadableSource(
      'no-good-record',
      first === undefined
        ? `${source.name} holds no record. Check that the run wrote to it.`
        : `${source.name}: no record could be read; the first, at byte ${first.byte}, fails with: ${first.message}. Check that this is a rollout dump and that it was copied whole.`,
    )
  }
  const known = recogniseFormat({ records: records.map((record) => record.value) })
  if (known === null) {
    throw new UnreadableSource(
      'unknown-format',
      `${source.name}: its records are of no known format (${describeRecord(records[0] as RawRecord)}). Known formats are listed by \`rollout-inspector formats\`; the least a dump needs is input_ids and loss_mask.`,
    )
  }
  const { format, recognition } = known
  const sample = format.read(records, { source: sourceIndex, recognition }).trajectories
  return { source, container, format, recognition, sample }
}

async function firstRecords(container: Container) {
  const records: RawRecord[] = []
  const skipped: SkippedRecord[] = []
  for await (const spans of container.index({ batchBytes: SAMPLE_BYTES })) {
    const part = headOf(spans, SAMPLE_RECORDS - records.length)
    const parsed = parseRecords(await container.read(part), part, allNumericKeys)
    records.push(...parsed.records)
    skipped.push(...parsed.skipped)
    if (records.length > 0 || skipped.length >= SAMPLE_RECORDS) break
  }
  return { records, skipped }
}

/** The first `count` records of a batch; damage at its end stays behind. */
export function headOf(spans: RecordSpans, count: number): RecordSpans {
  if (spans.offsets.length <= count) return spans
  return {
    first: spans.first,
    lines: spans.lines.subarray(0, count),
    offsets: spans.offsets.subarray(0, count),
    lengths: spans.lengths.subarray(0, count),
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
