import { useEffect, useState } from 'react'
import type { EngineRequests } from '../../shared/session/protocol.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { type AskedName, ask } from '../engine/engine.ts'
import { useFiles } from '../state/files.ts'
import { useSecond } from '../state/second.ts'
import type { Loaded } from './details.ts'

/** A wait for an answer. */
export interface Wait {
  /** Of what the answer rests on, how much is done (0 to 1); null where that is not known. */
  readonly share: number | null
  /** Stopped by a person; `again` takes it up. */
  readonly isStopped: boolean
  stop(): void
  again(): void
}

/** `isStale`: the answer is to an earlier question; the new one is on its way. */
export type Answer<T> = Loaded<T> & { readonly isStale: boolean }

const NOT_ASKED = { state: 'loading', isStale: false } as const

/**
 * Asks the engine, and again whenever the question, what has been read, or the second run changes. The last answer stays until
 * the next one is there. Null asks nothing, and nothing is known then: what was asked before is not its answer.
 */
export function useAnswer<Name extends AskedName>(
  name: Name,
  input: EngineRequests[Name]['input'] | null,
): Answer<EngineRequests[Name]['output']> & { readonly wait: Wait } {
  const revision = useFiles((files) => files.revision)
  const second = useSecond((state) => state.run)
  const [answer, setAnswer] = useState<Answer<EngineRequests[Name]['output']>>(NOT_ASKED)
  const question = input === null ? null : JSON.stringify(input)
  const [share, setShare] = useState<number | null>(null)
  const [stopped, setStopped] = useState<string | null>(null)
  const isStopped = stopped !== null && stopped === question
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is read, and the second run, change the answer
  useEffect(() => {
    if (question === null) setAnswer(NOT_ASKED)
    if (question === null || isStopped) return
    const asking = new AbortController()
    setAnswer((known) => (known.state === 'ready' ? { ...known, isStale: true } : { state: 'loading', isStale: false }))
    const hearShare = (done: number) => !asking.signal.aborted && setShare(done)
    ask(name, JSON.parse(question) as EngineRequests[Name]['input'], asking.signal, undefined, hearShare).then(
      (value) => {
        setShare(null)
        setAnswer({ state: 'ready', value, isStale: false })
      },
      (error: unknown) => {
        if (asking.signal.aborted || error instanceof Cancelled) return
        setAnswer({ state: 'failed', message: sentenceOf(error), isStale: false })
      },
    )
    return () => {
      asking.abort()
      setShare(null)
    }
  }, [name, question, revision, second, isStopped])
  // The effect that forgets comes after what is drawn.
  const known = question === null ? NOT_ASKED : answer
  const wait = { share, isStopped, stop: () => setStopped(question), again: () => setStopped(null) }
  return { ...known, wait }
}
