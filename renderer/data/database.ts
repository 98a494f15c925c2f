import Dexie, { type EntityTable, type Table } from 'dexie'
import type { FieldMapping } from '../../shared/formats/mapping.ts'

/** A person's mark on a rollout. It hangs on the record's content, so it is found again wherever the file lies. */
export interface Flag {
  readonly recordHash: string
  readonly part: number
  /** The dump it was made in and the rollout's own id there, for people. */
  readonly dumpHash: string
  readonly trajectory: string
  /** ISO 8601. */
  readonly flaggedAt: string
}

/** What was opened in a browser, for people to find it again: a browser does not let a page open a file by itself. */
export interface RecentOpen {
  readonly dumpHash: string
  readonly names: readonly string[]
  /** Bytes of all files together. */
  readonly size: number
  readonly openedAt: string
}

/** Where a person said that the fields of records stand. */
export interface KeptMapping {
  /** The keys at the top of the records, sorted. */
  readonly shape: string
  readonly map: FieldMapping
  /** ISO 8601. */
  readonly mappedAt: string
}

/**
 * What people make, kept per origin. Nothing that was parsed is kept here. A later version may add tables and indices;
 * it must never drop rows of these.
 */
export class InspectorDatabase extends Dexie {
  declare readonly flags: Table<Flag, [string, number]>
  declare readonly recent: EntityTable<RecentOpen, 'dumpHash'>
  declare readonly mappings: EntityTable<KeptMapping, 'shape'>

  constructor(name = 'rollout-inspector') {
    super(name)
    this.version(1).stores({ flags: '[recordHash+part], dumpHash', recent: 'dumpHash, openedAt' })
    this.version(2).stores({ mappings: 'shape' })
  }
}

export const database = new InspectorDatabase()
