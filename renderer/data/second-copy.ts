import Dexie from 'dexie'
import { InspectorDatabase, madeNow } from './database.ts'

/** The tables of what people made; without the others nothing is lost. */
const COPIED = ['flags', 'labels', 'notes', 'views', 'mappings', 'preferences', 'notebooks']
/** Milliseconds between a change and its copy: the copy is for the next start. */
const PAUSE = 200
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
 * either, until it can be.
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
  const changed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let opening: Promise<InspectorDatabase | null> | null = null
  let copying = Promise.resolve()
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
    copying = copying.then(copyChanged)
    return copying
  }
  const copySoon = () => {
    clearTimeout(timer)
    timer = setTimeout(flush, PAUSE)
  }
  const copyChanged = async () => {
    const tables = [...changed]
    changed.clear()
    if (tables.length === 0) return
    try {
      // Asked for first: it is there once it is known whether the copy could be read.
      const rows = await rowsOf(of, tables)
      if (isUnread) return
      const copy = await theCopy()
      if (copy !== null) await replaceAll(copy, tables, rows)
    } catch {
      // The first one is whole, and says by itself when it cannot be written. The next change tries again.
      for (const table of tables) changed.add(table)
    }
  }
  const note = (tables: readonly string[]) => {
    if (tables.length === 0) return
    for (const table of tables) changed.add(table)
    copySoon()
  }
  const onChange = (parts: object) => {
    const own = `idb://${of.name}/`
    const tables = Object.keys(parts).flatMap((key) =>
      key.startsWith(own) ? [key.slice(own.length).split('/')[0]] : [],
    )
    note(COPIED.filter((table) => tables.includes(table)))
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
      note(COPIED)
    } catch {
      isUnread = true
    }
  })
  Dexie.on('storagemutated', onChange)
  return {
    flush,
    end() {
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

/** Leaves these rows in the tables and no others: all of it or nothing. */
async function replaceAll(copy: Dexie, tables: readonly string[], rows: Rows): Promise<void> {
  await copy.transaction('rw', [...tables], async () => {
    for (const [at, table] of tables.entries()) {
      await copy.table(table).clear()
      await copy.table(table).bulkPut(rows[at] ?? [])
    }
  })
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
