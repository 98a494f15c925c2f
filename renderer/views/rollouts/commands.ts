import { rolloutAtCursor } from '../../commands/at-cursor.ts'
import type { Command } from '../../commands/command.ts'
import { openRollout } from '../../commands/go.ts'
import { move } from '../../commands/move.ts'
import { list, positionOf } from '../../data/list.ts'
import { setQuery, useFilters } from '../../state/filters.ts'
import { selectRollout, useSelection } from '../../state/selection.ts'
import { openDialog, say } from '../../state/view.ts'
import { MARK_COMMANDS } from './mark-commands.ts'
import { pageOfTable } from './page-of-table.ts'
import { queryLine } from './query-focus.ts'

export const TABLE_COMMANDS: readonly Command[] = [
  { id: 'down', title: 'Next rollout', keys: ['j', 'ArrowDown'], where: ['rollouts'], run: () => move(1) },
  { id: 'up', title: 'Previous rollout', keys: ['k', 'ArrowUp'], where: ['rollouts'], run: () => move(-1) },
  {
    id: 'page-down',
    title: 'A page down',
    keys: ['PageDown'],
    where: ['rollouts'],
    run: () => leap(pageOfTable.rows()),
  },
  { id: 'page-up', title: 'A page up', keys: ['PageUp'], where: ['rollouts'], run: () => leap(-pageOfTable.rows()) },
  { id: 'first', title: 'First rollout of the list', keys: ['Home'], where: ['rollouts'], run: () => leap(-Infinity) },
  { id: 'last', title: 'Last rollout of the list', keys: ['End'], where: ['rollouts'], run: () => leap(Infinity) },
  {
    id: 'query',
    title: 'Query…',
    also: 'search find filter rollouts findings',
    keys: ['/', 'Mod+f'],
    where: ['rollouts'],
    run: () => queryLine.focus(),
  },
  { id: 'views', title: 'Views of the table…', keys: ['v'], where: ['rollouts'], run: () => openDialog('views') },
  { id: 'columns', title: 'Columns of the table…', keys: ['c'], where: ['rollouts'], run: () => openDialog('columns') },
  {
    id: 'by-group',
    title: 'Put the rollouts of a group together',
    keys: ['g'],
    where: ['rollouts'],
    run: () => together('group'),
  },
  {
    id: 'by-step',
    title: 'Put the rollouts of a step together',
    keys: [],
    where: ['rollouts'],
    run: () => together('step'),
  },
  { id: 'enter', title: 'Open the rollout', keys: ['Enter'], where: ['rollouts'], run: openSelected },
  {
    id: 'clear',
    title: 'Show all rollouts',
    keys: ['x'],
    where: ['rollouts'],
    run: () => setQuery(''),
  },
  ...MARK_COMMANDS,
]

/** A second time lets them go again. */
function together(sort: 'group' | 'step'): void {
  const isSo = useFilters.getState().sort === sort
  useFilters.setState({ sort: isSo ? 'index' : sort, descending: false })
  say(isSo ? 'In the order of the files' : `Sorted by ${sort}`)
}

function leap(rows: number): void {
  const indices = list.get()
  const at = Math.max(0, positionOf(useSelection.getState().rollout))
  const to = Math.max(0, Math.min(indices.length - 1, at + rows))
  if (indices[to] !== undefined) selectRollout(indices[to])
}

function openSelected(): void {
  const rollout = rolloutAtCursor()
  if (rollout !== undefined) openRollout(rollout)
}
