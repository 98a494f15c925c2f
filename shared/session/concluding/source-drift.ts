import { isAboutArrays } from '../../checks/layout/unfit-arrays.ts'
import type { RawRecord, RecordDrift, RecordPlace } from '../../containers/container.ts'
import type { ReadResult } from '../../formats/format.ts'
import { recordPlace } from '../../model/lost-files.ts'
import { count, counted } from '../../model/number-text.ts'
import type { Stream } from '../../model/streams.ts'
import type { RecordIssue, Trajectory } from '../../model/trajectory.ts'
import { missingStreams, STREAM_TITLES } from '../audit/streams.ts'

/** Fields that the format does not know, and values that are not what their field holds, but for arrays over tokens. */
export function driftOf(read: DriftingRecords, records: readonly RawRecord[]): readonly RecordDrift[] {
  const drift = new DriftOfBatch()
  drift.add(read, records)
  return drift.counted()
}

/** As `driftOf`, of records that are read in portions, in their order. */
export class DriftOfBatch {
  private readonly unknown = new Map<string, { records: number; readonly first: RecordPlace; other?: RecordPlace }>()
  /** Those of which no record without it is known: records with a field each of their own leave none to look through. */
  private readonly inAll = new Set<string>()
  private readonly values = new Map<string, { readonly records: Set<number>; readonly first: RecordPlace }>()

  private readonly lacking = new Map<Stream, { records: number; last: number; readonly first: RecordPlace }>()
  /** Of the first record that was read. */
  private firstRead: RecordPlace | undefined
  /** A record in which no rollout lacks it. */
  private readonly having = new Map<Stream, RecordPlace>()

  add({ unknownFields, trajectories }: DriftingRecords, records: readonly RawRecord[]): void {
    const begins = trajectories[0]?.place.record
    for (const [field, { records: more, first, without }] of unknownFields) {
      let known = this.unknown.get(field)
      // Portions before this one have nothing of it.
      const before = known === undefined ? this.firstRead : undefined
      if (known === undefined) this.unknown.set(field, (known = { records: 0, first: placeOf(first, records) }))
      known.records += more
      known.other ??= before ?? (without === null ? undefined : placeOf(without, records))
      if (known.other === undefined) this.inAll.add(field)
      else this.inAll.delete(field)
    }
    if (begins !== undefined) {
      for (const field of this.inAll) {
        if (unknownFields.has(field)) continue
        const known = this.unknown.get(field)
        if (known !== undefined) known.other = placeOf(begins, records)
        this.inAll.delete(field)
      }
      this.firstRead ??= placeOf(begins, records)
    }
    for (const trajectory of trajectories) {
      const { issues, place } = trajectory
      for (const [stream, hasIt] of DUE) {
        if (!hasIt(trajectory)) this.lack(stream, place.record, records)
        else if (!this.having.has(stream)) this.have(stream, place.record, records)
      }
      for (const issue of issues) {
        if (!isDrift(issue)) continue
        const known = this.values.get(issue.message)
        if (known !== undefined) known.records.add(place.record)
        else {
          const first = placeOf(place.record, records)
          this.values.set(issue.message, { records: new Set([place.record]), first })
        }
      }
    }
  }

  private have(stream: Stream, record: number, records: readonly RawRecord[]): void {
    if (this.lacking.get(stream)?.last !== record) this.having.set(stream, placeOf(record, records))
  }

  private lack(stream: Stream, record: number, records: readonly RawRecord[]): void {
    if (this.having.get(stream)?.record === record) this.having.delete(stream)
    const known = this.lacking.get(stream)
    if (known === undefined) this.lacking.set(stream, { records: 1, last: record, first: placeOf(record, records) })
    // A record may hold several rollouts, one after the other.
    else if (known.last !== record) {
      known.records++
      known.last = record
    }
  }

  counted(): readonly RecordDrift[] {
    return [
      ...[...this.unknown].map(([field, { records, first, other }]) =>
        withOther(`unknown field \`${field}\``, records, first, other),
      ),
      ...[...this.values].map(([message, { records, first }]) => [message, records.size, first] as const),
      ...[...this.lacking].map(([stream, { records, first }]) =>
        withOther(lackText(stream), records, first, this.having.get(stream)),
      ),
    ]
  }
}

function withOther(what: string, records: number, first: RecordPlace, other: RecordPlace | undefined): RecordDrift {
  return other === undefined ? [what, records, first] : [what, records, first, other]
}

/** Adds what was found of a batch to what was found of those before it. */
export function addDrift(into: Map<string, RecordDrift>, batch: readonly RecordDrift[]): void {
  for (const each of batch) {
    const [what, records, , other] = each
    const known = into.get(what)
    into.set(what, known === undefined ? each : withOther(what, known[1] + records, known[2], known[3] ?? other))
  }
}

/** What the loss and the verdicts read of every rollout: where some records have it and others lack it, something is wrong with these. */
const DUE: readonly (readonly [Stream, (trajectory: Trajectory) => boolean])[] = [
  ['ids', ({ ids }) => ids !== null],
  ['mask', ({ mask }) => mask !== null],
  ['logprobs.sampler', ({ logprobs }) => logprobs.sampler !== null],
  ['logprobs.trainer', ({ logprobs }) => logprobs.trainer !== null],
  ['logprobs.reference', ({ logprobs }) => logprobs.reference !== null],
  ['rewards', ({ reward }) => reward !== null],
]

function lackText(stream: Stream): string {
  return `${NO}${STREAM_TITLES[stream]}`
}

const NO = 'no '

const LACKS: ReadonlySet<string> = new Set(DUE.map(([stream]) => lackText(stream)))

/** What a source shows, in words: but for what all of its records lack, which is a stream that it does not carry. */
export function driftTexts(
  drift: Iterable<RecordDrift>,
  { records, streams }: { readonly records: number; readonly streams: ReadonlySet<Stream> },
): string[] {
  const absent = new Set(missingStreams(streams).map(lackText))
  return [...drift]
    .filter(([what]) => !absent.has(what))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((each) => driftText(each, records))
}

/**
 * `unknown field `foo` in 3 of 256 records, the first of them record 7 (line 8)`; of what all records have no place is named, and of what most have one that
 * has not: that is the odd one.
 */
function driftText([what, records, first, other]: RecordDrift, all: number): string {
  // Others of the same record have what is carried.
  if (records >= all) return `${what} in ${LACKS.has(what) ? 'some rollouts of ' : ''}${counted(records, 'record')}`
  const others = all - records
  if (records > others && other !== undefined) {
    const where = others === 1 ? recordPlace(other) : `such as ${recordPlace(other)}`
    const who = LACKS.has(what)
      ? `${what.slice(NO.length)} in no more than ${count(others)} of ${counted(all, 'record')}`
      : `${what} in all but ${count(others)} of ${counted(all, 'record')}`
    return `${who}${others === 1 ? ': ' : ', '}${where}`
  }
  const where = records === 1 ? recordPlace(first) : `the first of them ${recordPlace(first)}`
  return `${what} in ${count(records)} of ${counted(all, 'record')}${records === 1 ? ': ' : ', '}${where}`
}

function placeOf(record: number, records: readonly RawRecord[]): RecordPlace {
  const { line, byte } = records.find((each) => each.record === record) as RawRecord
  return { record, line, byte }
}

function isDrift(issue: RecordIssue): boolean {
  return issue.code === 'bad-value' || (issue.code === 'bad-type' && !isAboutArrays(issue))
}

type DriftingRecords = Pick<ReadResult, 'unknownFields' | 'trajectories'>
