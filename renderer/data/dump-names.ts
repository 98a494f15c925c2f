import { database, type InspectorDatabase } from './database.ts'

/** Names of the files of a dump that was open here before; null where nothing is known of it. */
export async function namesOfDump(
  dumpHash: string,
  from: InspectorDatabase = database,
): Promise<readonly string[] | null> {
  try {
    const files = (await from.lastPlaces.get(dumpHash))?.files
    if (files !== undefined && files.length > 0) return files.map(({ name }) => name)
    const opens = await from.opens.orderBy('openedAt').reverse().toArray()
    return opens.find(({ dumpHashes }) => dumpHashes.includes(dumpHash))?.names ?? null
  } catch {
    // Without storage it is known by its hash alone.
    return null
  }
}
