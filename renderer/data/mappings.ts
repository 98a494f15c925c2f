import type { FieldMapping } from '../../shared/formats/mapping.ts'
import { database, type InspectorDatabase } from './database.ts'

/** How a person mapped records of a shape before; null where they never did, or nothing is kept in this window. */
export async function rememberedMapping(
  shape: string,
  from: InspectorDatabase = database,
): Promise<FieldMapping | null> {
  try {
    return (await from.mappings.get(shape))?.map ?? null
  } catch {
    return null
  }
}

/** Keeps a mapping for the next dump of the shape. Without storage the proposal is offered again, which is not worth a message. */
export async function rememberMapping(
  shape: string,
  map: FieldMapping,
  into: InspectorDatabase = database,
): Promise<void> {
  try {
    await into.mappings.put({ shape, map, mappedAt: new Date().toISOString() })
  } catch {
    // As above.
  }
}
