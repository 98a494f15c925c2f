import { type EncodedRecords, textOf } from '../containers/decode.ts'
import { bySource, type ExportInput, type ExportKind, type ExportSink, type WrittenFile } from './export-kind.ts'
import { exportFileNames } from './file-names.ts'
import { jsonText } from './json-text.ts'
import { nativeNotes, type OddRollouts, writeNative } from './native.ts'
import { counted } from './phrases.ts'
import { arrowLayout, writeArrowRows } from './source-arrow.ts'
import { canWriteParquet, writeParquetRows } from './source-parquet.ts'
import { type RepairedList, repairOf, splicedText } from './source-repair.ts'

const NEWLINE = new Uint8Array([10])
const OPEN = new TextEncoder().encode('[\n')
const BETWEEN = new TextEncoder().encode(',\n')
const CLOSE = new TextEncoder().encode('\n]\n')

/**
 * The chosen records as their own source has them, one file per source: JSONL stays JSONL with its own bytes, a JSON array stays a JSON
 * array, rows of Parquet and Arrow keep schema and values; compression around a file is taken off. What cannot be written back (pickles,
 * binary batches) becomes native, and the manifest says so. A record that holds several trajectories (a group) is written whole, once;
 * the manifest names the chosen members.
 */
export const sourceExport: ExportKind = {
  id: 'source',
  title: "The source's own records: text byte for byte, columns with their schema",
  async write(input, sink) {
    const files: WrittenFile[] = []
    const notes: string[] = []
    const odd: OddRollouts = { excluded: 0, textOnly: 0, empty: 0 }
    let neighbours = 0
    let wroteNative = false
    for (const [source, indices] of bySource(input)) {
      const own = { source, records: recordsOf(input, indices), inPieces: { count: 0 } }
      const way = await wayOf(input, own)
      const name = exportFileNames(input.report.sources, way.suffix)[source]!
      if (way.write === null) {
        wroteNative = true
        files.push(await writeNative(input, { source, indices, name }, sink, odd))
        const { name: from, container } = input.report.sources[source]!
        notes.push(`${from} is ${container}, which is not written: its rollouts are in the native format here.`)
        continue
      }
      await way.write(sink, name)
      if (way.note) notes.push(way.note)
      if (own.inPieces.count > 0) {
        notes.push(
          `The masks of ${counted(own.inPieces.count, 'rollout')} of ${input.report.sources[source]!.name} stand in no list of their own: not repaired here. --as native repairs them.`,
        )
      }
      neighbours += own.records.inRecords - indices.length
      files.push({ name, source, records: own.records.first.length, trajectories: indices.length })
    }
    if (neighbours > 0) {
      notes.push(
        `A record of this dump holds several trajectories and is exported whole: ${neighbours} that were not chosen came with it. "trajectories" names the chosen ones.`,
      )
    }
    return { files, notes: [...notes, ...(wroteNative ? nativeNotes(input, odd) : [])] }
  },
}

interface OwnRecords {
  readonly source: number
  readonly records: ReturnType<typeof recordsOf>
  /** Rollouts whose mask should be repaired and stands in no list of its own. */
  readonly inPieces: { count: number }
}

interface Way {
  readonly suffix: string
  /** Null where only the native format can be written. */
  readonly write: ((sink: ExportSink, name: string) => Promise<void>) | null
  /** What is not as it was. */
  readonly note?: string | null
}

const NATIVE: Way = { suffix: 'native.jsonl', write: null }

/** How the records of a source are written, which the first of them tells. */
async function wayOf(input: ExportInput, own: OwnRecords): Promise<Way> {
  const { source, records } = own
  const { origin, report } = input
  const { encoded } = await origin.load(records.first[0] as number)
  switch (encoded.decoder) {
    case 'json':
    case 'texts': {
      const { container, records: count } = report.sources[source]!
      // An array of one record and a file that is one object read alike: the object alone is both.
      const layout =
        !container?.startsWith('json') || container.startsWith('jsonl') ? 'lines' : count === 1 ? 'object' : 'array'
      return {
        suffix: layout === 'lines' ? 'selected.jsonl' : 'selected.json',
        write: (sink, name) => writeRecords(input, own, layout, sink, name),
      }
    }
    case 'parquet': {
      if (!canWriteParquet(encoded)) return NATIVE
      const { created_by: _writer, ...metadata } = origin.metadataOf(source) ?? {}
      const texts = Object.fromEntries(
        Object.entries(metadata).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
      const rows = encodedAs(input, own, 'parquet')
      return {
        suffix: 'selected.parquet',
        write: (sink, name) => writeParquetRows(rows, { schema: encoded.schema, metadata: texts }, sink, name),
      }
    }
    case 'arrow': {
      const layout = arrowLayout(encoded)
      if (layout === null) return NATIVE
      const { plain } = layout
      return {
        suffix: 'selected.arrow',
        note:
          plain.length === 0
            ? null
            : `Views of Arrow are stored in place here, in ${plain.join(', ')}: the same values.`,
        async write(sink, name) {
          await writeArrowRows(encodedAs(input, own, 'arrow'), layout, await sink.open(name))
        },
      }
    }
    default:
      return NATIVE
  }
}

/** A record as its container stores it, and what of it changes. */
export interface RowToWrite<Encoded> {
  readonly encoded: Encoded
  readonly repairs: readonly RepairedList[]
}

async function* encodedAs<Decoder extends EncodedRecords['decoder']>(
  input: ExportInput,
  own: OwnRecords,
  decoder: Decoder,
): AsyncGenerator<RowToWrite<Extract<EncodedRecords, { decoder: Decoder }>>> {
  for (const index of own.records.first) {
    const { encoded } = await input.origin.load(index)
    if (encoded.decoder !== decoder) throw new Error('A record of this source is not stored as the others are.')
    const repairs = await repairsOf(input, own, index)
    yield { encoded: encoded as Extract<EncodedRecords, { decoder: Decoder }>, repairs }
  }
}

/** What changes in the record of a trajectory, by all of its chosen members. */
async function repairsOf(
  { origin, repairs, repairsMaskedWhole }: ExportInput,
  { records, inPieces }: OwnRecords,
  index: number,
): Promise<RepairedList[]> {
  const found: RepairedList[] = []
  for (const member of repairs ? (records.members.get(index) ?? []) : []) {
    const repair = repairOf(await origin.load(member), repairsMaskedWhole)
    if (repair === 'in-pieces') inPieces.count++
    else if (repair !== null) found.push(repair)
  }
  return found
}

/** For each record that holds a chosen trajectory the first of those, and how many trajectories these records hold. */
function recordsOf({ origin }: ExportInput, indices: readonly number[]) {
  const first: number[] = []
  const members = new Map<number, number[]>()
  let inRecords = 0
  let last = -1
  for (const index of indices) {
    const { record } = origin.facts[index]!.place
    if (record === last) {
      members.get(first.at(-1) as number)?.push(index)
      continue
    }
    last = record
    first.push(index)
    members.set(index, [index])
    inRecords += sizeOfRecord(origin.facts, index)
  }
  return { first, members, inRecords }
}

/** How many trajectories the record of one holds: they stand together in report order. */
function sizeOfRecord(facts: ExportInput['origin']['facts'], index: number): number {
  const { source, record } = facts[index]!.place
  const isHere = (at: number) => facts[at]?.place.source === source && facts[at].place.record === record
  let from = index
  while (isHere(from - 1)) from--
  let to = index + 1
  while (isHere(to)) to++
  return to - from
}

async function writeRecords(
  input: ExportInput,
  own: OwnRecords,
  layout: 'lines' | 'object' | 'array',
  sink: ExportSink,
  name: string,
): Promise<void> {
  const writer = await sink.open(name)
  if (layout === 'array') await writer.write(OPEN)
  for (const [i, index] of own.records.first.entries()) {
    if (layout === 'array' && i > 0) await writer.write(BETWEEN)
    const repairs = await repairsOf(input, own, index)
    const loaded = await input.origin.load(index)
    const { encoded, record } = loaded
    const text = repairs.length > 0 ? splicedText(loaded, repairs) : textOf(encoded)
    await writer.write(text ?? new TextEncoder().encode(jsonText(record.value)))
    if (layout !== 'array') await writer.write(NEWLINE)
  }
  if (layout === 'array') await writer.write(CLOSE)
  await writer.close()
}
