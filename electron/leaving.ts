import type { WebContents } from 'electron'

/**
 * Asks whether to leave a page that says it holds something which is not kept. A browser asks by itself; Electron leaves such a window
 * open without a word. `mayLeave` shows the question and waits for the answer.
 */
export function askBeforeLeaving(contents: Pick<WebContents, 'on'>, mayLeave: () => boolean): void {
  contents.on('will-prevent-unload', (event) => {
    if (mayLeave()) event.preventDefault()
  })
}
