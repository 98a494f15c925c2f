import { LIMIT_NAMES, type LimitName } from '../../model/streams.ts'
import type { Trajectory } from '../../model/trajectory.ts'

/** What the files beside a dump say of its run. */
export interface RunFacts {
  readonly model: string | null
  readonly groupSize: number | null
  readonly limits: Partial<Record<LimitName, number>>
}

/** What holds for the rollouts of one source where their records do not tell. */
export interface SourceRun extends RunFacts {
  /** Told by the name of the file or a folder above it. */
  readonly step: number | null
}

export const NO_RUN: SourceRun = { model: null, groupSize: null, limits: {}, step: null }

/** A rollout with what its record left open; what the record says stands. */
export function withRun(trajectory: Trajectory, run: SourceRun): Trajectory {
  const { model, groupSize, limits, step } = run
  const told = trajectory.limits ?? {}
  const added = LIMIT_NAMES.filter((name) => limits[name] !== undefined && (told[name] ?? null) === null)
  return {
    ...trajectory,
    step: trajectory.step ?? step,
    model: trajectory.model ?? model,
    // A size alone makes no group.
    groupSize: trajectory.groupSize ?? groupSize,
    limits:
      added.length === 0
        ? trajectory.limits
        : { ...told, ...Object.fromEntries(added.map((name) => [name, limits[name]])) },
  }
}
