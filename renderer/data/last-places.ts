import type { SourceInput } from '../../shared/session/protocol.ts'
import { database, type InspectorDatabase, type LastPlace } from './database.ts'
import { isGrown } from './grown.ts'

const MOST_PLACES = 50

/** Keeps where a person is in a dump. Without storage nothing is offered the next time. */
export async function keepPlace(place: Omit<LastPlace, 'leftAt'>, into: InspectorDatabase = database): Promise<void> {
  try {
    await into.lastPlaces.put({ ...place, leftAt: new Date().toISOString() })
    const old = await into.lastPlaces.orderBy('leftAt').reverse().offset(MOST_PLACES).primaryKeys()
    await into.lastPlaces.bulkDelete(old)
  } catch {
    // A convenience, and not worth a message.
  }
}

/** Where a person was the last time in a dump that has grown into these files, newest first among several; null where none has. */
export async function placeBeforeGrowth(
  sources: readonly SourceInput[],
  from: InspectorDatabase = database,
): Promise<LastPlace | null> {
  try {
    const names = new Set(sources.map(({ name }) => name))
    for (const place of await from.lastPlaces.orderBy('leftAt').reverse().toArray()) {
      const { dumpHash, files } = place
      if (files === undefined || !files.every(({ name }) => names.has(name))) continue
      if (await isGrown(sources, { dumpHash, files })) return place
    }
  } catch {
    // Nothing is offered then.
  }
  return null
}

/** Where a person was in this dump the last time; null where nothing is known. */
export async function placeBefore(dumpHash: string, from: InspectorDatabase = database): Promise<LastPlace | null> {
  try {
    return (await from.lastPlaces.get(dumpHash)) ?? null
  } catch {
    return null
  }
}
