import type { ParsedRecords } from '../containers/container.ts'
import type { RecordIssue, Trajectory } from '../model/trajectory.ts'
import type { Format, ReadContext, ReadResult } from './format.ts'

/** A format with all that it needs to read the records of one source. */
export interface SourceReader {
  readonly format: Format
  readonly context: ReadContext
}

export interface JoinedResult extends ReadResult {
  /** Trajectories of these records that are told with those of another source. */
  readonly told: readonly Trajectory[]
}

/**
 * Reads the records of a source, and adds to their trajectories what the records beside them hold of the same rollouts. `readerOf` gives
 * the format of another source by its number.
 */
export function readJoined(
  { records, joined }: ParsedRecords,
  { format, context }: SourceReader,
  readerOf: (source: number) => SourceReader,
): JoinedResult {
  const read = format.read(records, context)
  if (joined === undefined) return { ...read, told: [] }
  const isTold = ({ place }: Trajectory) => joined.told.get(place.record)?.includes(place.part) ?? false
  const added = new Map<string, Trajectory[]>()
  for (const { source, records: others } of joined.beside) {
    const reader = readerOf(source)
    for (const trajectory of reader.format.read(others, reader.context).trajectories) {
      const key = reader.format.join?.key(trajectory) ?? null
      if (key === null) continue
      const same = added.get(key)
      if (same === undefined) added.set(key, [trajectory])
      else same.push(trajectory)
    }
  }
  const whole = (trajectory: Trajectory) => {
    const key = format.join?.key(trajectory) ?? null
    const found = key === null ? [] : (added.get(key) ?? [])
    return found.filter((other) => haveSameIds(trajectory, other)).reduce(joinTrajectories, trajectory)
  }
  return {
    ...read,
    trajectories: read.trajectories.filter((trajectory) => !isTold(trajectory)).map(whole),
    told: read.trajectories.filter(isTold),
  }
}

/**
 * One rollout from what two files hold of it: everything of the first, and what only the second has. The mask is that of the second,
 * which the loss used, unless the first excludes the row altogether; where the two differ that is an issue.
 */
export function joinTrajectories(base: Trajectory, added: Trajectory): Trajectory {
  const masked = !base.excluded && added.mask !== null
  const present = Object.entries(base).filter(([, value]) => value !== null)
  return {
    ...added,
    ...Object.fromEntries(present),
    ...(masked ? { mask: added.mask, weights: added.weights } : {}),
    logprobs: {
      sampler: base.logprobs.sampler ?? added.logprobs.sampler,
      trainer: base.logprobs.trainer ?? added.logprobs.trainer,
      reference: base.logprobs.reference ?? added.logprobs.reference,
    },
    excluded: base.excluded || added.excluded,
    arrays: [...base.arrays, ...added.arrays],
    issues: [...base.issues, ...added.issues, ...(masked ? maskIssues(base, added) : [])],
    meta: { ...added.meta, ...base.meta },
  } as Trajectory
}

export function haveSameIds({ ids }: Trajectory, other: Trajectory): boolean {
  if (ids === null || other.ids === null || ids.length !== other.ids.length) return false
  for (let i = 0; i < ids.length; i++) if (ids[i] !== other.ids[i]) return false
  return true
}

function maskIssues({ mask }: Trajectory, added: Trajectory): RecordIssue[] {
  if (mask === null || added.mask === null) return []
  let different = 0
  let first = -1
  for (let i = 0; i < mask.length; i++) {
    if (mask[i] === added.mask[i]) continue
    if (different++ === 0) first = i
  }
  if (different === 0) return []
  const tokens = different === 1 ? '1 token' : `${different} tokens`
  return [
    {
      code: 'trained-mask-differs',
      field: 'mask',
      message: `the mask of the rollout and the one that was trained with disagree on ${tokens}, the first is ${first}; the latter is read`,
    },
  ]
}
