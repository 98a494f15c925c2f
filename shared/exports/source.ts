import { bySource, type ExportInput, type ExportKind, type ExportSink, type WrittenFile } from './export-kind.ts'
import { exportFileNames } from './file-names.ts'
import { jsonText } from './json-text.ts'

const NEWLINE = new Uint8Array([10])
const OPEN = new TextEncoder().encode('[\n')
const BETWEEN = new TextEncoder().encode(',\n')
const CLOSE = new TextEncoder().encode('\n]\n')

/**
 * The chosen records as their own bytes, one file per source: JSONL stays JSONL, a JSON array stays a JSON array, gzip
 * is taken off. A record that holds several trajectories (a group) is written whole, once; the manifest names the
 * chosen members.
 */
export const sourceExport: ExportKind = {
  id: 'source',
  title: "The source's own records, byte for byte",
  async write(input, sink) {
    const files: WrittenFile[] = []
    let neighbours = 0
    for (const [source, indices] of bySource(input)) {
      const report = input.report.sources[source]!
      const container = (report.container ?? 'jsonl').split('+')[0]
      // An array of one record and a file that is one object read alike: the object alone is both.
      const layout = container !== 'json' ? 'lines' : report.records === 1 ? 'object' : 'array'
      const suffix = layout === 'lines' ? 'selected.jsonl' : 'selected.json'
      const name = exportFileNames(input.report.sources, suffix)[source]!
      const { records, others } = await writeRecords(input, indices, layout, sink, name)
      neighbours += others
      files.push({ name, source, records, trajectories: indices.length })
    }
    const notes =
      neighbours === 0
        ? []
        : [
            `A record of this dump holds several trajectories and is exported whole: ${neighbours} that were not chosen came with it. "trajectories" names the chosen ones.`,
          ]
    return { files, notes }
  },
}

async function writeRecords(
  input: ExportInput,
  indices: readonly number[],
  layout: 'lines' | 'object' | 'array',
  sink: ExportSink,
  name: string,
): Promise<{ records: number; others: number }> {
  const parts = partsPerRecord(input)
  const writer = await sink.open(name)
  let records = 0
  let inRecords = 0
  let last = -1
  if (layout === 'array') await writer.write(OPEN)
  for (const index of indices) {
    const { source, record } = input.origin.facts[index]!.place
    if (record === last) continue
    last = record
    if (layout === 'array' && records > 0) await writer.write(BETWEEN)
    const { recordBytes, record: loaded } = await input.origin.load(index)
    await writer.write(recordBytes ?? new TextEncoder().encode(jsonText(loaded.value)))
    if (layout !== 'array') await writer.write(NEWLINE)
    records++
    inRecords += parts.get(`${source}:${record}`) ?? 1
  }
  if (layout === 'array') await writer.write(CLOSE)
  await writer.close()
  return { records, others: inRecords - indices.length }
}

function partsPerRecord(input: ExportInput): Map<string, number> {
  const parts = new Map<string, number>()
  for (const { place } of input.origin.facts) {
    const key = `${place.source}:${place.record}`
    parts.set(key, (parts.get(key) ?? 0) + 1)
  }
  return parts
}
