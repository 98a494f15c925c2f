import { useStore } from 'zustand'
import type { Notebook } from '../../shared/notebook/model.ts'
import { takeDrafts } from '../state/drafts.ts'
import { addProblem } from '../state/files.ts'
import { say } from '../state/view.ts'
import { database } from './database.ts'
import { leavingPlace } from './left-changes.ts'
import { type NotebookEdit, NotebookKeeper } from './notebook-keeper.ts'

/** The notebook of this browser. */
export const keeper = new NotebookKeeper(database, leavingPlace(), addProblem)

let reading: Promise<void> | null = null

/** Reads the notebook once; may be asked for by anyone who needs it. */
export function loadNotebook(): Promise<void> {
  reading ??= keeper.load().then(guardLeaving)
  return reading
}

/** Null until it has been read. */
export function useNotebook(): Notebook | null {
  return useStore(keeper.state, ({ notebook }) => notebook)
}

export function useKeeping() {
  return useStore(keeper.state)
}

/** Changes the notebook; `words` name the change for undo: `Status of H02`. */
export function changeNotebook(words: string, edit: NotebookEdit): void {
  keeper.change(words, edit)
}

export function undoNotebook(): void {
  const words = keeper.undo()
  say(words === null ? 'There is nothing to undo in the notebook' : `Undone: ${words}`)
}

export function redoNotebook(): void {
  const words = keeper.redo()
  say(words === null ? 'There is nothing to redo in the notebook' : `Done again: ${words}`)
}

/**
 * A change is stored at once. What is typed, or on its way to storage, as the page goes is left for the next window. Where that cannot be
 * done, whoever leaves is asked first.
 */
function guardLeaving(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') takeDrafts()
    void keeper.flush()
  })
  // A window that went has left something.
  window.addEventListener('storage', () => void keeper.flush())
  window.addEventListener('beforeunload', (event) => {
    takeDrafts()
    void keeper.flush()
    if (!keeper.leave()) event.preventDefault()
  })
  window.addEventListener('pagehide', () => {
    takeDrafts()
    keeper.leave()
  })
}
