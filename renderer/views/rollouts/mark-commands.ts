import { rolloutAtCursor } from '../../commands/at-cursor.ts'
import type { Command } from '../../commands/command.ts'
import { flagListed, flagSelected, isOnlyRead } from '../../commands/flagging.ts'
import { redoMarks, undoMarks } from '../../data/marks.ts'
import { exportMarks } from '../../data/marks-file.ts'
import { pickMarks } from '../../data/pick-marks.ts'
import { selectRollout } from '../../state/selection.ts'
import { openDialog, say } from '../../state/view.ts'

const HERE = ['rollouts', 'rollout'] as const

/** What a person leaves on rollouts, and what can be done with it. */
export const MARK_COMMANDS: readonly Command[] = [
  { id: 'flag', title: 'Flag or unflag the rollout', keys: ['f'], where: HERE, run: flagSelected },
  {
    id: 'flag-listed',
    title: 'Flag all rollouts that the table lists, or take all these flags off',
    also: 'every query found filter many',
    keys: ['F'],
    where: ['rollouts'],
    run: flagListed,
  },
  { id: 'label', title: 'Label the rollout…', keys: ['t'], where: HERE, run: () => mark('label') },
  { id: 'note', title: 'Note on the rollout, or on marked tokens…', keys: ['N'], where: HERE, run: () => mark('note') },
  { id: 'undo', title: 'Undo the last flag, label or note', keys: ['Mod+z'], where: HERE, run: () => void undoMarks() },
  { id: 'redo', title: 'Redo it', keys: ['Mod+Z', 'Mod+y'], where: HERE, run: () => void redoMarks() },
  {
    id: 'export-marks',
    title: 'Export marks of this dump (flags, labels, notes)',
    keys: [],
    run: () => void exportMarks('here'),
  },
  {
    id: 'export-all-marks',
    title: 'Export marks of all dumps (flags, labels, notes)',
    keys: [],
    where: 'always',
    run: () => void exportMarks('all'),
  },
  { id: 'import-marks', title: 'Import marks…', keys: [], where: 'always', run: () => void pickMarks() },
]

function mark(dialog: 'label' | 'note'): void {
  if (isOnlyRead()) return
  const rollout = rolloutAtCursor()
  if (rollout === undefined) say('There is no rollout to mark')
  else {
    selectRollout(rollout)
    openDialog(dialog)
  }
}
