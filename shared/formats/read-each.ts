import type { JsonObject, RawRecord } from '../containers/container.ts'
import type { Place, SkippedRecord } from '../model/source.ts'
import { emptyTrajectory, type Trajectory } from '../model/trajectory.ts'
import { BadRecord } from './fields.ts'
import type { ReadContext, ReadResult } from './format.ts'

/** What a format makes of one record. */
export interface OneRecord {
  readonly object: JsonObject
  /** A trajectory of this record with every stream absent. */
  blank(part: number): Trajectory
  /** Names of fields that the format does not know. */
  drift(fields: readonly string[]): void
}

/** Reads records one by one; one that throws `BadRecord` is skipped. */
export function readEach(
  records: readonly RawRecord[],
  context: ReadContext,
  read: (record: OneRecord) => Trajectory[],
): ReadResult {
  const trajectories: Trajectory[] = []
  const skipped: SkippedRecord[] = []
  const unknownFields = new Map<string, number>()
  for (const { record, line, byte, hash, value } of records) {
    const drift = new Set<string>()
    try {
      const one: OneRecord = {
        object: value as JsonObject,
        blank: (part) => emptyTrajectory({ source: context.source, record, part } satisfies Place, hash),
        drift: (fields) => {
          for (const field of fields) drift.add(field)
        },
      }
      for (const trajectory of read(one)) trajectories.push(trajectory)
    } catch (error) {
      if (!(error instanceof BadRecord)) throw error
      skipped.push({ record, line, byte, code: error.code, message: error.message })
      continue
    }
    for (const field of drift) unknownFields.set(field, (unknownFields.get(field) ?? 0) + 1)
  }
  return { trajectories, skipped, unknownFields }
}
