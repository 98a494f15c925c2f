import type { Delta } from '../../shared/notebook/delta.ts'
import { newId } from './new-id.ts'

const PREFIX = 'rollout-inspector.notebook.left.'

/**
 * Where changes of the notebook are written down in the moment a window is left: the database takes longer than the window lasts.
 * The window that is opened next puts them into the database.
 */
export class NotebookJournal {
  private readonly own = `${PREFIX}${newId()}`
  /** What lies here and goes into the database with the next write. */
  private taken: readonly string[] = []

  /** @param storage that of the browser, which takes what it is given before it returns */
  constructor(private readonly storage: Storage) {}

  /** Throws where the storage is full or refuses. */
  write(changes: readonly Delta[]): void {
    this.storage.setItem(this.own, JSON.stringify(changes))
  }

  /** What windows that are gone could not store, each with its changes, oldest first. What is no list is left out. */
  take(): readonly (readonly Delta[])[] {
    this.taken = Object.keys(this.storage).filter((name) => name.startsWith(PREFIX))
    return this.taken.flatMap((name) => parseChanges(this.storage.getItem(name)))
  }

  /** To be called once everything that was written and taken is in the database. */
  clear(): void {
    for (const name of [...this.taken, this.own]) this.storage.removeItem(name)
    this.taken = []
  }
}

function parseChanges(text: string | null): readonly (readonly Delta[])[] {
  try {
    const changes: unknown = JSON.parse(text ?? '')
    return Array.isArray(changes) ? [changes as Delta[]] : []
  } catch {
    return []
  }
}

/** The browser's, or null where it gives none. */
export function browserJournal(): NotebookJournal | null {
  try {
    return new NotebookJournal(localStorage)
  } catch {
    return null
  }
}
