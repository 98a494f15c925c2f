import { mergeTexts } from './merge-texts.ts'

/**
 * What one edit changed, entry by entry and field by field: it can be taken back, and put on top of what another window has
 * written since, without undoing that.
 */
export type Delta =
  | { readonly kind: 'set'; readonly before: unknown; readonly after: unknown }
  | { readonly kind: 'fields'; readonly fields: Readonly<Record<string, Delta>> }
  | { readonly kind: 'list'; readonly entries: readonly EntryDelta[] }

/** An entry that came, went (the other side is undefined) or changed. */
type EntryDelta =
  | { readonly key: string; readonly at: number; readonly before: unknown; readonly after: unknown }
  | { readonly key: string; readonly delta: Delta }

type Fields = Readonly<Record<string, unknown>>

/** Lists whose entries are told apart; all others are replaced whole. */
const KEYED: Readonly<Record<string, (entry: Fields) => string>> = {
  hypotheses: ({ id }) => String(id),
  experiments: ({ id }) => String(id),
  evidence: ({ id }) => String(id),
  validation: ({ id }) => String(id),
  criteria: ({ id }) => String(id),
  runs: ({ dump }) => String(dump),
  history: (change) => JSON.stringify(change),
}

/** Fields that people write in, of which two changes go together where they stand apart. */
const WRITTEN: ReadonlySet<string> = new Set([
  ...['title', 'statusNote', 'description', 'rootCause', 'codeLocation', 'why', 'invalidation', 'questions', 'notes'],
  ...['alternatives', 'interactions', 'testing', 'related', 'results', 'nextAction', 'note', 'how', 'success'],
  ...['outcome', 'statement', 'environment', 'works', 'baseline', 'text'],
])

/** Null where nothing changed. */
export function difference(before: unknown, after: unknown, name = ''): Delta | null {
  if (Object.is(before, after)) return null
  const keyOf = KEYED[name]
  if (keyOf !== undefined && Array.isArray(before) && Array.isArray(after)) return listDifference(before, after, keyOf)
  if (isFields(before) && isFields(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    const changed = names.flatMap((field): [string, Delta][] => {
      const delta = difference(own(before, field), own(after, field), field)
      return delta === null ? [] : [[field, delta]]
    })
    return changed.length === 0 ? null : { kind: 'fields', fields: Object.fromEntries(changed) }
  }
  return JSON.stringify(before) === JSON.stringify(after) ? null : { kind: 'set', before, after }
}

/** A name may be one that every object has (`constructor`). */
function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

function listDifference(before: readonly Fields[], after: readonly Fields[], keyOf: (entry: Fields) => string) {
  const then = new Map(before.map((entry) => [keyOf(entry), entry]))
  const now = new Map(after.map((entry) => [keyOf(entry), entry]))
  const entries: EntryDelta[] = []
  before.forEach((entry, at) => {
    const key = keyOf(entry)
    if (!now.has(key)) entries.push({ key, at, before: entry, after: undefined })
  })
  after.forEach((entry, at) => {
    const key = keyOf(entry)
    const old = then.get(key)
    if (old === undefined) {
      entries.push({ key, at, before: undefined, after: entry })
      return
    }
    const delta = difference(old, entry)
    if (delta !== null) entries.push({ key, delta })
  })
  return entries.length === 0 ? null : ({ kind: 'list', entries } as const)
}

/**
 * The value with the change on top. What the change speaks of and is no longer there is left alone.
 *
 * @param lost hears a text that was written meanwhile and that the change takes the place of, since the two do not go together
 */
export function applied<T>(value: T, delta: Delta, lost: Lost = () => undefined): T {
  return change(value, delta, '', lost) as T
}

type Lost = (text: string) => void

function change(value: unknown, delta: Delta, name: string, lost: Lost): unknown {
  if (delta.kind === 'set') return WRITTEN.has(name) ? written(value, delta, lost) : delta.after
  if (delta.kind === 'fields') {
    if (!isFields(value)) return value
    const changed = Object.entries(delta.fields).map(([field, inner]) => [
      field,
      change(own(value, field), inner, field, lost),
    ])
    return { ...value, ...Object.fromEntries(changed) }
  }
  const keyOf = KEYED[name]
  if (!Array.isArray(value) || keyOf === undefined) return value
  return changedList(value, delta.entries, keyOf, lost)
}

function written(value: unknown, { before, after }: Extract<Delta, { kind: 'set' }>, lost: Lost): unknown {
  if (typeof value !== 'string' || typeof before !== 'string' || typeof after !== 'string') return after
  if (value === before || value === after) return after
  const merged = mergeTexts(before, after, value)
  if (merged === null) lost(value)
  return merged?.text ?? after
}

function changedList(
  list: readonly Fields[],
  entries: readonly EntryDelta[],
  keyOf: (entry: Fields) => string,
  lost: Lost,
) {
  const next = [...list]
  for (const entry of entries) {
    const at = next.findIndex((known) => keyOf(known) === entry.key)
    if ('delta' in entry) {
      if (at !== -1) next[at] = change(next[at], entry.delta, '', lost) as Fields
    } else if (entry.after === undefined) {
      if (at !== -1) next.splice(at, 1)
    } else if (at === -1) {
      next.splice(Math.min(entry.at, next.length), 0, entry.after as Fields)
    }
  }
  return next
}

/** What takes the change back. */
export function inverse(delta: Delta): Delta {
  if (delta.kind === 'set') return { kind: 'set', before: delta.after, after: delta.before }
  if (delta.kind === 'fields') {
    const fields = Object.entries(delta.fields).map(([field, inner]): [string, Delta] => [field, inverse(inner)])
    return { kind: 'fields', fields: Object.fromEntries(fields) }
  }
  // What went is put back from the front on, so that every place is counted in the list that it was counted in.
  const entries = delta.entries.map(
    (entry): EntryDelta =>
      'delta' in entry
        ? { key: entry.key, delta: inverse(entry.delta) }
        : { key: entry.key, at: entry.at, before: entry.after, after: entry.before },
  )
  const goes = (entry: EntryDelta) => !('delta' in entry) && entry.after === undefined
  return { kind: 'list', entries: [...entries.filter(goes), ...entries.filter((entry) => !goes(entry))] }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
