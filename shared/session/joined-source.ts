import type { Container, RecordSpans } from '../containers/container.ts'
import type { EncodedJoined, EncodedRecords } from '../containers/decode.ts'
import type { Place } from '../model/source.ts'
import { batchOf, type OpenSource, partOf } from './open-source.ts'

/** What one source has to do with others. */
export interface Ties {
  /** Places in other sources by record: what is read beside it. */
  readonly beside: Map<number, Place[]>
  /** Parts by record that are told with another source. */
  readonly told: Map<number, number[]>
  readonly batches: RecordSpans[]
  readonly with: Set<number>
  rollouts: number
  matched: number
  /** Rollouts that are in another file under the same key with other ids. */
  readonly differ: string[]
}

/** Whether a source adds to the rollouts of others. */
export function adds({ format, recognition }: OpenSource): boolean {
  return format.join?.adds(recognition) ?? false
}

/** The source, whose records are read with what belongs to them. */
export function joinedSource(
  open: OpenSource,
  source: number,
  opened: readonly OpenSource[],
  ties: readonly Ties[],
): OpenSource {
  const own = ties[source] as Ties
  const { container } = open
  const joined: Container = {
    ...container,
    notes: [...(container.notes ?? []), ...notesOf(open, own, opened)],
    async read(spans): Promise<EncodedRecords> {
      const records = await container.read(spans)
      const beside: { source: number; records: EncodedRecords }[] = []
      for (const [other, places] of placesBeside(own, spans)) {
        const { batches } = ties[other] as Ties
        const from = (opened[other] as OpenSource).container
        for (const run of runsIn(batches, places)) beside.push({ source: other, records: await from.read(run) })
      }
      const told = toldOf(own, spans)
      if (beside.length === 0 && told.size === 0) return records
      const bytes = [records, ...beside.map((each) => each.records)].flatMap((each) => each.bytes)
      return { decoder: 'joined', spans, bytes, own: records, beside, told } satisfies EncodedJoined
    },
  }
  return { ...open, container: joined }
}

function isIn({ first, offsets }: RecordSpans, record: number): boolean {
  return record >= first && record < first + offsets.length
}

function toldOf(ties: Ties, { first, offsets }: RecordSpans): Map<number, readonly number[]> {
  const told = new Map<number, readonly number[]>()
  for (let record = first; record < first + offsets.length; record++) {
    const parts = ties.told.get(record)
    if (parts !== undefined) told.set(record, parts)
  }
  return told
}

/** The records that belong to those of `spans`, by source, in order and each once. */
function placesBeside({ beside }: Ties, { first, offsets }: RecordSpans): Map<number, number[]> {
  const records = new Map<number, Set<number>>()
  for (let i = 0; i < offsets.length; i++) {
    for (const { source, record } of beside.get(first + i) ?? []) {
      const seen = records.get(source)
      if (seen === undefined) records.set(source, new Set([record]))
      else seen.add(record)
    }
  }
  return new Map([...records].map(([source, seen]) => [source, [...seen].sort((a, b) => a - b)]))
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

/** What share of its rollouts was found in other sources, in words. */
function notesOf(open: OpenSource, { with: others, rollouts, matched, differ }: Ties, opened: readonly OpenSource[]) {
  const on = open.format.join?.on ?? ''
  const names = namesOf(others, opened)
  const share = `${matched} of ${rollouts} ${rollouts === 1 ? 'rollout' : 'rollouts'}`
  if (adds(open)) {
    const told = `${share} told with ${names}, joined by ${on}`
    return [matched === 0 ? `none of its ${rollouts} rollouts is in a file beside it by ${on}` : told]
  }
  const notes = matched === 0 ? [] : [`${share} joined by ${on} with ${names}`]
  if (differ.length > 0) {
    const are = differ.length === 1 ? 'is' : 'are'
    notes.push(
      `${differ.length} of ${rollouts} ${are} in another file by ${on}, but with other tokens, and ${are} not joined; the first is ${differ[0]}`,
    )
  }
  return notes
}

function namesOf(sources: ReadonlySet<number>, opened: readonly OpenSource[]): string {
  const names = [...sources].sort((a, b) => a - b).map((source) => (opened[source] as OpenSource).source.name)
  return names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
}
