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

/** One label of a rollout; a row each, so that two windows never overwrite each other's. */
export interface Label {
  readonly recordHash: string
  readonly part: number
  readonly label: string
  readonly dumpHash: string
  readonly trajectory: string
  readonly labelledAt: string
}

/** What a person wrote about a rollout, or about a span of its tokens. */
export interface Note {
  readonly id: string
  readonly recordHash: string
  readonly part: number
  readonly dumpHash: string
  readonly trajectory: string
  /** Half-open, in stored ids; null = the whole rollout. */
  readonly tokens: readonly [number, number] | null
  readonly text: string
  readonly writtenAt: string
}

/** A way to look at the table, under a name. */
export interface SavedView {
  readonly name: string
  readonly query: string
  /** Keys of columns, in order. */
  readonly columns: readonly string[]
  readonly sort: string
  readonly descending: boolean
  readonly savedAt: string
}

/** A query that was asked before. */
export interface AskedQuery {
  readonly text: string
  readonly askedAt: string
}

/** What a person set once for all dumps, such as the columns of the table. */
export interface Preference {
  readonly name: string
  readonly value: unknown
}

/** A file as it was when its dump was open. */
export interface FileThen {
  readonly name: string
  /** Bytes. */
  readonly size: number
}

/** What was opened in a browser, for people to find it again: a browser does not let a page open a file by itself. */
export interface RecentOpen {
  /** As `recentKey` gives it. */
  readonly key: string
  /** Newest first: a run that is still written has another hash each time. */
  readonly dumpHashes: readonly string[]
  readonly names: readonly string[]
  /** Bytes of all files together. */
  readonly size: number
  /** Each file as it was under the newest hash; absent where an older version kept the entry. */
  readonly files?: readonly FileThen[]
  readonly openedAt: string
  /**
   * Set where the files were those of a folder that the host of the page served: which one, and `folder` where they were
   * all of a folder in it. Entries of earlier versions have no key.
   */
  readonly served?: { readonly folder: string | null; readonly key?: string }
}

/** One for the same files of the same served folder; of others their names and their content are all that tells. */
export function recentKey({ dumpHashes, names, served }: Omit<RecentOpen, 'key'>): string {
  return JSON.stringify([served?.key ?? dumpHashes[0], ...names])
}

/** Where a person was in a dump when it was left. */
export interface LastPlace {
  readonly dumpHash: string
  /** As it stands behind the `#` of the page's address. */
  readonly address: string
  /** The run it was compared with, by its files; null where there was none, absent where an older version kept the place. */
  readonly beside?: string | null
  /** What the dump was made of, by which it is known again when it has grown; absent where an older version kept the place. */
  readonly files?: readonly FileThen[]
  /** ISO 8601. */
  readonly leftAt: string
}

/** Where a person said that the fields of records stand. */
export interface KeptMapping {
  /** The keys at the top of the records, sorted. */
  readonly shape: string
  readonly map: FieldMapping
  /** ISO 8601. */
  readonly mappedAt: string
}

/** The notebook: one row, the same for every window. */
export interface KeptNotebook {
  readonly id: string
  /** Checked when it is read (`shared/notebook/model.ts`): another version may have written it. */
  readonly notebook: unknown
  /** One more with every write, by which a window knows what it has seen. */
  readonly revision: number
  /** ISO 8601. */
  readonly savedAt: string
  /** Names of the last changes that are in it; absent where an older version wrote it. */
  readonly took?: readonly string[]
}

/** Tells a database in which nothing is kept yet, or any more, from one that the browser has emptied. */
export interface Made {
  readonly name: 'made'
  /** ISO 8601. */
  readonly at: string
}

/**
 * What people make, kept per origin. Nothing that was parsed is kept here. A later version may add tables and indices;
 * it must never drop rows of these.
 */
export class InspectorDatabase extends Dexie {
  declare readonly flags: Table<Flag, [string, number]>
  declare readonly opens: EntityTable<RecentOpen, 'key'>
  declare readonly lastPlaces: EntityTable<LastPlace, 'dumpHash'>
  declare readonly mappings: EntityTable<KeptMapping, 'shape'>
  declare readonly labels: Table<Label, [string, number, string]>
  declare readonly notes: EntityTable<Note, 'id'>
  declare readonly views: EntityTable<SavedView, 'name'>
  declare readonly queries: EntityTable<AskedQuery, 'text'>
  declare readonly preferences: EntityTable<Preference, 'name'>
  declare readonly notebooks: EntityTable<KeptNotebook, 'id'>
  declare readonly made: EntityTable<Made, 'name'>
  /** Resolves once what was written is in the second copy as well; soon in any case, and at once where none is kept. */
  copied: () => Promise<void> = () => Promise.resolve()

  /** @param factory where it is kept; the page's own place without one */
  constructor(name = 'rollout-inspector', factory?: IDBFactory) {
    // What was said to be kept outlives a machine that loses its power, and not only a browser that falls over.
    super(name, {
      chromeTransactionDurability: 'strict',
      ...(factory === undefined ? {} : { indexedDB: factory, IDBKeyRange }),
    })
    this.version(1).stores({ flags: '[recordHash+part], dumpHash', recent: 'dumpHash, openedAt' })
    this.version(2).stores({ mappings: 'shape' })
    this.version(3).stores({
      labels: '[recordHash+part+label], dumpHash',
      notes: 'id, [recordHash+part], dumpHash',
      views: 'name',
      queries: 'text, askedAt',
      preferences: 'name',
    })
    this.version(4).stores({ notebooks: 'id' })
    this.version(5).stores({ lastPlaces: 'dumpHash, leftAt' })
    // Runs only where there was a database: one that is made anew may have been emptied.
    this.version(6)
      .stores({ made: 'name' })
      .upgrade((change) => change.table('made').put(madeNow()))
    // What was kept by its hash alone gave two files of equal bytes one entry.
    this.version(7)
      .stores({ recent: null, opens: 'key, openedAt' })
      .upgrade(async (change) => {
        const kept: (Omit<RecentOpen, 'key' | 'dumpHashes'> & { readonly dumpHash: string })[] = await change
          .table('recent')
          .toArray()
        for (const { dumpHash, ...rest } of kept) {
          const entry = { ...rest, dumpHashes: [dumpHash] }
          await change.table('opens').put({ ...entry, key: recentKey(entry) })
        }
      })
  }
}

export function madeNow(): Made {
  return { name: 'made', at: new Date().toISOString() }
}

export const database = new InspectorDatabase()

let asked = false

/** Asks the browser, once something of a person's is kept, never to throw it away for want of room. It may say no, and is not asked again. */
export function askToKeep(): void {
  if (asked) return
  asked = true
  // Missing on pages that a server on the local network sends, and where there are no windows.
  void globalThis.navigator?.storage?.persist?.().catch(() => undefined)
}
