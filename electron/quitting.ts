import type { Savings } from './save-files.ts'

/** What is asked of Electron's `app`. */
interface Quits {
  on(event: 'will-quit', listener: (event: { preventDefault(): void }) => void): unknown
  quit(): void
}

/**
 * Holds the end of the application until what its pages wrote has its name or is taken away. At `will-quit` all windows are closed, however
 * it came to that; at `before-quit` their pages may still write.
 */
export function quitOnceWritten(app: Quits, savings: Savings): void {
  app.on('will-quit', (event) => {
    if (!savings.isAtWork) return
    event.preventDefault()
    void savings.settled().then(() => app.quit())
  })
}
