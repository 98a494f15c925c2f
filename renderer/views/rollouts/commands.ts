import type { Command } from '../../commands/command.ts'
import { openRollout } from '../../commands/go.ts'
import { move } from '../../commands/move.ts'
import { list } from '../../data/list.ts'
import { NO_FILTERS, useFilters } from '../../state/filters.ts'
import { useSelection } from '../../state/selection.ts'
import { MARK_COMMANDS } from './mark-commands.ts'

export const TABLE_COMMANDS: readonly Command[] = [
  { id: 'down', title: 'Next rollout', keys: ['j', 'ArrowDown'], where: ['rollouts'], run: () => move(1) },
  { id: 'up', title: 'Previous rollout', keys: ['k', 'ArrowUp'], where: ['rollouts'], run: () => move(-1) },
  { id: 'enter', title: 'Open the rollout', keys: ['Enter'], where: ['rollouts'], run: openSelected },
  {
    id: 'clear',
    title: 'Clear the filters',
    keys: ['x'],
    where: ['rollouts'],
    run: () => useFilters.setState(NO_FILTERS),
  },
  ...MARK_COMMANDS,
]

function openSelected(): void {
  const { rollout } = useSelection.getState()
  const first = list.get()[0]
  if (rollout !== null) openRollout(rollout)
  else if (first !== undefined) openRollout(first)
}
