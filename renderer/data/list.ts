import type { SearchResult } from '../../shared/session/requests/query.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { type FiltersState, useFilters } from '../state/filters.ts'
import { markedHere, useMarks } from '../state/marks.ts'
import { asksForMarks } from '../state/query-text.ts'
import { during } from '../state/under-way.ts'
import { say } from '../state/view.ts'
import { observable } from './observable.ts'

/** The rollouts that the table shows and that n and p walk through, in order. */
export const list = observable<Int32Array>(new Int32Array(0))

/** What is known of `query`, which the list answers, beside the list itself; null until anything was answered. */
export const searched = observable<(Omit<SearchResult, 'indices'> & { readonly query: string }) | null>(null)

/** Whether rollouts are still being looked into for the query. */
export const isSearching = observable(false)

/** The order that the rows of `list` stand in. */
let order: Pick<FiltersState, 'sort' | 'descending'> | null = null

/** The filters become those of the rows again, which need not be asked for. */
let isSettingBack = false

/** A person ended looking for the query that stands, and nothing but him begins it again. */
let isEnded = false

let running: { readonly stop: AbortController; again: boolean } | null = null

/** Asks the engine again; an answer that a newer question overtook is dropped. */
export async function refresh(): Promise<void> {
  running?.stop.abort()
  running = null
  isEnded = false
  const { phase } = useFiles.getState()
  if (phase === 'empty' || phase === 'opening') {
    order = null
    list.set(new Int32Array(0))
    searched.set(null)
    isSearching.set(false)
    return
  }
  const own = { stop: new AbortController(), again: false }
  running = own
  isSearching.set(true)
  const { query, sort, descending } = useFilters.getState()
  const { signal } = own.stop
  const take = ({ indices, ...rest }: SearchResult) => {
    if (signal.aborted) return
    order = { sort, descending }
    list.set(indices)
    searched.set({ ...rest, query })
  }
  try {
    const answer = () => ask('search', { text: query, sort, descending, ...marksFor(query, sort) }, signal, take)
    // What looking for a query has come to is told beside it; while more is read the rows are put in order over and over.
    const isSorting = query === '' && phase === 'open'
    take(await (isSorting ? during('Putting the rollouts in order', answer, { stop: stopSorting }) : answer()))
  } catch (error) {
    if (!(error instanceof Cancelled)) addProblem(sentenceOf(error))
  }
  if (running !== own) return
  running = null
  isSearching.set(false)
  if (own.again) void refresh()
}

/** More was read: what is looked for now is found first, or a long search would begin anew for ever. */
function refreshAfter(): void {
  if (running === null) void refresh()
  else running.again = true
}

/** Ends looking into rollouts; what was found so far stays. */
export function stopSearching(): void {
  if (running === null) return
  running.stop.abort()
  running = null
  isEnded = true
  isSearching.set(false)
}

/** Ends putting rows in order: the head of the table says what they are in, which is what they were in before. */
function stopSorting(): void {
  stopSearching()
  if (order === null) return
  isSettingBack = true
  useFilters.setState(order)
  isSettingBack = false
  say('The rollouts stay in the order that they were in')
}

/** What people attached, where the question is about that. */
function marksFor(query: string, sort: string) {
  if (!asksForMarks(query) && !asksForMarks(sort)) return {}
  const state = useMarks.getState()
  const { flagged, labels } = markedHere(state)
  const notes = [...state.notes].flatMap(([key, own]) =>
    (state.places.get(key) ?? []).flatMap((index) => own.map(({ text }) => ({ index, text }))),
  )
  return { marks: { flagged, labels, notes } }
}

/** Keeps `list` true to filters, marks and what has been read. Returns the unsubscriber. */
export function keepListFresh(): () => void {
  const stops = [
    useFilters.subscribe(() => {
      if (!isSettingBack) void refresh()
    }),
    useMarks.subscribe(() => {
      const { query, sort } = useFilters.getState()
      if (!isEnded && (asksForMarks(query) || asksForMarks(sort))) void refresh()
    }),
    useFiles.subscribe((now, before) => {
      if (now.phase !== before.phase || now.dumpHash !== before.dumpHash) void refresh()
      else if (now.revision !== before.revision) refreshAfter()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Position of a rollout in the list, -1 when it is filtered away. */
export function positionOf(rollout: number | null): number {
  return rollout === null ? -1 : list.get().indexOf(rollout)
}

/** Where the query was found first in a rollout, as a half-open range of tokens; null where that is not known. */
export function hitOf(rollout: number): readonly [number, number] | null {
  const hits = searched.get()?.hits
  const at = hits ? positionOf(rollout) : -1
  const start = at < 0 ? -1 : (hits?.starts[at] ?? -1)
  return start < 0 ? null : [start, hits?.ends[at] ?? start + 1]
}
