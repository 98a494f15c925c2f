import type { JsonValue } from '../../containers/container.ts'
import { decodeRecords } from '../../containers/decode.ts'
import { openContainer } from '../../containers/open.ts'
import { isObject } from '../fields.ts'
import { type LogHead, MOST_BYTES, type RunLogKind } from './run-log-kind.ts'
import { numberOf, numbersIn, SeriesBuilder } from './series.ts'

const NO_NUMERIC_KEYS: ReadonlySet<string> = new Set()

/**
 * Metrics as JSON: an object a step on lines of their own or in a list (tinker-cookbook and open-instruct `metrics.jsonl`, ART `history.jsonl`,
 * `run.history()` of W&B), a table of W&B (`columns` and `data`), or columns by row number, as pandas writes them.
 */
export const metricLines: RunLogKind = {
  id: 'metric-lines',
  title: 'metrics by step, as JSON',
  recognise(head) {
    const first = firstValue(head)
    if (first === null) return null
    if (isTable(first)) return 'a table with columns and data'
    if (columnsOf(first) !== null) return 'columns of numbers by row'
    const numbers = numbersIn(first)
    const texts = Object.values(first).filter((value) => typeof value === 'string' && numberOf(value) === null).length
    // A record of a rollout has texts and lists; one of metrics hardly anything but numbers.
    if (Object.values(first).some((value) => Array.isArray(value) && value.length > 0)) return null
    if (numbers.size < 2 || texts >= numbers.size - 1 || SeriesBuilder.stepOf(numbers) === null) return null
    return `${numbers.size} numbers a record, with the step`
  },
  async read(source, evidence, signal) {
    if (source.size > MOST_BYTES) return null
    const container = await openContainer(source)
    const builder = new SeriesBuilder()
    const unread = { damaged: 0, withoutStep: 0 }
    for await (const spans of container.index(signal ? { signal } : {})) {
      const { records, skipped } = await decodeRecords(await container.read(spans), NO_NUMERIC_KEYS)
      unread.damaged += skipped.length
      for (const { value } of records) addRecord(value, builder, unread)
    }
    if (builder.isEmpty) return null
    const { series, notes } = builder.finish()
    if (unread.damaged > 0) notes.push(`${unread.damaged} of its lines could not be read.`)
    if (unread.withoutStep > 0) notes.push(`${unread.withoutStep} of its records name no step and are left out.`)
    return { kind: this.id, title: this.title, evidence, series, notes }
  },
}

function addRecord(value: JsonValue, builder: SeriesBuilder, unread: { withoutStep: number }): void {
  if (!isObject(value)) return
  const columns = isTable(value) ? tableRows(value) : columnsOf(value)
  for (const row of columns ?? [value]) {
    const numbers = numbersIn(row)
    const step = SeriesBuilder.stepOf(numbers)
    if (step === null) unread.withoutStep++
    else builder.add(step, numbers)
  }
}

type Rows = Record<string, unknown>[]

function isTable(value: { readonly [key: string]: unknown }): boolean {
  const { columns, data } = value
  return (
    Array.isArray(columns) &&
    columns.every((name) => typeof name === 'string') &&
    Array.isArray(data) &&
    data.every(Array.isArray)
  )
}

function tableRows({ columns, data }: { readonly [key: string]: unknown }): Rows {
  return (data as unknown[][]).map((row) => Object.fromEntries((columns as string[]).map((name, i) => [name, row[i]])))
}

/** `{"_step": {"0": 10, "1": 20}, "reward": {"0": 0.5, "1": 0.6}}` as rows; null where the value is not of that shape. */
function columnsOf(value: { readonly [key: string]: unknown }): Rows | null {
  const columns = Object.entries(value)
  const step = columns.find(([name]) => SeriesBuilder.stepOf(new Map([[name, 0]])) !== null)?.[1]
  if (columns.length < 2 || !isRows(step) || !columns.every(([, column]) => isRows(column))) return null
  return Object.keys(step).map((row) =>
    Object.fromEntries(columns.map(([name, column]) => [name, (column as Record<string, unknown>)[row]])),
  )
}

function isRows(value: unknown): value is Record<string, unknown> {
  return (
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.keys(value).length > 0 &&
    Object.keys(value).every((key) => /^\d+$/.test(key))
  )
}

/** The first object of the head, whole; null where there is none. */
function firstValue({ text, whole }: LogHead): { readonly [key: string]: unknown } | null {
  if (text === null) return null
  const start = text.search(/[{[]/)
  if (start < 0 || text.slice(0, start).trim() !== '') return null
  const line = text.slice(start).split('\n')[0] as string
  for (const candidate of [line, line.replace(/,\s*$/, ''), whole ? text : null, firstOfList(text.slice(start))]) {
    if (candidate === null) continue
    try {
      const value: unknown = JSON.parse(candidate.replace(/\b(NaN|-?Infinity)\b/g, 'null'))
      const first: unknown = Array.isArray(value) ? value[0] : value
      if (first !== null && typeof first === 'object' && !Array.isArray(first)) return first as Record<string, unknown>
    } catch {
      // Not this way.
    }
  }
  return null
}

/** The text of the first object of a list that may go on beyond the head. */
function firstOfList(text: string): string | null {
  if (!text.startsWith('[')) return null
  const start = text.indexOf('{')
  let depth = 0
  for (let i = start; i >= 0 && i < text.length; i++) {
    if (text[i] === '{') depth++
    else if (text[i] === '}' && --depth === 0) return text.slice(start, i + 1)
  }
  return null
}
