/** The worker's own end of its message channel: what comes before somebody listens is kept. To be called inside a dedicated worker only. */
export function workerPort() {
  const scope = globalThis as unknown as DedicatedWorkerGlobalScope
  const early: unknown[] = []
  let hear = (message: unknown): void => void early.push(message)
  scope.addEventListener('message', (event) => hear(event.data))
  return {
    post(message: unknown, transfer: readonly ArrayBuffer[] = []): void {
      scope.postMessage(message, [...transfer])
    },
    onMessage(listener: (message: never) => void): void {
      hear = listener as (message: unknown) => void
      for (const message of early.splice(0)) hear(message)
    },
  }
}
