import type { Command } from '../../commands/command.ts'
import { goTo } from '../../state/place.ts'
import { show } from '../../state/view.ts'
import { labPlace, PANELS, type Panel, resetLab } from './lab-place.ts'

const where = ['lab'] as const

export const LAB_COMMANDS: readonly Command[] = [
  { id: 'lab-next', title: 'Next panel of the lab', keys: ['l', ']'], where, run: () => turn(1) },
  { id: 'lab-back', title: 'Previous panel of the lab', keys: ['h', '['], where, run: () => turn(-1) },
  { id: 'lab-reset', title: 'Take back everything that is tried', keys: ['x'], where, run: resetLab },
  {
    id: 'lab-export',
    title: 'Save what is tried as a table…',
    keys: [],
    where,
    // Evidence and all that it needs are loaded when they are asked for.
    run: () => void import('../../data/lab-export.ts').then(({ saveTried }) => saveTried()),
  },
  { id: 'try-limits', title: 'Try other limits', keys: [], run: () => open('limits') },
  { id: 'try-loss', title: 'Try another loss or scaling of advantages', keys: [], run: () => open('loss') },
  { id: 'try-policy', title: 'Try another policy', keys: [], run: () => open('policy') },
  { id: 'try-repair', title: 'Look at repaired masks', keys: [], run: () => open('repair') },
]

function open(panel: Panel): void {
  goTo('lab', { panel: panel === 'limits' ? null : panel })
  show('lab')
}

function turn(step: 1 | -1): void {
  const at = PANELS.indexOf(labPlace().panel) + step
  const panel = PANELS[(at + PANELS.length) % PANELS.length] as Panel
  goTo('lab', { panel: panel === 'limits' ? null : panel })
}
