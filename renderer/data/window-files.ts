import type { SourceInput } from '../../shared/session/protocol.ts'
import { useFiles } from '../state/files.ts'
import { isOpenedFile, urlSource } from './served-folder.ts'

const KEY = 'window-files'

/**
 * Keeps which files of the page's host are open, as long as the window lives: the process of its page may end, and the page be loaded again. Files
 * that were not read to their end are not kept: it may have ended of them.
 */
export function keepWindowFiles(): void {
  useFiles.subscribe(({ phase, sources }, before) => {
    if (phase === before.phase && sources === before.sources) return
    const isRead = phase === 'open' && sources.every(({ kind }) => kind === 'url')
    try {
      if (isRead) sessionStorage.setItem(KEY, JSON.stringify(sources))
      else sessionStorage.removeItem(KEY)
    } catch {
      // Without storage they are opened by hand.
    }
  })
}

/** What was open before the page was loaded again. */
export function windowFiles(): SourceInput[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isOpenedFile).map((file) => urlSource(file)) : []
  } catch {
    return []
  }
}
