import { database, type InspectorDatabase } from './database.ts'

const MOST_KEPT = 200

/** Keeps a query that was asked. A window without storage has no history, which is not worth a message. */
export async function rememberQuery(text: string, into: InspectorDatabase = database): Promise<void> {
  const query = text.trim()
  if (query === '') return
  try {
    await into.queries.put({ text: query, askedAt: new Date().toISOString() })
    const old = await into.queries.orderBy('askedAt').reverse().offset(MOST_KEPT).primaryKeys()
    await into.queries.bulkDelete(old)
  } catch {
    // Nothing is lost that a person made.
  }
}

/** Queries that were asked before, newest first. */
export async function askedBefore(most: number, from: InspectorDatabase = database): Promise<readonly string[]> {
  try {
    return (await from.queries.orderBy('askedAt').reverse().limit(most).toArray()).map(({ text }) => text)
  } catch {
    return []
  }
}
