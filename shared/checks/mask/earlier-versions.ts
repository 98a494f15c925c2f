import { NO_INTEGER } from '../../formats/sequence.ts'
import { count } from '../../model/number-text.ts'
import type { Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { sampledSpan } from '../oracles/edges.ts'

/**
 * The policy versions that sampled a rollout, where all of these masked turns come before its first trained token and nothing says that they are of the
 * version that is trained: a trainer that resumes rollouts may leave out what an earlier version wrote. Null where nothing says so.
 */
export function versionsBesideMasked(view: TrajectoryView, masked: readonly Turn[]): readonly string[] | null {
  const last = masked.at(-1)
  const first = view.mask?.indexOf(1) ?? -1
  if (last === undefined || first < sampledSpan(last).end) return null
  const versions = versionsByToken(view, masked) ?? versionsByCall(view)
  return versions === null || versions.length === 0 ? null : versions
}

/** As versions of tokens say it; null where they say nothing of the masked turns, empty where these are no older. */
function versionsByToken({ trajectory, mask }: TrajectoryView, masked: readonly Turn[]): string[] | null {
  const { versions } = trajectory
  if (versions === null) return null
  let [oldest, newestMasked] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = versions.length - 1; i >= 0 && mask !== null; i--) {
    const version = versions[i] as number
    if (mask[i] === 1 && version !== NO_INTEGER && version < oldest) oldest = version
  }
  const earlier = new Set<number>()
  for (const { contentStart, contentEnd } of masked) {
    for (let i = contentStart; i < contentEnd; i++) earlier.add(versions[i] as number)
  }
  earlier.delete(NO_INTEGER)
  if (earlier.size === 0 || !Number.isFinite(oldest)) return null
  for (const version of earlier) newestMasked = Math.max(newestMasked, version)
  return newestMasked < oldest ? [...earlier, oldest].map(String) : []
}

/** As slime lists them, one for each call to its engine, without a word of which tokens it wrote; null where there are not several. */
function versionsByCall({ trajectory: { meta } }: TrajectoryView): string[] | null {
  const listed = meta.weight_versions
  if (!Array.isArray(listed) && !ArrayBuffer.isView(listed)) return null
  const names = Array.from(listed as ArrayLike<unknown>).filter(
    (each) => typeof each === 'string' || typeof each === 'number',
  )
  const versions = [...new Set(names.map(String))]
  return versions.length < 2 ? null : versions
}

/** Versions that a message names, and characters of each: a record may list any number of any length. */
const MOST_NAMED = 4
const LONGEST_NAME = 24

export function versionsText(versions: readonly string[]): string {
  const named = versions.slice(0, MOST_NAMED).map((version) => version.slice(0, LONGEST_NAME))
  const rest = versions.length - named.length
  return `${named.join(', ')}${rest > 0 ? ` and ${count(rest)} more` : ''}`
}
