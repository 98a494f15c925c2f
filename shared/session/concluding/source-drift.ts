import { isAboutArrays } from '../../checks/layout/unfit-arrays.ts'
import type { ReadResult } from '../../formats/format.ts'
import type { RecordIssue } from '../../model/trajectory.ts'

/** What of records is not as their format has it, in words, with how many records it stands in. */
export type Drift = readonly (readonly [what: string, records: number])[]

/** Fields that the format does not know, and values that are not what their field holds, but for arrays over tokens. */
export function driftOf(read: DriftingRecords): Drift {
  const drift = new DriftOfBatch()
  drift.add(read)
  return drift.counted()
}

/** As `driftOf`, of records that are read in portions. */
export class DriftOfBatch {
  private readonly unknown = new Map<string, number>()
  private readonly records = new Map<string, Set<number>>()

  add({ unknownFields, trajectories }: DriftingRecords): void {
    for (const [field, count] of unknownFields) this.unknown.set(field, (this.unknown.get(field) ?? 0) + count)
    for (const { issues, place } of trajectories) {
      for (const issue of issues) {
        if (!isDrift(issue)) continue
        const { message } = issue
        const known = this.records.get(message)
        if (known === undefined) this.records.set(message, new Set([place.record]))
        else known.add(place.record)
      }
    }
  }

  counted(): Drift {
    return [
      ...[...this.unknown].map(([field, count]) => [`unknown field \`${field}\``, count] as const),
      ...[...this.records].map(([message, { size }]) => [message, size] as const),
    ]
  }
}

function isDrift(issue: RecordIssue): boolean {
  return issue.code === 'bad-value' || (issue.code === 'bad-type' && !isAboutArrays(issue))
}

type DriftingRecords = Pick<ReadResult, 'unknownFields' | 'trajectories'>
