import type { OfferedCommand } from '../../electron/bridge.ts'
import { useFiles } from '../state/files.ts'
import { useView, VIEWS, type View } from '../state/view.ts'
import { type Command, isPossible } from './command.ts'
import { COMMANDS } from './commands.ts'
import { EXPORT_COMMANDS } from './export-commands.ts'

const MENU_OF_VIEW: Readonly<Partial<Record<View, OfferedCommand['menu']>>> = {
  rollouts: 'Table',
  rollout: 'Rollout',
  groups: 'Groups',
  lab: 'Lab',
  compare: 'Compare',
  notebook: 'Notebook',
}

/** Where a command stands in the desktop application's menu, from what the table says of it. */
function menuOf(command: Command): OfferedCommand['menu'] {
  if (EXPORT_COMMANDS.includes(command)) return 'Export'
  if (VIEWS.some((view) => view === command.id)) return 'Go'
  const view = Array.isArray(command.where) ? (command.where as readonly View[])[0] : undefined
  return (view === undefined ? undefined : MENU_OF_VIEW[view]) ?? 'General'
}

/** Keeps the commands in the desktop application's menu, and gives those that are chosen there. To be called once. */
export function keepShellMenu(): void {
  const shell = window.inspector
  if (shell === undefined) return
  let told = ''
  const tell = () => {
    const commands = COMMANDS.map((command) => ({
      id: command.id,
      title: command.title,
      menu: menuOf(command),
      keys: command.keys,
      isPossible: canBeGiven(command),
    }))
    const now = commands.map((command) => Number(command.isPossible)).join('')
    if (now === told) return
    told = now
    void shell.offerCommands(commands)
  }
  for (const store of [useFiles, useView]) store.subscribe(tell)
  shell.onCommand((id) => {
    const command = COMMANDS.find((candidate) => candidate.id === id)
    if (command !== undefined && canBeGiven(command)) command.run()
  })
  tell()
}

/** What a person has typed into a dialog is not taken away by a menu. */
function canBeGiven(command: Command): boolean {
  return useView.getState().dialog === null && isPossible(command)
}
