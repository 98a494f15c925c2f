import { keepBusySign } from '../busy/busy-sign.ts'
import { keepShellMenu } from '../commands/shell-menu.ts'
import { loadColumns } from '../data/columns.ts'
import { database } from '../data/database.ts'
import { followEngine } from '../data/dump.ts'
import { loadExportChoice } from '../data/export-choice.ts'
import { guardLeavingExport } from '../data/exporting.ts'
import { keepListFresh } from '../data/list.ts'
import { followOtherWindows, guardLeavingMarks, loadMarks, whyNot } from '../data/marks.ts'
import { followPrinting } from '../data/printing.ts'
import { loadRecentCommands } from '../data/recent-commands.ts'
import { databaseInBucket, keepSecondCopy } from '../data/second-copy.ts'
import { startSession } from '../data/session.ts'
import { loadViews } from '../data/views.ts'
import { sentenceOf } from '../engine/client.ts'
import { startEngine } from '../engine/engine.ts'
import { addProblem } from '../state/files.ts'
import { tellCutText } from './cut-text.ts'
import { takeDrops } from './drops.ts'
import { keepAddress } from './keep-address.ts'

/** Milliseconds. */
const IDLE_AT_LAST = 1000

const WAS_EMPTIED =
  'The browser found its storage damaged and emptied it. Flags, labels, notes, views and the notebook are back from their second copy; what was not said to be kept yet may be missing.'

const copyUnreadable = (error: unknown) =>
  `The browser’s second copy of your flags, labels, notes, views and notebook cannot be read: ${whyNot(error)} If something that you kept is missing here, close this window and open it again: it comes back once the copy can be read. What you keep meanwhile is stored, but once only; export your marks and save the notebook as a file.`

/** Everything that runs beside React for as long as the page lives. To be called once. */
export function startApp(): void {
  const secondCopy = keepSecondCopy(database, databaseInBucket, {
    onRestored: () => addProblem(WAS_EMPTIED),
    onUnreadable: (error) => addProblem(copyUnreadable(error)),
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void secondCopy.flush()
  })
  keepListFresh()
  followEngine()
  keepAddress()
  takeDrops()
  keepShellMenu()
  followPrinting()
  tellCutText()
  followOtherWindows()
  guardLeavingMarks()
  guardLeavingExport()
  // Once the page is drawn, which the engine's code would hold up.
  requestIdleCallback(
    () => {
      startEngine()
      keepBusySign()
    },
    { timeout: IDLE_AT_LAST },
  )
  void loadColumns()
  void loadExportChoice()
  void loadViews()
  void loadRecentCommands()
  void loadMarks()
    .then(startSession)
    .catch((error: unknown) => addProblem(sentenceOf(error)))
}
