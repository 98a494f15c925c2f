import type { TrajectoryFacts } from '../checks/facts.ts'
import type { JsonObject } from '../containers/container.ts'
import type { Report } from '../model/report.ts'
import type { ExportedTrajectory, ExportOrigin } from './export-kind.ts'

/** So long an export may hold the thread, in milliseconds, before others have their turn. */
const TURN = 24

/** Who waits for an export: hears how far it is and may stop it. */
export interface ExportAttendance {
  readonly signal?: AbortSignal
  /** Rollouts that were read so far, of those that were chosen. */
  tell?(done: number, of: number): void
}

/** An origin that is read for an export. Every trajectory is read again, one at a time: there the export pauses and can be stopped. */
export class AttendedOrigin implements ExportOrigin {
  private readonly read = new Set<number>()
  private turn = Date.now()

  constructor(
    private readonly origin: ExportOrigin,
    private readonly chosen: number,
    private readonly attendance: ExportAttendance,
  ) {}

  get facts(): readonly TrajectoryFacts[] {
    return this.origin.facts
  }

  report(): Report {
    return this.origin.report()
  }

  codesOf(index: number): readonly string[] {
    return this.origin.codesOf(index)
  }

  metadataOf(source: number): JsonObject | null {
    return this.origin.metadataOf(source)
  }

  async load(index: number): Promise<ExportedTrajectory> {
    await this.pause()
    const loaded = await this.origin.load(index)
    this.read.add(index)
    return loaded
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
