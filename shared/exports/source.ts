import { type EncodedRecords, textAt } from '../containers/decode.ts'
import { joinBytes } from '../containers/join-bytes.ts'
import { counted } from '../model/number-text.ts'
import {
  bySource,
  type ExportInput,
  type ExportKind,
  type ExportOrigin,
  type ExportSink,
  type StoredRecords,
  type WrittenFile,
} from './export-kind.ts'
import { exportFileNames } from './file-names.ts'
import { nativeNotes, noOddRollouts, writeNative } from './native.ts'
import { repaired } from './repair.ts'
import { arrowLayout, writeArrowRows } from './source-arrow.ts'
import { canWriteParquet, writeParquetRows } from './source-parquet.ts'
import { type RepairedList, repairedList, splicedText } from './source-repair.ts'

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
  async names(input) {
    const names: string[] = []
    for (const [source, indices] of bySource(input)) {
      const { suffix } = await wayOf(input, { source, indices, inPieces: { count: 0 } })
      names.push(exportFileNames(input.report.sources, suffix)[source]!)
    }
    return names
  },
  async write(input, sink) {
    const files: WrittenFile[] = []
    const notes: string[] = []
    const odd = noOddRollouts()
    let neighbours = 0
    let wroteNative = false
    for (const [source, indices] of bySource(input)) {
      const own: OwnRecords = { source, indices, inPieces: { count: 0 } }
      const way = await wayOf(input, own)
      const name = exportFileNames(input.report.sources, way.suffix)[source]!
      if (way.write === null) {
        wroteNative = true
        files.push(await writeNative(withRepairs(input), { source, indices, name }, sink, odd))
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
      const { records, trajectories } = sizesOf(input, indices)
      neighbours += trajectories - indices.length
      files.push({ name, source, records, trajectories: indices.length })
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
  readonly indices: readonly number[]
  /** Rollouts whose mask should be repaired and stands in no list of its own. */
  readonly inPieces: { count: number }
}

function withRepairs(input: ExportInput): ExportInput {
  const { origin, repairs } = input
  return repairs === null ? input : { ...input, origin: repaired(origin, repairs) }
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
  const { source, indices } = own
  const { origin, report } = input
  const encoded = await firstOf(origin, indices)
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

async function firstOf(origin: ExportOrigin, [first]: readonly number[]): Promise<EncodedRecords> {
  for await (const { encoded } of origin.stored([first as number])) return encoded
  throw new Error('There is no record to begin with.')
}

/** Records as their container stores them, and what of them changes. */
export interface RowsToWrite<Encoded> {
  readonly encoded: Encoded
  /** Numbers of the records in `encoded`, ascending, each once. */
  readonly at: readonly number[]
  /** By those numbers. */
  readonly repairs: ReadonlyMap<number, readonly RepairedList[]>
}

async function* encodedAs<Decoder extends EncodedRecords['decoder']>(
  input: ExportInput,
  own: OwnRecords,
  ...decoders: readonly Decoder[]
): AsyncGenerator<RowsToWrite<Extract<EncodedRecords, { decoder: Decoder }>>> {
  for await (const records of input.origin.stored(own.indices)) {
    const { encoded, at } = records
    if (!decoders.some((decoder) => decoder === encoded.decoder))
      throw new Error('A record of this source is not stored as the others are.')
    yield {
      encoded: encoded as Extract<EncodedRecords, { decoder: Decoder }>,
      // A record may hold several of the trajectories.
      at: [...new Set(at)],
      repairs: await repairsOf(input, own, records),
    }
  }
}

/** What changes in records, by all of their chosen trajectories. */
async function repairsOf(
  { origin, repairs }: ExportInput,
  { inPieces }: OwnRecords,
  { indices, at, encoded }: StoredRecords,
): Promise<Map<number, RepairedList[]>> {
  const found = new Map<number, RepairedList[]>()
  if (repairs === null) return found
  const hasColumns = textAt(encoded, 0) === null
  let next = 0
  for await (const loaded of origin.read(indices)) {
    const record = at[next++] as number
    const mask = repairs.take(loaded)
    if (mask === null) continue
    const list = repairedList(loaded, mask)
    // A list inside of a column is not written again.
    if (list === null || (hasColumns && list.path.length !== 1)) {
      inPieces.count++
      repairs.wrote(loaded.index, 0)
      continue
    }
    repairs.wrote(loaded.index, list.entries.filter((entry) => entry !== null).length)
    const lists = found.get(record)
    if (lists === undefined) found.set(record, [list])
    else lists.push(list)
  }
  return found
}

/** How many records hold the chosen trajectories, and how many trajectories these records hold. */
function sizesOf({ origin }: ExportInput, indices: readonly number[]): { records: number; trajectories: number } {
  let records = 0
  let trajectories = 0
  let last = -1
  for (const index of indices) {
    const { record } = origin.facts[index]!.place
    if (record === last) continue
    last = record
    records++
    trajectories += sizeOfRecord(origin.facts, index)
  }
  return { records, trajectories }
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
  let isFirst = true
  for await (const { encoded, at, repairs } of encodedAs(input, own, 'json', 'texts')) {
    const parts: Uint8Array[] = []
    for (const record of at) {
      const text = textAt(encoded, record)
      if (text === null) throw new Error('A record of this source has no text of its own.')
      if (layout === 'array' && !isFirst) parts.push(BETWEEN)
      isFirst = false
      const changed = repairs.get(record)
      parts.push(changed === undefined ? text : splicedText(text, changed))
      if (layout !== 'array') parts.push(NEWLINE)
    }
    await writer.write(joinBytes(parts))
  }
  if (layout === 'array') await writer.write(CLOSE)
  await writer.close()
}
