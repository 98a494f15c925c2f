import Dexie from 'dexie'
import { InspectorDatabase } from './database.ts'

/** The tables of what people made; without the others nothing is lost. */
const COPIED = ['flags', 'labels', 'notes', 'views', 'mappings', 'preferences', 'notebooks']
/** Milliseconds between a change and its copy: the copy is for the next start. */
const PAUSE = 200

/**
 * Keeps a second copy of what people made. Chromium empties an origin's IndexedDB when it finds its files damaged, and a browser that is
 * killed twice can damage them: a record that the first kill tore is written on to, and its checksum no longer fits (LevelDB's
 * `reuse_logs`). An emptied database is filled again from its copy before anyone reads it.
 *
 * @param openCopy gives a database whose files are not those of the first; null where there is no place for one
 * @returns what ends it
 */
export function keepSecondCopy(
  of: InspectorDatabase,
  openCopy: () => Promise<InspectorDatabase | null>,
  onRestored: () => void,
): () => void {
  const changed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let opening: Promise<InspectorDatabase | null> | null = null
  let copying = Promise.resolve()

  const theCopy = () => {
    opening ??= openCopy().catch(() => null)
    return opening
  }
  const copySoon = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      copying = copying.then(copyChanged)
    }, PAUSE)
  }
  const copyChanged = async () => {
    const tables = [...changed]
    changed.clear()
    try {
      const copy = await theCopy()
      if (copy !== null) await putAll(of, copy, tables)
    } catch {
      // The first one is whole, and says by itself when it cannot be written.
    }
  }
  const note = (tables: readonly string[]) => {
    for (const table of tables) changed.add(table)
    if (changed.size > 0) copySoon()
  }
  const onChange = (parts: object) => {
    const own = `idb://${of.name}/`
    const tables = Object.keys(parts).flatMap((key) =>
      key.startsWith(own) ? [key.slice(own.length).split('/')[0]] : [],
    )
    note(COPIED.filter((table) => tables.includes(table)))
  }

  of.on('ready', async (first) => {
    if (await isEmpty(first)) {
      const copy = await theCopy()
      if (copy !== null && !(await isEmpty(copy).catch(() => true))) {
        await putAll(copy, first, COPIED)
        onRestored()
        return
      }
    }
    note(COPIED)
  })
  Dexie.on('storagemutated', onChange)
  return () => {
    clearTimeout(timer)
    Dexie.on.storagemutated.unsubscribe(onChange)
  }
}

async function isEmpty(database: Dexie): Promise<boolean> {
  for (const table of COPIED) if ((await database.table(table).count()) > 0) return false
  return true
}

/** Leaves in the tables of `to` the rows of those of `from`: all of it or nothing. */
async function putAll(from: Dexie, to: Dexie, tables: readonly string[]): Promise<void> {
  const rows = await Promise.all(tables.map((table) => from.table(table).toArray()))
  await to.transaction('rw', [...tables], async () => {
    for (const [at, table] of tables.entries()) {
      await to.table(table).clear()
      await to.table(table).bulkPut(rows[at] as unknown[])
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
