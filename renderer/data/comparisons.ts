import { useEffect } from 'react'
import type { RolloutRef } from '../../shared/session/requests/compare.ts'
import type { IdComparison } from '../../shared/session/requests/rollout.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { useFiles } from '../state/files.ts'
import { useSecond } from '../state/second.ts'
import { observable, useObservable } from './observable.ts'

export type Comparing =
  | { readonly state: 'working' }
  | { readonly state: 'stopped' }
  | { readonly state: 'ready'; readonly value: IdComparison }
  | { readonly state: 'failed'; readonly message: string }

interface Current {
  readonly key: string
  readonly stop: AbortController
  readonly comparing: Comparing
}

/** The comparison that is on screen; one at a time, since each may take long. */
const current = observable<Current | null>(null)

function start(key: string, { run, index }: RolloutRef, kind: IdComparison['kind']): void {
  current.get()?.stop.abort()
  const stop = new AbortController()
  const put = (comparing: Comparing) => {
    if (current.get()?.stop === stop) current.set({ key, stop, comparing })
  }
  current.set({ key, stop, comparing: { state: 'working' } })
  ask('compareIds', { run, index, kind }, stop.signal).then(
    (value) => put({ state: 'ready', value }),
    (error: unknown) =>
      put(error instanceof Cancelled ? { state: 'stopped' } : { state: 'failed', message: sentenceOf(error) }),
  )
}

export function stopComparing(): void {
  current.get()?.stop.abort()
}

/** The recorded ids of a rollout beside another row; asked for when it comes on screen, stopped when it leaves. */
export function useComparison(of: RolloutRef, kind: IdComparison['kind']): [Comparing, again: () => void] {
  const revision = useFiles((files) => files.revision)
  const second = useSecond((state) => state.run?.dumpHash)
  const { run, index } = of
  const key = `${revision}:${run === 'open' ? '' : second}:${index}:${kind}`
  const known = useObservable(current)
  useEffect(() => {
    if (current.get()?.key !== key) start(key, { run, index }, kind)
    return () => {
      if (current.get()?.comparing.state !== 'working') return
      stopComparing()
      // Nobody stopped it: whoever comes back to it asks anew.
      current.set(null)
    }
  }, [key, run, index, kind])
  return [known?.key === key ? known.comparing : { state: 'working' }, () => start(key, of, kind)]
}
