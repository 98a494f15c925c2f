import type { WorkerLink } from '../../shared/session/host.ts'

/** A worker of the browser as the engine sees it. */
export function linkTo(worker: Worker): WorkerLink {
  return {
    post: (message, transfer = []) => worker.postMessage(message, [...transfer]),
    onMessage: (listener) => worker.addEventListener('message', (event) => listener(event.data)),
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
