import { useStore } from 'zustand'
import type { Notebook } from '../../shared/notebook/model.ts'
import { say } from '../state/view.ts'
import { database } from './database.ts'
import { type NotebookEdit, NotebookKeeper } from './notebook-keeper.ts'

/** The notebook of this browser. */
export const keeper = new NotebookKeeper(database)

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

/** A change is stored at once; whoever leaves in the moment that this takes, or after it was refused, is asked first. */
function guardLeaving(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void keeper.flush()
  })
  window.addEventListener('beforeunload', (event) => {
    if (!keeper.isUnsaved) return
    void keeper.flush()
    event.preventDefault()
  })
}
