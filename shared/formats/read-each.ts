import type { JsonObject, JsonValue, RawRecord } from '../containers/container.ts'
import type { Place, SkippedRecord } from '../model/source.ts'
import { emptyTrajectory, type Trajectory } from '../model/trajectory.ts'
import { BadRecord, isObject } from './fields.ts'
import type { ReadContext, ReadResult } from './format.ts'

/** What a format makes of one record. */
export interface OneRecord {
  readonly object: JsonObject
  /** A trajectory of this record with every stream absent. */
  blank(part: number): Trajectory
  /** Names of fields that the format does not know. */
  drift(fields: readonly string[]): void
}

/** Names under which records have the key of their group. */
const GROUPS = ['group_id', 'group_index', 'uid'] as const

function groupNamedIn(value: JsonValue): string | null {
  if (!isObject(value)) return null
  const found = GROUPS.map((name) => value[name]).find((key) => typeof key === 'string' || typeof key === 'number')
  return found === undefined ? null : String(found)
}

/** Reads records one by one; one that throws `BadRecord` is skipped. */
export function readEach(
  records: readonly RawRecord[],
  context: ReadContext,
  read: (record: OneRecord) => Trajectory[],
): ReadResult {
  const trajectories: Trajectory[] = []
  const skipped: SkippedRecord[] = []
  const unknownFields = new Map<string, { records: number; readonly first: number; without: number | null }>()
  // Those that every record had so far: records with a field each of their own leave none to look through.
  const inAll = new Set<string>()
  let firstRead: number | null = null
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
      const group = groupNamedIn(value)
      const named = group === null ? {} : { group }
      skipped.push({ record, line, byte, code: error.code, message: error.message, ...named })
      continue
    }
    for (const field of drift) {
      const known = unknownFields.get(field)
      if (known === undefined) {
        unknownFields.set(field, { records: 1, first: record, without: firstRead })
        if (firstRead === null) inAll.add(field)
      } else known.records++
    }
    for (const field of inAll) {
      if (drift.has(field)) continue
      const known = unknownFields.get(field)
      if (known !== undefined) known.without = record
      inAll.delete(field)
    }
    firstRead ??= record
  }
  return { trajectories, skipped, unknownFields }
}
