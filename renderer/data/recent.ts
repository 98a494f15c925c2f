import type { SourceInput } from '../../shared/session/protocol.ts'
import { database, type InspectorDatabase, type RecentOpen, recentKey } from './database.ts'
import { servedAs } from './served-folder.ts'

const MOST_RECENT = 8
/** Of a run that grows, links to so many of its states are known. */
const MOST_HASHES = 16

/** What was opened, as it is now. */
export type Opened = Omit<RecentOpen, 'key' | 'dumpHashes'> & { readonly dumpHash: string }

/** Keeps what was opened. A browser without storage simply has no recent files. */
export async function rememberOpened(
  { dumpHash, ...opened }: Opened,
  into: InspectorDatabase = database,
): Promise<void> {
  try {
    await into.transaction('rw', into.opens, async () => {
      const key = recentKey({ ...opened, dumpHashes: [dumpHash] })
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
  void rememberOpened({
    dumpHash,
    names: sources.map((source) => source.name),
    size: sources.reduce((sum, source) => sum + sizeOf(source), 0),
    openedAt: new Date().toISOString(),
    ...(served !== null && { served }),
  })
}

function sizeOf(source: SourceInput): number {
  if (source.kind === 'file') return (source.file as File).size
  return source.kind === 'url' ? source.size : source.bytes.byteLength
}
