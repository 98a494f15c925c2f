import { create } from 'zustand'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import type { Note } from '../data/database.ts'

/** What a person has left on rollouts, of any dump; everything hangs on `markKey`. */
export interface MarksState {
  readonly flagged: ReadonlySet<string>
  /** Sorted; no key without a label. */
  readonly labels: ReadonlyMap<string, readonly string[]>
  /** In the order they were written; no key without a note. */
  readonly notes: ReadonlyMap<string, readonly Note[]>
  /** Where marked records stand in the open dump, by index; the same content may stand in several places. */
  readonly places: ReadonlyMap<string, readonly number[]>
  /** Flagged rollouts of the open dump, by index, ascending. */
  readonly here: readonly number[]
}

export const NO_MARKS: MarksState = {
  flagged: new Set(),
  labels: new Map(),
  notes: new Map(),
  places: new Map(),
  here: [],
}

export const useMarks = create<MarksState>()(() => NO_MARKS)

/** What a mark hangs on: the content of the record and the part, never a file name or a position. */
export function markKey(facts: Pick<TrajectoryFacts, 'recordHash' | 'place'>): string {
  return `${facts.recordHash}.${facts.place.part}`
}

/** Rollouts of the open dump that carry one of these keys, by index, ascending. */
export function placesOf(keys: Iterable<string>, places: MarksState['places']): number[] {
  const found = new Set<number>()
  for (const key of keys) for (const index of places.get(key) ?? []) found.add(index)
  return [...found].sort((a, b) => a - b)
}

/** Every label that was ever given and still stands, with the number of records that carry it, sorted by name. */
export function labelCounts(labels: MarksState['labels']): [label: string, records: number][] {
  const counts = new Map<string, number>()
  for (const own of labels.values()) for (const label of own) counts.set(label, (counts.get(label) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => a.localeCompare(b, 'en'))
}

/** Rollouts of the open dump by what they are marked with, for questions about marks. */
export function markedHere({ flagged, labels, notes, places }: MarksState) {
  const byLabel: Record<string, number[]> = Object.create(null)
  for (const [label] of labelCounts(labels)) {
    const keys = [...labels].flatMap(([key, own]) => (own.includes(label) ? [key] : []))
    byLabel[label] = placesOf(keys, places)
  }
  return { flagged: placesOf(flagged, places), labels: byLabel, noted: placesOf(notes.keys(), places) }
}
