import { database, type InspectorDatabase, type LastPlace } from './database.ts'

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

/** Where a person was in this dump the last time; null where nothing is known. */
export async function placeBefore(dumpHash: string, from: InspectorDatabase = database): Promise<LastPlace | null> {
  try {
    return (await from.lastPlaces.get(dumpHash)) ?? null
  } catch {
    return null
  }
}
