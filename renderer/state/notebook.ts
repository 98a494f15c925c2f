import { createStore } from 'zustand/vanilla'
import type { Notebook } from '../../shared/notebook/model.ts'

/** What the screen knows of the notebook and of whether it is kept. */
export interface NotebookState {
  /** Null until it has been read. */
  readonly notebook: Notebook | null
  /** `saved`: everything on screen is in storage. */
  readonly keeping: 'reading' | 'saved' | 'saving' | 'failed'
  /** When it was last put into storage (ISO 8601); null where it never was. */
  readonly savedAt: string | null
  /** Why it is not kept, in a sentence; null where it is. */
  readonly problem: string | null
  readonly undoable: string | null
  readonly redoable: string | null
}

export function createNotebookState() {
  return createStore<NotebookState>()(() => ({
    notebook: null,
    keeping: 'reading',
    savedAt: null,
    problem: null,
    undoable: null,
    redoable: null,
  }))
}
