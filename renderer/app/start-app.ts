import { keepShellMenu } from '../commands/shell-menu.ts'
import { loadColumns } from '../data/columns.ts'
import { followProgress } from '../data/dump.ts'
import { loadExportChoice } from '../data/export-choice.ts'
import { keepListFresh } from '../data/list.ts'
import { followOtherWindows, guardLeavingMarks, loadMarks } from '../data/marks.ts'
import { followPrinting } from '../data/printing.ts'
import { loadRecentCommands } from '../data/recent-commands.ts'
import { startSession } from '../data/session.ts'
import { loadViews } from '../data/views.ts'
import { sentenceOf } from '../engine/client.ts'
import { addProblem } from '../state/files.ts'
import { takeDrops } from './drops.ts'
import { keepAddress } from './keep-address.ts'

/** Everything that runs beside React for as long as the page lives. To be called once. */
export function startApp(): void {
  keepListFresh()
  followProgress()
  keepAddress()
  takeDrops()
  keepShellMenu()
  followPrinting()
  followOtherWindows()
  guardLeavingMarks()
  void loadColumns()
  void loadExportChoice()
  void loadViews()
  void loadRecentCommands()
  void loadMarks()
    .then(startSession)
    .catch((error: unknown) => addProblem(sentenceOf(error)))
}
