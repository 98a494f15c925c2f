import type { MenuItemConstructorOptions } from 'electron'
import { COMMAND_MENUS, type OfferedCommand } from './bridge.ts'

export interface MenuActions {
  newWindow(): void
  openFiles(): void
  openFolder(): void
  clearRecent(): void
  runCommand(id: string): void
}

/** What of a built menu is used here. */
export interface BuiltMenu {
  getMenuItemById(id: string): { enabled: boolean } | null
}

/** The application's menu with the page's commands in it. It is built again only when there are other commands. */
export class ApplicationMenu {
  private built: BuiltMenu
  private shape = '[]'

  constructor(
    private readonly platform: NodeJS.Platform,
    private readonly actions: MenuActions,
    private readonly show: (template: MenuItemConstructorOptions[]) => BuiltMenu,
  ) {
    this.built = show(menuTemplate(platform, actions, []))
  }

  offer(commands: readonly OfferedCommand[]): void {
    const shape = JSON.stringify(commands.map(({ id, title, menu, keys }) => [id, title, menu, keys]))
    if (shape !== this.shape) this.built = this.show(menuTemplate(this.platform, this.actions, commands))
    this.shape = shape
    for (const { id, isPossible } of commands) {
      const item = this.built.getMenuItemById(itemId(id))
      if (item !== null) item.enabled = isPossible
    }
  }
}

/** Commands of the page that the shell has an item of its own for, which also works without a window. */
const OWN = ['open', 'open-folder']

/** The items of the menu. Whatever concerns a run is a command of the page's own table. */
export function menuTemplate(
  platform: NodeJS.Platform,
  actions: MenuActions,
  commands: readonly OfferedCommand[],
): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin'
  const recent: MenuItemConstructorOptions = { role: 'recentDocuments', submenu: [{ role: 'clearRecentDocuments' }] }
  const end: MenuItemConstructorOptions = { role: mac ? 'close' : 'quit' }
  const file: MenuItemConstructorOptions = {
    label: '&File',
    submenu: [
      { id: 'new-window', label: 'New Window', accelerator: 'CmdOrCtrl+N', click: () => actions.newWindow() },
      { id: 'open-files', label: 'Open Files…', accelerator: 'CmdOrCtrl+O', click: () => actions.openFiles() },
      { id: 'open-folder', label: 'Open Folder…', accelerator: 'CmdOrCtrl+Shift+O', click: () => actions.openFolder() },
      ...(mac ? [recent] : []),
      { id: 'clear-recent', label: 'Clear Recent Files', click: () => actions.clearRecent() },
      { type: 'separator' },
      end,
    ],
  }
  const edit: MenuItemConstructorOptions = {
    label: '&Edit',
    submenu: [{ role: 'copy' }, { role: 'cut' }, { role: 'paste' }, { type: 'separator' }, { role: 'selectAll' }],
  }
  const view: MenuItemConstructorOptions = {
    label: '&View',
    submenu: [
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { type: 'separator' },
      { role: 'togglefullscreen' },
      { role: 'toggleDevTools' },
    ],
  }
  const itemsOf = (menu: OfferedCommand['menu']) =>
    commands
      .filter((command) => command.menu === menu && !OWN.includes(command.id))
      .map((command) => commandItem(command, platform, actions))
  const submenus = COMMAND_MENUS.filter((menu) => !['Go', 'Export', 'General'].includes(menu))
    .map((menu) => ({ label: menu, submenu: itemsOf(menu) }))
    .filter(({ submenu }) => submenu.length > 0)
  const ofPage: MenuItemConstructorOptions[] = [
    { label: '&Go', submenu: itemsOf('Go') },
    { label: '&Commands', submenu: [...itemsOf('General'), { type: 'separator' }, ...submenus] },
    { label: 'E&xport', submenu: itemsOf('Export') },
  ]
  return [
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    file,
    edit,
    view,
    ...(commands.length > 0 ? ofPage : []),
    { role: 'windowMenu' },
  ]
}

function itemId(command: string): string {
  return `command-${command}`
}

function commandItem(
  { id, title, keys, isPossible }: OfferedCommand,
  platform: NodeJS.Platform,
  actions: MenuActions,
): MenuItemConstructorOptions {
  const accelerator = acceleratorOf(keys[0] ?? '', platform)
  return {
    id: itemId(id),
    // A single & marks a letter instead of being drawn.
    label: title.replaceAll('&', '&&'),
    enabled: isPossible,
    // The page takes its keys itself, and leaves them to a field in which someone types: they are only shown here.
    ...(accelerator === null ? {} : { accelerator, registerAccelerator: false }),
    click: () => actions.runCommand(id),
  }
}

/** A key of the page's command table as the menu draws it; null where it has no such drawing. A Mac's menu takes every key that it draws, ⌘Z from a field of text too, and draws none. */
export function acceleratorOf(key: string, platform: NodeJS.Platform): string | null {
  const [, mod, name] = /^(Mod\+)?([A-Za-z0-9])$/.exec(key) ?? []
  if (name === undefined || platform === 'darwin') return null
  return `${mod === undefined ? '' : 'CmdOrCtrl+'}${/[A-Z]/.test(name) ? 'Shift+' : ''}${name.toUpperCase()}`
}
