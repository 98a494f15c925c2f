import Papa from 'papaparse'
import { MOST_BYTES, type RunLogKind } from './run-log-kind.ts'
import { numberOf, SeriesBuilder } from './series.ts'

/** Least and greatest of the runs that W&B drew together: bounds of a band, no values. */
const BAND = /__(MIN|MAX)$/

/** Columns of a table of rollouts, as an export writes it: the numbers of each are its own, and none a step's. */
const OF_ROLLOUTS = ['source', 'record', 'part', 'trajectory']

/** Comma- or tab-separated columns: a history, or a chart that was exported from W&B (`Step`, then `run - metric`) or TensorBoard. */
export const table: RunLogKind = {
  id: 'table',
  title: 'metrics by step, as CSV',
  recognise({ text }) {
    if (text === null) return null
    const { data } = Papa.parse<string[]>(text, { preview: 3, skipEmptyLines: true })
    const [header, row] = data
    if (header === undefined || row === undefined || header.length < 2 || row.length !== header.length) return null
    const step = stepColumn(header)
    if (step < 0 || numberOf(row[step]) === null || OF_ROLLOUTS.every((name) => header.includes(name))) return null
    return `column ${header[step]} and ${header.length - 1} others`
  },
  async read(source, evidence, signal) {
    if (source.size > MOST_BYTES) return null
    const text = new TextDecoder().decode(await source.slice(0, source.size))
    signal?.throwIfAborted()
    const [header = [], ...rows] = Papa.parse<string[]>(text, { skipEmptyLines: true }).data
    const step = stepColumn(header)
    const names = header.map((name, i) => (i === step || BAND.test(name) ? null : name.trim()))
    const short = shortNames(names)
    const builder = new SeriesBuilder()
    let unread = 0
    for (const row of rows) {
      const at = numberOf(row[step])
      if (at === null) {
        unread++
        continue
      }
      for (const [i, name] of short.entries()) {
        const value = name === null ? null : numberOf(row[i])
        if (name !== null && value !== null) builder.add(at, new Map([[name, value]]))
      }
    }
    if (builder.isEmpty) return null
    const { series, notes } = builder.finish()
    if (unread > 0) notes.push(`${unread} of its rows name no step and are left out.`)
    return { kind: this.id, title: this.title, evidence, series, notes }
  },
}

function stepColumn(header: readonly string[]): number {
  const names = header.map((name) => name.trim().toLowerCase())
  const own = names.findIndex((name) => SeriesBuilder.stepOf(new Map([[name, 0]])) !== null)
  return own
}

/** `run - metric` is the metric, where one run alone was exported. */
function shortNames(names: readonly (string | null)[]): (string | null)[] {
  const runs = new Set(names.flatMap((name) => (name?.includes(' - ') ? [name.slice(0, name.lastIndexOf(' - '))] : [])))
  if (runs.size !== 1) return [...names]
  return names.map((name) => (name?.includes(' - ') ? name.slice(name.lastIndexOf(' - ') + 3) : name))
}
