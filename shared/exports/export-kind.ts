import type { GroupView, TrajectoryView } from '../checks/check.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import type { JsonObject, RawRecord } from '../containers/container.ts'
import type { EncodedRecords } from '../containers/decode.ts'
import type { Finding, Report } from '../model/report.ts'
import type { Trajectory } from '../model/trajectory.ts'
import type { MaskRepairs } from './repair.ts'

/** In the order in which they are offered; `registry.ts` has what writes each. */
export const EXPORT_IDS = ['source', 'native', 'csv', 'parquet', 'sft', 'dpo'] as const
export type ExportId = (typeof EXPORT_IDS)[number]

/** Exports that hold masks, which can be repaired. */
export const REPAIRED: readonly ExportId[] = ['source', 'native', 'parquet', 'sft']

/** A trajectory as read again for an export, with the record that holds it. */
export interface ExportedTrajectory {
  readonly trajectory: Trajectory
  /** Null for a trajectory without token ids. */
  readonly view: TrajectoryView | null
  /** All of them, those of its group included, whatever a report lists. */
  readonly findings: readonly Finding[]
  readonly record: RawRecord
}

/** One of many. */
export interface ReadTrajectory extends ExportedTrajectory {
  readonly index: number
}

/** Records that hold chosen trajectories, as their container stores them, with those that lie between. */
export interface StoredRecords {
  /** The chosen trajectories, ascending. */
  readonly indices: readonly number[]
  /** For each of them its record, by its number in `encoded`. */
  readonly at: readonly number[]
  readonly encoded: EncodedRecords
}

/** A finished audit, as far as an export needs one. A session is one. */
export interface ExportOrigin {
  report(): Report
  /** All trajectories, in report order. */
  readonly facts: readonly TrajectoryFacts[]
  /** The groups of the dump, as checks see them. */
  groups(): readonly Pick<GroupView, 'members'>[]
  /** Codes that stand in a trajectory, sorted; those that the policy intends excepted. */
  codesOf(index: number): readonly string[]
  /** Reads one again and audits it. */
  load(index: number): Promise<ExportedTrajectory>
  /** The same of many, ascending, several to a reading. */
  read(indices: readonly number[]): AsyncIterable<ReadTrajectory>
  /** The records alone, as many at once as one reading gives: nothing is audited. */
  stored(indices: readonly number[]): AsyncIterable<StoredRecords>
  /** What the container of a source says of itself; null where it says nothing. */
  metadataOf(source: number): JsonObject | null
}

/** What an export kind is given: `report` is fixed, `indices` are sorted and unique. */
export interface ExportInput {
  readonly origin: ExportOrigin
  readonly report: Report
  readonly indices: readonly number[]
  /** Masks are written as the oracle has them: `origin` gives them so, but for records as they are stored. Null where they stay. */
  readonly repairs: MaskRepairs | null
}

/** Where an export writes; the host decides whether that is memory or a disk. */
export interface ExportSink {
  /** Opens a file. Names are plain base names, unique within one export. */
  open(name: string): Promise<ExportWriter>
}

export interface ExportWriter {
  write(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** One file that an export wrote. */
export interface WrittenFile {
  readonly name: string
  /** Index into the report's sources; null when the file draws from all of them. */
  readonly source: number | null
  /** Records, rows or lines of data, without a header. */
  readonly records: number
  readonly trajectories: number
}

export interface ExportOutcome {
  readonly files: readonly WrittenFile[]
  /** Sentences on what a reader of the files should know, such as neighbours exported with a group record. */
  readonly notes: readonly string[]
}

/** One way to write trajectories. One file, one line in `registry.ts`. */
export interface ExportKind {
  readonly id: ExportId
  readonly title: string
  /** Of the files that `write` is going to open, in that order. */
  names(input: ExportInput): Promise<readonly string[]>
  write(input: ExportInput, sink: ExportSink): Promise<ExportOutcome>
}

/** The chosen indices of each source, in report order. */
export function bySource({ origin, indices }: ExportInput): Map<number, number[]> {
  const sources = new Map<number, number[]>()
  for (const index of indices) {
    const source = origin.facts[index]!.place.source
    const chosen = sources.get(source)
    if (chosen === undefined) sources.set(source, [index])
    else chosen.push(index)
  }
  return sources
}
