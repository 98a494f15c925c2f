import type { MessageBoxSyncOptions, WebContents } from 'electron'

type Question = Pick<MessageBoxSyncOptions, 'message' | 'detail'> & { readonly buttons: [string, string] }

export const LEAVING_MARKS: Question = {
  message: 'Some of what you marked or wrote is not kept yet.',
  detail:
    'It may be lost when this window leaves the page. Stay to export your marks or to save the notebook as a file.',
  buttons: ['Leave without it', 'Stay'],
}

/** While an export is written a page asks for that reason, and it may ask for the other as well. */
export const LEAVING_EXPORT: Question = {
  message: 'An export is still being written.',
  detail:
    'When this window leaves the page the export stops, and nothing of it is saved. Marks and notes that could not be kept before may be lost with it.',
  buttons: ['Stop and leave', 'Stay'],
}

/**
 * Asks whether to leave a page that says it holds something which is not kept. A browser asks by itself; Electron leaves such a window
 * open without a word. `mayLeave` shows the question and waits for the answer.
 */
export function askBeforeLeaving(contents: Pick<WebContents, 'on'>, mayLeave: () => boolean): void {
  contents.on('will-prevent-unload', (event) => {
    if (mayLeave()) event.preventDefault()
  })
}
