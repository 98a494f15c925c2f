import { useEffect, useState } from 'react'
import type { EngineRequests } from '../../../shared/session/protocol.ts'
import type { LabProgress, LabRequests } from '../../../shared/session/requests/lab.ts'
import { RESTS_ON_ALL } from '../../../shared/session/rests-on.ts'
import { takeJudgedMeanwhile } from '../../data/judging.ts'
import { Cancelled, sentenceOf } from '../../engine/client.ts'
import { ask } from '../../engine/engine.ts'
import { useFiles } from '../../state/files.ts'

/** While a slider moves the engine is asked at most this often (milliseconds). */
const PAUSE = 60

export interface Trial<Result> {
  /** The last answer; it may be that to an earlier question. */
  readonly result: Result | null
  readonly isStale: boolean
  readonly progress: LabProgress | null
  readonly failure: string | null
  /** There is a question, which nobody stopped. */
  readonly isAsked: boolean
  /** Stopped by a person; `again` takes it up. */
  readonly isStopped: boolean
  stop(): void
  again(): void
}

/** Tries something in the engine, again whenever the question or what was read changes. Null asks nothing. */
export function useTrial<Name extends keyof LabRequests>(
  name: Name,
  input: EngineRequests[Name]['input'] | null,
): Trial<EngineRequests[Name]['output']> {
  type Result = EngineRequests[Name]['output']
  const revision = useFiles((files) => files.revision)
  const question = input === null ? null : JSON.stringify(input)
  const [result, setResult] = useState<Result | null>(null)
  const [isStale, setStale] = useState(true)
  const [progress, setProgress] = useState<LabProgress | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [stopped, setStopped] = useState<string | null>(null)
  const [asking, setAsking] = useState<AbortController | null>(null)
  const isStopped = stopped !== null && stopped === question
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is read changes the answer
  useEffect(() => {
    setStale(true)
    setFailure(null)
    setProgress(null)
    if (question === null || isStopped) return
    const own = new AbortController()
    setAsking(own)
    const timer = setTimeout(() => {
      ask(name, JSON.parse(question) as EngineRequests[Name]['input'], own.signal, (partial) => {
        if (!own.signal.aborted) setProgress(partial as LabProgress)
      }).then(
        (value) => {
          if (own.signal.aborted) return
          setResult(value)
          setStale(false)
          setProgress(null)
          setFailure(null)
          if (RESTS_ON_ALL.has(name)) void takeJudgedMeanwhile()
        },
        (error: unknown) => {
          if (own.signal.aborted || error instanceof Cancelled) return
          setProgress(null)
          setFailure(sentenceOf(error))
        },
      )
    }, PAUSE)
    return () => {
      clearTimeout(timer)
      own.abort()
    }
  }, [name, question, revision, isStopped])
  return {
    result,
    isStale,
    progress,
    failure,
    isAsked: question !== null && !isStopped,
    isStopped,
    stop() {
      asking?.abort()
      setProgress(null)
      setStopped(question)
    },
    again: () => setStopped(null),
  }
}
