import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import type { JsonObject } from '../containers/container.ts'
import type { Report } from '../model/report.ts'
import type { ExportedTrajectory, ExportOrigin, ReadTrajectory, StoredRecords } from './export-kind.ts'

/** So long an export may hold the thread, in milliseconds, before others have their turn. */
const TURN = 24

const READ_ON = 'The run was read on while it was exported; export again.'

/** Who waits for an export: hears how far it is and may stop it. */
export interface ExportAttendance {
  readonly signal?: AbortSignal
  /** Hears the names of all files before the first is opened; nothing is written until it resolves. */
  begin?(names: readonly string[]): Promise<void>
  /** The report with what each source hashes to, which may come later than the rollouts. Absent = the report has it. */
  hashed?(report: Report): Promise<Report>
  /** Rollouts that were read so far, of those that were chosen. */
  tell?(done: number, of: number): void
}

/**
 * An origin that is read for an export. Between two trajectories, or what is read of them at once, the export pauses and can be stopped. Its
 * facts are those of the beginning; where a run that is read on has another rollout at an index since then, a sentence is thrown.
 */
export class AttendedOrigin implements ExportOrigin {
  readonly facts: readonly TrajectoryFacts[]
  private readonly done = new Set<number>()
  private turn = Date.now()

  constructor(
    private readonly origin: ExportOrigin,
    private readonly chosen: number,
    private readonly attendance: ExportAttendance,
  ) {
    this.facts = origin.facts
  }

  report(): Report {
    return this.origin.report()
  }

  groups(): ReturnType<ExportOrigin['groups']> {
    return this.origin.groups()
  }

  codesOf(index: number): readonly string[] {
    this.checkStays(index)
    return this.origin.codesOf(index)
  }

  metadataOf(source: number): JsonObject | null {
    return this.origin.metadataOf(source)
  }

  async load(index: number): Promise<ExportedTrajectory> {
    await this.pause()
    this.checkStays(index)
    const loaded = await this.origin.load(index)
    this.took(index, loaded)
    return loaded
  }

  async *read(indices: readonly number[]): AsyncGenerator<ReadTrajectory, void, undefined> {
    for await (const loaded of this.staying(indices, this.origin.read(indices))) {
      this.took(loaded.index, loaded)
      yield loaded
      await this.pause()
    }
  }

  async *stored(indices: readonly number[]): AsyncGenerator<StoredRecords, void, undefined> {
    for await (const records of this.staying(indices, this.origin.stored(indices))) {
      for (const index of records.indices) {
        this.checkStays(index)
        this.done.add(index)
      }
      yield records
      await this.pause()
    }
  }

  /** Where reading fails because of another rollout at an index, it says so. */
  private async *staying<Read>(indices: readonly number[], reading: AsyncIterable<Read>): AsyncGenerator<Read> {
    await this.pause()
    for (const index of indices) this.checkStays(index)
    try {
      yield* reading
    } catch (error) {
      for (const index of indices) this.checkStays(index)
      throw error
    }
  }

  /** Its findings were looked up after it was read. */
  private took(index: number, { trajectory }: ExportedTrajectory): void {
    this.checkStays(index)
    if (trajectory.recordHash !== this.facts[index]?.recordHash) throw new Error(READ_ON)
    this.done.add(index)
  }

  private checkStays(index: number): void {
    const [before, now] = [this.facts[index], this.origin.facts[index]]
    if (before === now) return
    if (before === undefined || now === undefined || !isSame(before, now)) throw new Error(READ_ON)
  }

  /** Lets others have their turn where it is due. Throws the signal's reason. */
  async pause(): Promise<void> {
    const { signal, tell } = this.attendance
    signal?.throwIfAborted()
    if (Date.now() - this.turn < TURN) return
    tell?.(this.done.size, this.chosen)
    await new Promise((resolve) => setTimeout(resolve, 0))
    this.turn = Date.now()
    signal?.throwIfAborted()
  }
}

function isSame(one: TrajectoryFacts, other: TrajectoryFacts): boolean {
  const [a, b] = [one.place, other.place]
  return a.source === b.source && a.record === b.record && a.part === b.part && one.recordHash === other.recordHash
}
