import type { TrajectoryFacts } from '../facts/facts.ts'

/**
 * The groups that share one key in one step because a run that was resumed did the step again: each of the declared size, of rows that stand beside
 * each other, with one prompt and advantages that sum to 0 within it. A key that two groups were normalised under has none that do. Null where it is one group.
 */
export function againInStep(members: readonly TrajectoryFacts[], size: number): TrajectoryFacts[][] | null {
  if (members.length <= size || members.length % size !== 0) return null
  const runs: TrajectoryFacts[][] = []
  let last: TrajectoryFacts | null = null
  for (const row of members) {
    if (row.promptHash === null || row.promptHash !== members[0]?.promptHash || row.advantage === null) return null
    if (last === null || row.place.record !== last.place.record + 1) runs.push([])
    runs.at(-1)?.push(row)
    last = row
  }
  return runs.length > 1 && runs.every((run) => run.length === size && isZeroAsStored(run)) ? runs : null
}

/** Advantages of about 1 that are stored to five digits or so. */
const ROUNDING = 1e-3

/** Their sum is 0 but for the digits that are stored. */
function isZeroAsStored(run: readonly TrajectoryFacts[]): boolean {
  let [sum, largest] = [0, 0]
  for (const { advantage } of run) {
    sum += advantage as number
    largest = Math.max(largest, Math.abs(advantage as number))
  }
  return Math.abs(sum) <= ROUNDING * run.length * largest
}
