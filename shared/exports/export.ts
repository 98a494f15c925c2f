import type { TrajectoryView } from '../checks/check.ts'
import type { TrajectoryFacts } from '../checks/facts.ts'
import type { Finding, Report } from '../model/report.ts'
import type { Trajectory } from '../model/trajectory.ts'

export type ExportId = 'source' | 'native' | 'csv'

/** A trajectory as read again for an export, with the bytes of the record that holds it (decompressed, no line end). */
export interface LoadedTrajectory {
  readonly trajectory: Trajectory
  readonly formatId: string
  readonly sourceIndex: number
  readonly recordBytes: Uint8Array
  /** Null for a trajectory without token ids. */
  readonly view: TrajectoryView | null
}

/** What an export draws from: a finished audit, and the trajectories chosen from it. */
export interface ExportInput {
  readonly report: Report
  /** All trajectories, in report order. */
  readonly facts: readonly TrajectoryFacts[]
  findingsOf(index: number): readonly Finding[]
  load(index: number): Promise<LoadedTrajectory>
  /** Indices of the chosen trajectories into `facts`; any order, repeats are ignored. */
  readonly indices: readonly number[]
  /** The question that chose them, for the manifest: `has a finding of severity error`. */
  readonly why: string
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
  /** `input.indices` are sorted and unique. */
  write(input: ExportInput, sink: ExportSink): Promise<ExportOutcome>
}
