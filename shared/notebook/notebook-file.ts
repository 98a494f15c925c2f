import { whyNotJson } from '../model/not-json.ts'
import { checkNotebook, type Notebook, NotebookError } from './model.ts'

/** The whole notebook as one JSON text, the same for the same notebook. */
export function notebookText(notebook: Notebook): string {
  return `${JSON.stringify(notebook, null, 2)}\n`
}

/** Reads it back. Throws `NotebookError`; `name` is the file's. */
export function readNotebookText(text: string, name: string): Notebook {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new NotebookError(`${name} is no notebook: it is not JSON (${whyNotJson(text, error)}).`)
  }
  return checkNotebook(value, name)
}
