import Dexie, { type Collection, type IntervalTree, mergeRanges, RangeSet, type Table } from 'dexie'
import { InspectorDatabase, madeNow } from './database.ts'

/** The tables of what people made; without the others nothing is lost. */
const COPIED = ['flags', 'labels', 'notes', 'views', 'mappings', 'preferences', 'notebooks']
/** Milliseconds after a start at which everything is copied once: what the page shows first comes before it. */
const PAUSE = 200
/** Milliseconds after which what the copy did not take is tried again. */
const AGAIN = 2000
/** Milliseconds for which whoever says that something is kept waits for its copy. */
const LONGEST_COPYING = 1000
/** Milliseconds that reading the copy may take: everything that is kept waits for it. */
const LONGEST_READING = 5000

/** The rows of each of `COPIED`. */
type Rows = readonly (readonly unknown[])[]

export interface SecondCopy {
  /** Copies what changed at once; resolves when that is done or could not be. */
  flush(): Promise<void>
  end(): void
}

export interface SecondCopyHooks {
  /** What people made was missing and is back. */
  onRestored(): void
  /** What people made may be missing: the copy that would tell cannot be read. */
  onUnreadable(error: unknown): void
}

/**
 * Keeps a second copy of what people made. Chromium empties an origin's IndexedDB when it finds its files damaged, and a browser that is
 * killed twice can damage them: a record that the first kill tore is written on to, and its checksum no longer fits (LevelDB's
 * `reuse_logs`). An emptied database is filled again from its copy before anyone reads it. A copy that could not be read is not written
 * either, until it can be. Every change is copied at once: who asks `of.copied()` before saying that something is kept has it twice.
 *
 * @param openCopy gives a database whose files are not those of the first; null where there is no place for one
 * @param longest how long reading the copy may take, in milliseconds
 */
export function keepSecondCopy(
  of: InspectorDatabase,
  openCopy: () => Promise<InspectorDatabase | null>,
  { onRestored, onUnreadable }: SecondCopyHooks,
  longest = LONGEST_READING,
): SecondCopy {
  /** By table, keys whose rows the copy may have otherwise. */
  let changed = new Map<string, RangeSet>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let opening: Promise<InspectorDatabase | null> | null = null
  let copying = Promise.resolve()
  let isDue = false
  let isEnded = false
  /** It may hold what the first one does not. */
  let isUnread = false

  const theCopy = () => {
    opening ??= openCopy().catch((error: unknown) => {
      opening = null
      throw error
    })
    return opening
  }
  const flush = () => {
    clearTimeout(timer)
    if (!isDue) {
      isDue = true
      copying = copying.then(copyChanged)
    }
    return copying
  }
  const copyChanged = async () => {
    isDue = false
    const due = changed
    changed = new Map()
    if (due.size === 0) return
    try {
      // Asked for first: it is there once it is known whether the copy could be read.
      const parts = await partsOf(of, due)
      if (isUnread) return
      const copy = await theCopy()
      if (copy !== null) await replace(copy, parts)
    } catch {
      // The first one is whole, and says by itself when it cannot be written.
      for (const [table, keys] of due) note(table, keys)
      clearTimeout(timer)
      if (!isEnded) timer = setTimeout(flush, AGAIN)
    }
  }
  const note = (table: string, keys: RangeSet) => {
    const before = changed.get(table)
    if (before === undefined) changed.set(table, keys)
    else mergeRanges(before, keys)
  }
  const onChange = (parts: Readonly<Record<string, IntervalTree>>) => {
    let isOurs = false
    for (const table of COPIED) {
      // The name of the primary key is empty: ranges of the others stand behind their names.
      const keys = parts[`idb://${of.name}/${table}/`]
      // Empty where none of no rows were written or deleted.
      if (keys === undefined || keys.d === 0) continue
      note(table, new RangeSet().add(keys))
      isOurs = true
    }
    if (isOurs) void flush()
  }
  let isLate = false
  of.copied = async () => {
    const copied = flush()
    // One that does not come is waited for once, not by everyone.
    if (isLate) return
    await within(LONGEST_COPYING, () => copied).catch(() => {
      isLate = true
      void copied.finally(() => {
        isLate = false
      })
    })
  }

  of.on('ready', async (first) => {
    try {
      if ((await first.table('made').count()) === 0) {
        const reading = within(longest, () => theCopy().then((copy) => copy && rowsOf(copy, COPIED)))
        const copy = await reading.catch((error: unknown) => {
          onUnreadable(error)
          throw error
        })
        if (await restore(first, copy ?? COPIED.map(() => []))) onRestored()
      }
      for (const table of COPIED) note(table, allKeys())
      timer = setTimeout(flush, PAUSE)
    } catch {
      isUnread = true
    }
  })
  Dexie.on('storagemutated', onChange)
  return {
    flush,
    end() {
      isEnded = true
      clearTimeout(timer)
      Dexie.on.storagemutated.unsubscribe(onChange)
    },
  }
}

function rowsOf(database: Dexie, tables: readonly string[]): Promise<Rows> {
  return Promise.all(tables.map((table) => database.table(table).toArray()))
}

/** Rejects when it takes longer than `longest` milliseconds. */
async function within<T>(longest: number, work: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${longest / 1000} seconds`)), longest)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Puts the rows of the copy beside those that are there, unless another window has done so by now. What was made since, while the copy
 * could not be read, stays as it is.
 *
 * @returns whether any was missing
 */
function restore(first: Dexie, rows: Rows): Promise<boolean> {
  return first.transaction('rw', [...COPIED, 'made'], async () => {
    if ((await first.table('made').count()) > 0) return false
    await first.table('made').put(madeNow())
    let restored = 0
    for (const [at, name] of COPIED.entries()) {
      const table = first.table(name)
      const before = await table.count()
      await table.bulkAdd(rows[at] ?? []).catch('BulkError', () => undefined)
      restored += (await table.count()) - before
    }
    return restored > 0
  })
}

/** Rows of a table with all keys from `least` to `most`. */
interface Part {
  readonly table: string
  readonly least: unknown
  readonly most: unknown
  readonly rows: readonly unknown[]
}

const allKeys = () => new RangeSet(Dexie.minKey, Dexie.maxKey)

/** What changed together is copied with all that lies between, in one reading: it is one row, or many at once. */
function partsOf(database: Dexie, changed: ReadonlyMap<string, RangeSet>): Promise<Part[]> {
  return Promise.all(
    [...changed].map(async ([table, keys]) => {
      const ranges = [...keys]
      const [least, most] = [ranges[0]?.from, ranges.at(-1)?.to]
      const rows = await between(database.table(table), least, most).toArray()
      return { table, least, most, rows }
    }),
  )
}

/** Leaves these rows in their parts of the tables and no others: all of it or nothing. */
async function replace(copy: Dexie, parts: readonly Part[]): Promise<void> {
  const tables = parts.map(({ table }) => table)
  await copy.transaction('rw', tables, async () => {
    for (const { table, least, most, rows } of parts) {
      await between(copy.table(table), least, most).delete()
      await copy.table(table).bulkPut(rows)
    }
  })
}

function between(table: Table, least: unknown, most: unknown): Collection {
  return table.where(':id').between(least, most, true, true)
}

/** Missing in browsers that do not keep IndexedDB in LevelDB either. */
interface StorageBuckets {
  open(name: string, options: { readonly durability: 'strict' }): Promise<{ readonly indexedDB: IDBFactory }>
}

/** A database in a bucket of its own, whose files lie apart. */
export async function databaseInBucket(): Promise<InspectorDatabase | null> {
  const { storageBuckets } = navigator as { storageBuckets?: StorageBuckets }
  const bucket = await storageBuckets?.open('second-copy', { durability: 'strict' })
  return bucket === undefined ? null : new InspectorDatabase('rollout-inspector-copy', bucket.indexedDB)
}
