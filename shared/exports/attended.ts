import type { TrajectoryFacts } from '../checks/facts.ts'
import type { JsonObject } from '../containers/container.ts'
import type { Report } from '../model/report.ts'
import type { ExportedTrajectory, ExportOrigin } from './export-kind.ts'

/** So long an export may hold the thread, in milliseconds, before others have their turn. */
const TURN = 24

const READ_ON = 'The run was read on while it was exported; export again.'

/** Who waits for an export: hears how far it is and may stop it. */
export interface ExportAttendance {
  readonly signal?: AbortSignal
  /** Rollouts that were read so far, of those that were chosen. */
  tell?(done: number, of: number): void
}

/**
 * An origin that is read for an export. Every trajectory is read again, one at a time: there the export pauses and can be stopped. Its
 * facts are those of the beginning; where a run that is read on has another rollout at an index since then, a sentence is thrown.
 */
export class AttendedOrigin implements ExportOrigin {
  readonly facts: readonly TrajectoryFacts[]
  private readonly read = new Set<number>()
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
    // Its findings were looked up after it was read.
    this.checkStays(index)
    if (loaded.trajectory.recordHash !== this.facts[index]?.recordHash) throw new Error(READ_ON)
    this.read.add(index)
    return loaded
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
    tell?.(this.read.size, this.chosen)
    await new Promise((resolve) => setTimeout(resolve, 0))
    this.turn = Date.now()
    signal?.throwIfAborted()
  }
}

function isSame(one: TrajectoryFacts, other: TrajectoryFacts): boolean {
  const [a, b] = [one.place, other.place]
  return a.source === b.source && a.record === b.record && a.part === b.part && one.recordHash === other.recordHash
}
