import type { SourceInput } from '../../shared/session/protocol.ts'
import { database, type InspectorDatabase, type RecentOpen, recentKey } from './database.ts'
import { type DumpThen, filesNow, isGrown } from './grown.ts'
import { servedAs } from './served-folder.ts'

const MOST_RECENT = 8
/** Of a run that grows, links to so many of its states are known. */
const MOST_HASHES = 16

/** What was opened, as it is now. */
export type Opened = Omit<RecentOpen, 'key' | 'dumpHashes'> & { readonly dumpHash: string }

/**
 * Keeps what was opened. A browser without storage simply has no recent files.
 *
 * @param isGrown whether what is opened is a dump of then that has grown: it has one entry, however often it grows
 */
export async function rememberOpened(
  { dumpHash, ...opened }: Opened,
  into: InspectorDatabase = database,
  isGrown: (then: DumpThen) => Promise<boolean> = async () => false,
): Promise<void> {
  try {
    const earlier = opened.served === undefined ? await earlierKey({ ...opened, dumpHash }, into, isGrown) : null
    await into.transaction('rw', into.opens, async () => {
      const key = earlier ?? recentKey({ ...opened, dumpHashes: [dumpHash] })
      const before = (await into.opens.get(key))?.dumpHashes ?? []
      const dumpHashes = [dumpHash, ...before.filter((hash) => hash !== dumpHash)].slice(0, MOST_HASHES)
      await into.opens.put({ ...opened, key, dumpHashes })
      const old = await into.opens.orderBy('openedAt').reverse().offset(MOST_RECENT).primaryKeys()
      await into.opens.bulkDelete(old)
    })
  } catch {
    // The list of recent files is a convenience and not worth a message.
  }
}

/** Of the entry that has what is opened already, under this hash or as it was before it grew; null where none has. */
async function earlierKey(
  { dumpHash, names }: Pick<Opened, 'dumpHash' | 'names'>,
  from: InspectorDatabase,
  isGrown: (then: DumpThen) => Promise<boolean>,
): Promise<string | null> {
  const entries = await from.opens.orderBy('openedAt').reverse().toArray()
  const loose = entries.filter(({ served }) => served === undefined)
  const same = loose.find(
    (entry) => entry.dumpHashes.includes(dumpHash) && JSON.stringify(entry.names) === JSON.stringify(names),
  )
  if (same !== undefined) return same.key
  for (const { key, dumpHashes, files } of loose) {
    const [newest] = dumpHashes
    if (files === undefined || newest === undefined || !files.every(({ name }) => names.includes(name))) continue
    if (await isGrown({ dumpHash: newest, files })) return key
  }
  return null
}

/** Newest first. */
export async function recentOpens(from: InspectorDatabase = database): Promise<readonly RecentOpen[]> {
  try {
    return await from.opens.orderBy('openedAt').reverse().limit(MOST_RECENT).toArray()
  } catch {
    return []
  }
}

/** Keeps what can be opened again. A run that is followed, or read again while it grows, has another hash than when it was opened. */
export function rememberSources(sources: readonly SourceInput[], dumpHash: string): void {
  const served = servedAs(sources)
  if (served === null && sources.some((source) => source.kind !== 'file')) return
  const files = filesNow(sources)
  const opened: Opened = {
    dumpHash,
    names: files.map(({ name }) => name),
    size: files.reduce((sum, { size }) => sum + size, 0),
    files,
    openedAt: new Date().toISOString(),
    ...(served !== null && { served }),
  }
  void rememberOpened(opened, database, (then) => isGrown(sources, then))
}
