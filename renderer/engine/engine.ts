import type {
  EngineAnswer,
  EngineRequests,
  OpenedDump,
  PartialOf,
  Progress,
  RequestName,
} from '../../shared/session/protocol.ts'
import { beginBusy } from '../busy/busy-sign.ts'
import { EngineClient, type EnginePort } from './client.ts'
import { linkTo } from './link-to.ts'

/** Requests after which something else is open, or the same anew. */
type OpeningName = 'open' | 'reconfigure' | 'follow'
/** Requests about what is open. */
export type AskedName = Exclude<RequestName, OpeningName | 'close'>

const progressListeners = new Set<(progress: Progress) => void>()
const slowerListeners = new Set<(message: string) => void>()
const stopListeners = new Set<(message: string) => void>()
let current: EngineClient | null = null
/** Settles when the engine has something open, or failed to; between two dumps it could only say that nothing is. */
let settled: Promise<unknown> = Promise.resolve()

/** The one engine of this page, started when it is first needed and again after it broke. */
function engine(): EngineClient {
  if (current === null || current.isStopped) {
    current = new EngineClient(startWorker())
    current.onProgress((progress) => {
      for (const listener of progressListeners) listener(progress)
    })
    current.onSlower((message) => {
      for (const listener of slowerListeners) listener(message)
    })
    current.onStop((message) => {
      for (const listener of stopListeners) listener(message)
    })
  }
  return current
}

/** Starts it before anybody asks, so that what is dropped need not wait for its code. */
export function startEngine(): void {
  engine()
}

/** Opens files, or those that are open under other settings. Questions asked meanwhile wait for it. */
export function openInEngine<Name extends OpeningName>(
  name: Name,
  input: EngineRequests[Name]['input'],
  signal?: AbortSignal,
): Promise<OpenedDump> {
  const answer: Promise<OpenedDump> = engine().call(name, input, signal)
  settled = answer.catch(() => undefined)
  return answer
}

/** Tells the engine something that must not wait until what is being opened, or ended, is there. */
export function tellEngine<Name extends 'stopReading' | 'stopJudging'>(
  name: Name,
  input: EngineRequests[Name]['input'],
): Promise<EngineRequests[Name]['output']> {
  return engine().call(name, input)
}

/** Closes what is open, or is about to be: it waits for nothing, since what it would wait for may be what is opened next. */
export function closeInEngine(): void {
  if (current === null || current.isStopped) return
  settled = current.call('close', {}).catch(() => undefined)
}

/** Asks about what is open. `onPartial` hears what the request tells before its answer, `onShare` how much of what that rests on is done. */
export async function ask<Name extends AskedName>(
  name: Name,
  input: EngineRequests[Name]['input'],
  signal?: AbortSignal,
  onPartial?: (partial: PartialOf<Name>) => void,
  onShare?: (share: number) => void,
): Promise<EngineRequests[Name]['output']> {
  // Another opening may have begun while this question waited for the first.
  for (let waited: unknown = null; waited !== settled; ) {
    waited = settled
    await waited
  }
  return engine().call(name, input, signal, onPartial, onShare)
}

/** Ends what the engine is doing, whatever that is. The next use starts a new one. */
export function abandonEngine(): void {
  current?.terminate()
  settled = Promise.resolve()
}

/** Progress of this engine and of any that replaces it. Returns the unsubscriber. */
export function onEngineProgress(listener: (progress: Progress) => void): () => void {
  progressListeners.add(listener)
  return () => progressListeners.delete(listener)
}

/** Hears, in a sentence, that reading takes longer from now on, in this engine or any that replaces it. Returns the unsubscriber. */
export function onEngineSlower(listener: (message: string) => void): () => void {
  slowerListeners.add(listener)
  return () => slowerListeners.delete(listener)
}

/** Hears, in a sentence, that this engine broke, or any that replaces it. Returns the unsubscriber. */
export function onEngineStop(listener: (message: string) => void): () => void {
  stopListeners.add(listener)
  return () => stopListeners.delete(listener)
}

function startWorker(): EnginePort {
  const link = linkTo(new Worker(new URL('./engine-worker.ts', import.meta.url), { type: 'module' }))
  return {
    ...link,
    onMessage: (listener) =>
      link.onMessage((answer) => {
        // What is drawn of an answer may hold the page up as what is asked for does.
        beginBusy()
        listener(answer as EngineAnswer)
      }),
  }
}
