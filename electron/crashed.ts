import type { RenderProcessGoneDetails, WebContents } from 'electron'

export interface PageGoneQuestion {
  readonly message: string
  readonly detail: string
  /** What is done by the first is done where nothing is chosen. */
  readonly buttons: readonly [string, string]
}

export interface Recovery {
  /** The page answers nothing any more. */
  gone(): void
  /** True where a person wants it loaded again; else the window is closed. */
  ask(question: PageGoneQuestion): Promise<boolean>
  isClosed(): boolean
  close(): void
}

/**
 * Asks what to do about a page whose process ended: Electron leaves an empty window, or one that was never shown. Loading it again would
 * take what is left of a machine's memory from one that ran out of it, so a person decides.
 */
export function recoverPage(contents: Pick<WebContents, 'on' | 'reload'>, recovery: Recovery): void {
  contents.on('render-process-gone', async (_event, { reason }) => {
    recovery.gone()
    // The window is being closed.
    if (reason === 'clean-exit' || recovery.isClosed()) return
    const isReload = await recovery.ask(questionOf(reason))
    if (recovery.isClosed()) return
    if (isReload) contents.reload()
    else recovery.close()
  })
}

function questionOf(reason: RenderProcessGoneDetails['reason']): PageGoneQuestion {
  const isMemory = reason === 'oom' || reason === 'memory-eviction'
  return {
    message: isMemory ? 'This window ran out of memory.' : 'The page of this window stopped.',
    detail: `Flags, notes and the notebook are kept.${
      isMemory ? ' Files that are too large for a window can be read with `rollout-inspector inspect`.' : ''
    } (${reason})`,
    buttons: ['Load it again', 'Close the window'],
  }
}
