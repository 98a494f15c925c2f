import type { SchemaElement } from 'hyparquet'
import { counted } from '../model/number-text.ts'
import { bySource, type ExportInput, type ExportKind, type ExportSink, type WrittenFile } from './export-kind.ts'
import { exportFileNames } from './file-names.ts'
import { jsonText } from './json-text.ts'
import { nativeNotes, nativeRow, noOddRollouts, type OddRollouts } from './native.ts'
import { ParquetFile } from './parquet-file.ts'

/** Numbers in one row group, about: each takes up to eight bytes. */
const GROUP_NUMBERS = 4 << 20

type Values = unknown[]

/** How the fields of the native format are stored; `json` is a text of JSON, for what has no fixed columns. */
const COLUMNS = {
  schema: 'text',
  id: 'text',
  rollout_id: 'text',
  branch: 'text',
  group_id: 'text',
  group_size: 'integer',
  step: 'integer',
  model: 'text',
  temperature: 'number',
  input_ids: 'integers',
  loss_mask: 'numbers',
  sampled: 'numbers',
  attention_mask: 'integers',
  position_ids: 'integers',
  sequence_ids: 'integers',
  versions: 'integers',
  prompt_length: 'integer',
  'logprobs.sampler': 'numbers',
  'logprobs.trainer': 'numbers',
  'logprobs.reference': 'numbers',
  entropy: 'numbers',
  kl: 'numbers',
  advantage: 'number',
  advantages: 'numbers',
  reward: 'number',
  rewards: 'json',
  messages: 'json',
  tools: 'json',
  documents: 'json',
  answer: 'text',
  finish_reason: 'text',
  is_truncated: 'flag',
  limits: 'json',
  meta: 'json',
} as const

type ColumnKind = (typeof COLUMNS)[keyof typeof COLUMNS]

const INTEGER_COLUMNS = Object.entries(COLUMNS).flatMap(([column, kind]) => (kind === 'integer' ? [column] : []))

const name = ({ report }: ExportInput, source: number) =>
  exportFileNames(report.sources, 'native.parquet')[source] as string

/**
 * The chosen trajectories as the native format has them, in columns: one row each, one file per source. Arrays are lists of numbers;
 * `logprobs.sampler` and its like are columns of their own; messages, tools, documents, rewards, limits and meta are texts of JSON.
 */
export const parquetExport: ExportKind = {
  id: 'parquet',
  title: 'Native format in columns, as Parquet',
  names: async (input) => [...bySource(input).keys()].map((source) => name(input, source)),
  async write(input, sink) {
    const odd: OddParquetRollouts = { ...noOddRollouts(), fractions: new Map() }
    const files: WrittenFile[] = []
    for (const [source, indices] of bySource(input)) {
      files.push(await writeSource(input, { source, indices, name: name(input, source) }, sink, odd))
    }
    const lost = Array.from(
      odd.fractions,
      ([column, rollouts]) =>
        `The ${column} of ${counted(rollouts, 'rollout')} is no whole number, which its column cannot hold: empty here. --as native keeps it.`,
    )
    return { files, notes: [...nativeNotes(input, odd), ...lost] }
  },
}

interface OddParquetRollouts extends OddRollouts {
  /** By column of whole numbers, the rollouts whose own is none. */
  readonly fractions: Map<string, number>
}

async function writeSource(
  input: ExportInput,
  { source, indices, name }: { source: number; indices: readonly number[]; name: string },
  sink: ExportSink,
  odd: OddParquetRollouts,
): Promise<WrittenFile> {
  const file = await ParquetFile.open(sink, name, SCHEMA)
  let rows: Record<string, unknown>[] = []
  let numbers = 0
  let records = 0
  const flush = async () => {
    if (rows.length === 0) return
    const columnData = Object.entries(COLUMNS).map(([column, kind]) => ({
      name: column,
      data: rows.map((row) => stored(fieldOf(row, column), kind)) as Values,
    }))
    await file.parquet.write({ columnData, rowGroupSize: rows.length })
    await file.flush()
    rows = []
    numbers = 0
  }
  for await (const loaded of input.origin.read(indices)) {
    const row = nativeRow(input, loaded, odd)
    if (row === null) continue
    for (const column of INTEGER_COLUMNS) {
      if (row[column] === undefined || Number.isSafeInteger(row[column])) continue
      row[column] = undefined
      odd.fractions.set(column, (odd.fractions.get(column) ?? 0) + 1)
    }
    rows.push(row)
    records++
    numbers += 4 * ((row.input_ids as ArrayLike<number> | undefined)?.length ?? 0)
    if (numbers > GROUP_NUMBERS) await flush()
  }
  await flush()
  await file.close()
  return { name, source, records, trajectories: records }
}

function fieldOf(row: Record<string, unknown>, column: string): unknown {
  const [field, part] = column.split('.') as [string, string?]
  const value = row[field]
  return part === undefined ? value : (value as Record<string, unknown> | undefined)?.[part]
}

function stored(value: unknown, kind: ColumnKind): unknown {
  if (value === undefined || value === null) return null
  switch (kind) {
    case 'json':
      return jsonText(value)
    case 'integers':
    case 'numbers':
      return Array.from(value as ArrayLike<number | null>)
    case 'integer':
      return BigInt(value as number)
    default:
      return value
  }
}

const SCHEMA: readonly SchemaElement[] = [
  { name: 'schema', num_children: Object.keys(COLUMNS).length },
  ...Object.entries(COLUMNS).flatMap(([name, kind]) => elements(name, kind)),
]

function elements(name: string, kind: ColumnKind): SchemaElement[] {
  switch (kind) {
    case 'text':
    case 'json':
      return [{ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' }]
    case 'integer':
      return [{ name, type: 'INT64', repetition_type: 'OPTIONAL' }]
    case 'number':
      return [{ name, type: 'DOUBLE', repetition_type: 'OPTIONAL' }]
    case 'flag':
      return [{ name, type: 'BOOLEAN', repetition_type: 'OPTIONAL' }]
    case 'integers':
    case 'numbers':
      return [
        { name, converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', type: kind === 'integers' ? 'INT32' : 'DOUBLE', repetition_type: 'OPTIONAL' },
      ]
  }
}
