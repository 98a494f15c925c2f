import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { toQuery, useFilters } from '../state/filters.ts'
import { useMarks } from '../state/marks.ts'
import { observable } from './observable.ts'

/** The rollouts that the table shows and that n and p walk through, in order. */
export const list = observable<Int32Array>(new Int32Array(0))

let running: AbortController | null = null

/** Asks the engine again; an answer that a newer question overtook is dropped. */
async function refresh(): Promise<void> {
  running?.abort()
  const asking = new AbortController()
  running = asking
  if (useFiles.getState().phase === 'empty' || useFiles.getState().phase === 'opening') {
    list.set(new Int32Array(0))
    return
  }
  try {
    const query = toQuery(useFilters.getState(), useMarks.getState().here)
    const { indices } = await ask('query', query, asking.signal)
    if (!asking.signal.aborted) list.set(indices)
  } catch (error) {
    if (!(error instanceof Cancelled)) addProblem(sentenceOf(error))
  }
}

/** Keeps `list` true to filters, flags and what has been read. Returns the unsubscriber. */
export function keepListFresh(): () => void {
  const stops = [
    useFilters.subscribe(() => void refresh()),
    useMarks.subscribe((now, before) => {
      if (useFilters.getState().flaggedOnly && now.here !== before.here) void refresh()
    }),
    useFiles.subscribe((now, before) => {
      if (now.revision !== before.revision || now.phase !== before.phase) void refresh()
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
