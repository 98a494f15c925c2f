import Dexie, { type EntityTable, type Table } from 'dexie'

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

/**
 * What people make, kept per origin. Nothing that was parsed is kept here. A later version may add tables and indices;
 * it must never drop rows of these.
 */
export class InspectorDatabase extends Dexie {
  declare readonly flags: Table<Flag, [string, number]>
  declare readonly recent: EntityTable<RecentOpen, 'dumpHash'>

  constructor(name = 'rollout-inspector') {
    super(name)
    this.version(1).stores({ flags: '[recordHash+part], dumpHash', recent: 'dumpHash, openedAt' })
  }
}

export const database = new InspectorDatabase()
