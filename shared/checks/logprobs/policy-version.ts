import type { TrajectoryView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

/** The mean policy version of the trained tokens that name one; a negative version stands on what was not sampled. */
export function versionFact({ mask, trajectory }: TrajectoryView): Pick<TrajectoryFacts, 'version'> | null {
  const { versions } = trajectory
  if (versions === null || mask === null) return null
  let [sum, count] = [0, 0]
  for (let i = 0; i < versions.length; i++) {
    const version = versions[i] as number
    if (mask[i] !== 1 || version < 0) continue
    sum += version
    count++
  }
  return count === 0 ? null : { version: sum / count }
}
