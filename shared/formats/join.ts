import type { JoinedRecords, JsonObject, ParsedRecords, RawRecord } from '../containers/container.ts'
import type { Place } from '../model/source.ts'
import type { RecordIssue, Trajectory } from '../model/trajectory.ts'
import { isObject } from './fields.ts'
import type { Format, FormatJoin, ReadContext, ReadResult } from './format.ts'
import { onTokensOf, ownIds } from './join-padding.ts'
import { withRun } from './run-metadata/run-facts.ts'

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
  if (joined === undefined) return { ...readInRun(format, records, context), told: [] }
  const added = addedBy(joined, readerOf)
  const about = added.records.size === 0 ? null : added.records
  const read = readInRun(format, records, { ...context, joined: about })
  const isTold = ({ place }: Trajectory) => joined.told.get(place.record)?.includes(place.part) ?? false
  const whole = (trajectory: Trajectory) =>
    (joined.pairs.get(trajectory.place.record) ?? [])
      .filter(({ part }) => part === trajectory.place.part)
      .flatMap(({ other }) => added.rollouts.get(placeKey(other)) ?? [])
      .filter((other) => areSame(trajectory, other))
      .map((other) => onTokensOf(trajectory, other))
      .reduce<Trajectory[]>(([known], other) => [known === undefined ? other : withShare(known, other)], [])
      .reduce(joinTrajectories, trajectory)
  return {
    ...read,
    trajectories: read.trajectories.filter((trajectory) => !isTold(trajectory)).map(whole),
    told: read.trajectories.filter(isTold),
  }
}

function readInRun(format: Format, records: readonly RawRecord[], context: ReadContext): ReadResult {
  const read = format.read(records, context)
  const { run } = context
  return run === undefined ? read : { ...read, trajectories: read.trajectories.map((each) => withRun(each, run)) }
}

interface Added {
  readonly rollouts: ReadonlyMap<string, Trajectory>
  readonly records: ReadonlyMap<string, readonly JsonObject[]>
}

function addedBy({ beside }: JoinedRecords, readerOf: (source: number) => SourceReader): Added {
  const rollouts = new Map<string, Trajectory>()
  const records = new Map<string, JsonObject[]>()
  for (const { source, by, records: others } of beside) {
    const { format, context } = readerOf(source)
    const join = format.joins?.find((each) => joinName(each) === by)
    if (join?.kind === 'rollouts') {
      for (const trajectory of format.read(others, context).trajectories) {
        rollouts.set(placeKey(trajectory.place), trajectory)
      }
    } else if (join !== undefined) {
      for (const { value } of others) {
        if (!isObject(value)) continue
        for (const key of join.keys(value)) pushTo(records, key, value)
      }
    }
  }
  return { rollouts, records }
}

/** The same for all formats whose files are joined with each other. */
export function joinName({ kind, on }: FormatJoin): string {
  return `${kind} by ${on}`
}

function placeKey({ source, record, part }: Place): string {
  return `${source} ${record} ${part}`
}

export function pushTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
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
    noneDue: {
      trainer: (base.logprobs.trainer === null ? added : base).noneDue.trainer,
      advantages: (base.advantages === null ? added : base).noneDue.advantages,
    },
    excluded: base.excluded || added.excluded,
    arrays: [...base.arrays, ...added.arrays],
    issues: [...base.issues, ...added.issues, ...(masked ? maskIssues(base, added) : [])],
    meta: { ...added.meta, ...base.meta },
  } as Trajectory
}

/** What several files add together: ranks that share a context each know some of its tokens. */
function withShare(known: Trajectory, other: Trajectory): Trajectory {
  const joined = joinTrajectories(known, other)
  const both = (of: (trajectory: Trajectory) => Float32Array | null) => filled(of(known), of(other))
  return {
    ...joined,
    logprobs: {
      sampler: both(({ logprobs }) => logprobs.sampler),
      trainer: both(({ logprobs }) => logprobs.trainer),
      reference: both(({ logprobs }) => logprobs.reference),
    },
    entropy: both(({ entropy }) => entropy),
    kl: both(({ kl }) => kl),
    advantages: both(({ advantages }) => advantages),
  }
}

function filled(values: Float32Array | null, by: Float32Array | null): Float32Array | null {
  if (values === null || by === null) return values ?? by
  return values.map((value, i) => (Number.isNaN(value) ? (by[i] as number) : value))
}

/** Of two that were one rollout when their files were joined, whether they still are. */
function areSame(one: Trajectory, other: Trajectory): boolean {
  const [ids, others] = [ownIds(one), ownIds(other)]
  if (ids === null || others === null || ids.length !== others.length) return false
  if (one.step !== null && other.step !== null && one.step !== other.step) return false
  return ids.every((id, i) => id === others[i])
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
