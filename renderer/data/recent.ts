import { database, type RecentOpen } from './database.ts'

const MOST_RECENT = 8

/** Keeps what was opened. A browser without storage simply has no recent files. */
export async function rememberOpened(entry: RecentOpen): Promise<void> {
  try {
    await database.recent.put(entry)
    const old = await database.recent.orderBy('openedAt').reverse().offset(MOST_RECENT).primaryKeys()
    await database.recent.bulkDelete(old)
  } catch {
    // The list of recent files is a convenience and not worth a message.
  }
}

/** Newest first. */
export async function recentOpens(): Promise<readonly RecentOpen[]> {
  try {
    return await database.recent.orderBy('openedAt').reverse().limit(MOST_RECENT).toArray()
  } catch {
    return []
  }
}
