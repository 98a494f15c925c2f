import type { Container, RecordSpans, RolloutPair } from '../../containers/container.ts'
import type { EncodedJoined, EncodedRecords } from '../../containers/decode.ts'
import type { FormatJoin } from '../../formats/format.ts'
import type { SourceJoin } from '../../model/report.ts'
import type { ToldBatches } from '../audit/told-batches.ts'
import { batchOf, type OpenSource, partOf } from './open-source.ts'

/** What one source has to do with others that are joined with it by one thing. */
export interface Ties {
  readonly on: string
  readonly kind: FormatJoin['kind']
  /** `joinName` of what joins them. */
  readonly by: string
  /** Whether it adds to the others. */
  readonly adds: boolean
  /** By record, what of other sources is read beside it. */
  readonly beside: Map<number, RolloutPair[]>
  /** Parts by record that are told with another source. */
  readonly told: Map<number, number[]>
  /** The sources that it was found to have something in common with, each with where its records lie. */
  readonly batches: Map<number, readonly RecordSpans[]>
  present: number
  matched: number
  /** Those that are in another file under the same key, with other ids. */
  readonly differ: string[]
}

/**
 * The source, whose records are read with what belongs to them; itself where nothing ties it to another.
 *
 * @param known of its batches since it was read for its keys, null where it was not
 */
export function joinedSource(
  open: OpenSource,
  ties: readonly Ties[],
  known: ToldBatches | null,
  opened: readonly OpenSource[],
): OpenSource {
  if (ties.length === 0) return open
  const { container } = open
  // A worker has one source of a job to read, and not what belongs to it in others.
  const { refer: _, linesElsewhere: __, ...here } = container
  const joined: Container = {
    ...here,
    notes: [...(container.notes ?? []), ...ties.flatMap((each) => notesOf(each, opened))],
    async read(spans, signal): Promise<EncodedRecords> {
      const told = byRecord(spans, (record) => [...new Set(ties.flatMap((each) => each.told.get(record) ?? []))])
      const rollouts = [...told.values()].reduce((sum, parts) => sum + parts.length, 0)
      // Notes on them change what is read of them.
      const noted = ties.some((each) => each.kind === 'records' && placesBeside(each, spans).size > 0)
      const whole = rollouts > 0 && !noted ? (known?.whole(spans, rollouts) ?? null) : null
      if (whole !== null) return { decoder: 'told', spans, bytes: [], told: whole }
      const records = await container.read(spans, signal)
      const beside: EncodedJoined['beside'][number][] = []
      for (const each of ties) {
        for (const [source, places] of placesBeside(each, spans)) {
          const from = (opened[source] as OpenSource).container
          const runs = runsIn(each.batches.get(source) ?? [], places)
          for (const run of runs) beside.push({ source, by: each.by, records: await from.read(run, signal) })
        }
      }
      const pairs = byRecord(spans, (record) =>
        ties.flatMap((each) => (each.kind === 'rollouts' ? (each.beside.get(record) ?? []) : [])),
      )
      if (beside.length === 0 && told.size === 0) return records
      const bytes = [records, ...beside.map((each) => each.records)].flatMap((each) => each.bytes)
      return { decoder: 'joined', spans, bytes, own: records, beside, told, pairs } satisfies EncodedJoined
    },
  }
  return { ...open, container: joined, joined: ties.flatMap((each) => joinOf(each, opened)) }
}

function isIn({ first, offsets }: RecordSpans, record: number): boolean {
  return record >= first && record < first + offsets.length
}

/** What there is for each record of `spans`, without those for which there is nothing. */
function byRecord<Value>(
  { first, offsets }: RecordSpans,
  of: (record: number) => readonly Value[],
): Map<number, readonly Value[]> {
  const found = new Map<number, readonly Value[]>()
  for (let record = first; record < first + offsets.length; record++) {
    const values = of(record)
    if (values.length > 0) found.set(record, values)
  }
  return found
}

/** The records that belong to those of `spans`, by source, in order and each once. */
function placesBeside({ beside }: Ties, { first, offsets }: RecordSpans): Map<number, number[]> {
  const records = new Map<number, Set<number>>()
  for (let i = 0; i < offsets.length; i++) {
    for (const { other } of beside.get(first + i) ?? []) {
      const { source, record } = other
      const seen = records.get(source)
      if (seen === undefined) records.set(source, new Set([record]))
      else seen.add(record)
    }
  }
  // By source: whose note is the newest must not hang on which record of the batch comes first.
  const sorted = [...records].sort(([a], [b]) => a - b)
  return new Map(sorted.map(([source, seen]) => [source, [...seen].sort((a, b) => a - b)]))
}

/** Consecutive records are read at once, as far as one batch holds them. */
function runsIn(batches: readonly RecordSpans[], records: readonly number[]): RecordSpans[] {
  const runs: RecordSpans[] = []
  for (let i = 0; i < records.length; ) {
    const first = records[i] as number
    const batch = batchOf(batches, first)
    let end = i + 1
    if (batch !== null) {
      while (records[end] === first + end - i && isIn(batch, records[end] as number)) end++
      runs.push(partOf(batch, first - batch.first, first - batch.first + end - i))
    }
    i = end
  }
  return runs
}

/** What share of it was found in other sources, in words. */
function notesOf({ on, kind, adds, batches, present, matched, differ }: Ties, opened: readonly OpenSource[]): string[] {
  if (present === 0) return []
  const names = namesOf([...batches.keys()], opened)
  const [one, several] =
    kind === 'rollouts' ? ['rollout', 'rollouts'] : adds ? ['note', 'notes'] : ['record', 'records']
  const share = `${matched} of ${present} ${present === 1 ? one : several}`
  if (adds && matched === 0)
    return [
      `${present === 1 ? `its one ${one} is not` : `none of its ${present} ${several} is`} in a file beside it by ${on}`,
    ]
  if (adds) return [`${share} ${kind === 'rollouts' ? 'told with' : 'on'} ${names}, joined by ${on}`]
  const notes = matched === 0 ? [] : [`${share} joined by ${on} with ${names}`]
  if (differ.length > 0) {
    const are = differ.length === 1 ? 'is' : 'are'
    notes.push(
      `${differ.length} of ${present} ${are} in another file by ${on}, but with other tokens, and ${are} not joined; the first is ${differ[0]}`,
    )
  }
  return notes
}

function joinOf({ on, adds, batches, present, matched, differ }: Ties, opened: readonly OpenSource[]): SourceJoin[] {
  if (batches.size === 0 && differ.length === 0) return []
  const names = [...batches.keys()].sort((a, b) => a - b).map((source) => (opened[source] as OpenSource).source.name)
  return [{ on, with: names, adds, matched, of: present, other_ids: differ.length }]
}

function namesOf(sources: readonly number[], opened: readonly OpenSource[]): string {
  const names = [...sources].sort((a, b) => a - b).map((source) => (opened[source] as OpenSource).source.name)
  return names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
}
