import type { Command } from '../../commands/command.ts'
import { flagSelected } from '../../commands/flagging.ts'
import { openRollout } from '../../commands/go.ts'
import { openExport } from '../../commands/open-export.ts'
import { ask } from '../../engine/engine.ts'
import { selectRollout } from '../../state/selection.ts'
import { say } from '../../state/view.ts'
import { groupList } from './group-list-data.ts'
import { chooseSibling, EVERY_GROUP, groupsPlace, layBeside, narrow, showGroup } from './groups-place.ts'
import { saveGroups, saveSiblings } from './save-tables.ts'
import { showInTable, shownGroup } from './shown-group.ts'

const where = ['groups'] as const

export const GROUP_COMMANDS: readonly Command[] = [
  { id: 'next-group', title: 'Next group', keys: ['j', 'ArrowDown'], where, run: () => moveGroup(1) },
  { id: 'previous-group', title: 'Previous group', keys: ['k', 'ArrowUp'], where, run: () => moveGroup(-1) },
  { id: 'next-sibling', title: 'Next rollout of the group', keys: ['J', ']'], where, run: () => void moveSibling(1) },
  {
    id: 'previous-sibling',
    title: 'Previous rollout of the group',
    keys: ['K', '['],
    where,
    run: () => void moveSibling(-1),
  },
  { id: 'open-sibling', title: 'Open the chosen rollout', keys: ['Enter'], where, run: () => void openSibling() },
  {
    id: 'siblings-beside',
    title: 'Lay the chosen rollout and the next one side by side, token by token',
    keys: ['d'],
    where,
    run: () => void toggleBeside(),
  },
  { id: 'flag-sibling', title: 'Flag or unflag the chosen rollout', keys: ['f'], where, run: () => void flagSibling() },
  {
    id: 'group-in-table',
    title: 'Show the rollouts of this group in the table',
    keys: ['r'],
    where,
    run: () => {
      const group = shownGroup.get()
      if (group !== null) showInTable(group)
    },
  },
  { id: 'all-groups', title: 'List all groups', keys: ['x'], where, run: () => narrow(EVERY_GROUP) },
  {
    id: 'dead-groups',
    title: 'List the dead groups',
    keys: [],
    where,
    run: () => narrow({ ...EVERY_GROUP, kinds: ['dead'] }),
  },
  {
    id: 'noise-groups',
    title: 'List the groups whose rewards differ by noise',
    keys: [],
    where,
    run: () => narrow({ ...EVERY_GROUP, kinds: ['noise'] }),
  },
  { id: 'export-groups', title: 'Save the listed groups as a table…', keys: [], where, run: exportGroups },
  {
    id: 'export-siblings',
    title: 'Save the rollouts of this group with their advantages as a table…',
    keys: [],
    where,
    run: exportSiblings,
  },
  {
    id: 'export-listed-groups',
    title: 'Export the rollouts of all listed groups…',
    keys: [],
    where,
    run: () => openExport('listed-groups'),
  },
]

function moveGroup(step: 1 | -1): void {
  const positions = groupList.get()
  if (positions.length === 0) return
  const { group } = groupsPlace()
  const at = group === null ? 0 : positions.indexOf(group)
  const next = at === -1 ? 0 : Math.max(0, Math.min(positions.length - 1, at + step))
  if (next === at) say(step === 1 ? 'This is the last group of the list' : 'This is the first group of the list')
  showGroup(positions[next] as number)
}

/** The rollout that is chosen in the group on screen, and its place among them. Asked for, since the screen may be a key behind. */
async function chosen(): Promise<{ readonly at: number; readonly indices: readonly number[] } | null> {
  const { group, rollout } = groupsPlace()
  const position = group ?? groupList.get()[0]
  if (position === undefined) return null
  const { indices } = await ask('groupMembers', { positions: [position] })
  return { at: Math.max(0, indices.indexOf(rollout ?? -1)), indices }
}

async function moveSibling(step: 1 | -1): Promise<void> {
  const here = await chosen()
  if (here === null) return
  const next = here.indices[here.at + step]
  if (next !== undefined) chooseSibling(next)
  else say(step === 1 ? 'This is the last rollout of the group' : 'This is the first rollout of the group')
}

async function openSibling(): Promise<void> {
  const here = await chosen()
  if (here !== null) openRollout(here.indices[here.at] as number)
}

async function flagSibling(): Promise<void> {
  const here = await chosen()
  if (here === null) return
  selectRollout(here.indices[here.at] as number)
  flagSelected()
}

async function toggleBeside(): Promise<void> {
  if (groupsPlace().beside !== null) {
    layBeside(null)
    return
  }
  const here = await chosen()
  if (here === null) return
  const other = here.indices[here.at + 1] ?? here.indices[here.at - 1]
  if (other === undefined) say('This group has one rollout: there is none to lay beside it')
  else layBeside(other)
}

function exportGroups(): void {
  saveGroups(groupsPlace().query, groupList.get().length)
}

function exportSiblings(): void {
  const group = shownGroup.get()
  if (group === null) return
  saveSiblings(group.row)
}
