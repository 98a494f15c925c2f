import { database, type InspectorDatabase } from './database.ts'
import { observable } from './observable.ts'

const NAME = 'recent-commands'
const MOST_RECENT = 5

/** Ids of the commands that were last given from the palette, the newest first. */
export const recentCommands = observable<readonly string[]>([])

/** Reads which commands were given before. Without storage there are none, which is not worth a message. */
export async function loadRecentCommands(from: InspectorDatabase = database): Promise<void> {
  try {
    const value = (await from.preferences.get(NAME))?.value
    if (Array.isArray(value)) recentCommands.set(value.filter((id) => typeof id === 'string').slice(0, MOST_RECENT))
  } catch {
    // The list is a convenience.
  }
}

export async function rememberCommand(id: string, into: InspectorDatabase = database): Promise<void> {
  const ids = [id, ...recentCommands.get().filter((other) => other !== id)].slice(0, MOST_RECENT)
  recentCommands.set(ids)
  try {
    await into.preferences.put({ name: NAME, value: ids })
  } catch {
    // It lasts until this window is closed.
  }
}
