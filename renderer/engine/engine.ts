import type { EngineAnswer, EngineCall, Progress } from '../../shared/session/protocol.ts'
import { EngineClient, type EnginePort } from './client.ts'

const progressListeners = new Set<(progress: Progress) => void>()
let current: EngineClient | null = null

/** The one engine of this page, started when it is first needed and again after it broke. */
export function engine(): EngineClient {
  if (current === null || current.isStopped) {
    current = new EngineClient(startWorker())
    current.onProgress((progress) => {
      for (const listener of progressListeners) listener(progress)
    })
  }
  return current
}

/** Progress of this engine and of any that replaces it. Returns the unsubscriber. */
export function onEngineProgress(listener: (progress: Progress) => void): () => void {
  progressListeners.add(listener)
  return () => progressListeners.delete(listener)
}

function startWorker(): EnginePort {
  const worker = new Worker(new URL('./engine-worker.ts', import.meta.url), { type: 'module' })
  return {
    post: (message: EngineCall) => worker.postMessage(message),
    onMessage: (listener) =>
      worker.addEventListener('message', (event: MessageEvent<EngineAnswer>) => listener(event.data)),
    onError: (listener) => {
      worker.addEventListener('error', (event) => {
        event.preventDefault()
        listener(event.message || 'its code could not be loaded')
      })
      worker.addEventListener('messageerror', () => listener('a message could not be read'))
    },
    terminate: () => worker.terminate(),
  }
}
