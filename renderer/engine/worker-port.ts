/** The worker's own end of its message channel. To be called inside a dedicated worker only. */
export function workerPort() {
  const scope = globalThis as unknown as DedicatedWorkerGlobalScope
  return {
    post(message: unknown, transfer: readonly ArrayBuffer[] = []): void {
      scope.postMessage(message, [...transfer])
    },
    onMessage(listener: (message: never) => void): void {
      scope.addEventListener('message', (event) => listener(event.data as never))
    },
  }
}
