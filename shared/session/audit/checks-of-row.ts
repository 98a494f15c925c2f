import type { Check } from '../../checks/check.ts'
import type { Stream } from '../../model/streams.ts'

/** Streams that belong to the dump as a whole: a single trajectory without them can still be looked at. */
const DUMP_STREAMS: ReadonlySet<Stream> = new Set<Stream>(['group', 'limits', 'step'])

/**
 * Whether a check is put to a trajectory: it carries what the check needs.
 *
 * @param carried streams as the dump has them
 * @param hasMask there is a mask that fits the ids: as carried, or as the sampled tokens that stand for one
 */
export function isPutTo(
  { needs, trajectory, ofLengths }: Pick<Check, 'needs' | 'trajectory' | 'ofLengths'>,
  carried: ReadonlySet<Stream>,
  hasMask: boolean,
): boolean {
  if (trajectory === undefined) return false
  return needs.every((stream) =>
    stream === 'mask'
      ? hasMask || (ofLengths === true && carried.has(stream))
      : carried.has(stream) || DUMP_STREAMS.has(stream),
  )
}
