import type { MarksState } from '../state/marks.ts'
import type { Flag, InspectorDatabase, Label, Note } from './database.ts'

/** One change to what a person has left on rollouts. What it takes away it holds, so that it can be taken back. */
export type MarkChange =
  | { readonly kind: 'flag'; readonly flag: Flag; readonly on: boolean }
  | { readonly kind: 'label'; readonly label: Label; readonly on: boolean }
  | { readonly kind: 'note'; readonly before: Note | null; readonly after: Note | null }

export function inverse(change: MarkChange): MarkChange {
  if (change.kind === 'note') return { kind: 'note', before: change.after, after: change.before }
  return { ...change, on: !change.on }
}

/** Whether both say the same of the same tokens. */
export function isSameNote(one: Note, other: Note): boolean {
  const same = one.tokens?.[0] === other.tokens?.[0] && one.tokens?.[1] === other.tokens?.[1]
  return same && one.text === other.text
}

/** Whether a change can be taken back: a note that another window has changed since is not overwritten unseen. */
export function stillStands({ notes }: Pick<MarksState, 'notes'>, change: MarkChange): boolean {
  if (change.kind !== 'note') return true
  const { before, after } = change
  const standing = notes.get(keyOf(change))?.find(({ id }) => id === (after ?? before)?.id)
  if (after === null || standing === undefined) return after === null && standing === undefined
  return isSameNote(standing, after)
}

/** What the change is about, as `markKey` has it. */
export function keyOf(change: MarkChange): string {
  const of =
    change.kind === 'flag' ? change.flag : change.kind === 'label' ? change.label : (change.after ?? change.before)
  return `${of?.recordHash}.${of?.part}`
}

/** Writes changes, all of them or none. Rejects where storage refuses. */
export async function write(into: InspectorDatabase, changes: readonly MarkChange[]): Promise<void> {
  const { flags, labels, notes } = into
  // Thousands may be flagged at once: the last change of each is what stands, whatever their order.
  const flagged = [
    ...new Map(changes.flatMap((change) => (change.kind === 'flag' ? [[keyOf(change), change]] : []))).values(),
  ]
  await into.transaction('rw', flags, labels, notes, async () => {
    await flags.bulkPut(flagged.filter(({ on }) => on).map(({ flag }) => flag))
    await flags.bulkDelete(flagged.filter(({ on }) => !on).map(({ flag }) => [flag.recordHash, flag.part]))
    for (const change of changes) {
      if (change.kind === 'flag') continue
      if (change.kind === 'label') {
        const { recordHash, part, label } = change.label
        if (change.on) await labels.put(change.label)
        else await labels.delete([recordHash, part, label])
      } else if (change.after !== null) await notes.put(change.after)
      else if (change.before !== null) await notes.delete(change.before.id)
    }
  })
}

/** Rows as storage has them. */
export interface MarkRows {
  readonly flags: readonly Flag[]
  readonly labels: readonly Label[]
  readonly notes: readonly Note[]
}

/** The rows as these changes would leave them. */
export function rowsAfter(rows: MarkRows, changes: readonly MarkChange[]): MarkRows {
  const flags = new Map(rows.flags.map((flag) => [`${flag.recordHash}.${flag.part}`, flag]))
  const labels = new Map(rows.labels.map((label) => [labelKey(label), label]))
  const notes = new Map(rows.notes.map((note) => [note.id, note]))
  for (const change of changes) {
    if (change.kind === 'flag') {
      if (change.on) flags.set(keyOf(change), change.flag)
      else flags.delete(keyOf(change))
    } else if (change.kind === 'label') {
      if (change.on) labels.set(labelKey(change.label), change.label)
      else labels.delete(labelKey(change.label))
    } else if (change.after !== null) notes.set(change.after.id, change.after)
    else if (change.before !== null) notes.delete(change.before.id)
  }
  return { flags: [...flags.values()], labels: [...labels.values()], notes: [...notes.values()] }
}

function labelKey({ recordHash, part, label }: Label): string {
  return `${recordHash}.${part}.${label}`
}

type Marks = Pick<MarksState, 'flagged' | 'labels' | 'notes'>

/** The marks after these changes. Changes that have been applied already change nothing. */
export function applied({ flagged, labels, notes }: Marks, changes: readonly MarkChange[]): Marks {
  const next = { flagged: new Set(flagged), labels: new Map(labels), notes: new Map(notes) }
  for (const change of changes) {
    const key = keyOf(change)
    if (change.kind === 'flag') {
      if (change.on) next.flagged.add(key)
      else next.flagged.delete(key)
    } else if (change.kind === 'label') {
      const others = (next.labels.get(key) ?? []).filter((label) => label !== change.label.label)
      put(next.labels, key, change.on ? [...others, change.label.label].sort() : others)
    } else {
      const { before, after } = change
      const others = (next.notes.get(key) ?? []).filter(({ id }) => id !== before?.id && id !== after?.id)
      put(next.notes, key, after === null ? others : [...others, after].sort(byTime))
    }
  }
  return next
}

export function byTime(a: Note, b: Note): number {
  return a.writtenAt < b.writtenAt ? -1 : a.writtenAt > b.writtenAt ? 1 : a.id < b.id ? -1 : 1
}

function put<T>(into: Map<string, readonly T[]>, key: string, values: readonly T[]): void {
  if (values.length === 0) into.delete(key)
  else into.set(key, values)
}
