import type { Place } from '../../shared/model/source.ts'
import { shownId } from './visible.ts'

/** What a rollout is called beside others: its id, or by its record where it has none of its own. */
export function rolloutName({ id, place }: { readonly id: string; readonly place: Place }, most?: number): string {
  return isOfItsRecord(id, place) ? `record ${id}` : shownId(id, most)
}

/** Rollouts without an id are called by their record, and where it has several by their part of it. */
function isOfItsRecord(id: string, { record, part }: Place): boolean {
  return id === (part === 0 ? String(record) : `${record}.${part}`)
}
