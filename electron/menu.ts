import type { MenuItemConstructorOptions } from 'electron'
import { visibleText } from '../shared/exports/visible-text.ts'
import { COMMAND_MENUS, type OfferedCommand, type RecentFile } from './bridge.ts'

export interface MenuActions {
  newWindow(): void
  openFiles(): void
  openFolder(): void
  openRecent(id: string): void
  clearRecent(): void
  runCommand(id: string): void
}

/** What of a built menu is used here. */
export interface BuiltMenu {
  getMenuItemById(id: string): { enabled: boolean } | null
}

/** The application's menu with the page's commands in it. It is built again only for other commands or other recent files. */
export class ApplicationMenu {
  private built: BuiltMenu
  private commands: readonly OfferedCommand[] = []
  private recent: readonly RecentFile[] = []

  constructor(
    private readonly platform: NodeJS.Platform,
    private readonly actions: MenuActions,
    private readonly show: (template: MenuItemConstructorOptions[]) => BuiltMenu,
  ) {
    this.built = show(menuTemplate(platform, actions, [], []))
  }

  offer(commands: readonly OfferedCommand[]): void {
    const isOther = shapeOf(commands) !== shapeOf(this.commands)
    this.commands = commands
    if (isOther) this.build()
    for (const { id, isPossible } of commands) {
      const item = this.built.getMenuItemById(itemId(id))
      if (item !== null) item.enabled = isPossible
    }
  }

  /** Shows what was opened last, newest first. */
  recall(recent: readonly RecentFile[]): void {
    const isOther = recent.map(({ id }) => id).join() !== this.recent.map(({ id }) => id).join()
    this.recent = recent
    if (isOther) this.build()
  }

  private build(): void {
    this.built = this.show(menuTemplate(this.platform, this.actions, this.commands, this.recent))
  }
}

/** What an item keeps as long as it is there. */
function shapeOf(commands: readonly OfferedCommand[]): string {
  return JSON.stringify(commands.map(({ id, title, menu, keys }) => [id, title, menu, keys]))
}

/** Only a key that gives a plus by itself, or by Shift, zooms in else. */
const MORE_ZOOM_KEYS: readonly MenuItemConstructorOptions[] = (
  [
    ['zoomIn', '='],
    ['zoomIn', 'numadd'],
    ['zoomOut', 'numsub'],
    ['resetZoom', 'num0'],
  ] as const
).map(([role, key]) => ({
  role,
  accelerator: `CmdOrCtrl+${key}`,
  visible: false,
  acceleratorWorksWhenHidden: true,
}))

/** Commands of the page that the shell has an item of its own for, which also works without a window. */
const OWN = ['open', 'open-folder']

/** The items of the menu. Whatever concerns a run is a command of the page's own table. */
export function menuTemplate(
  platform: NodeJS.Platform,
  actions: MenuActions,
  commands: readonly OfferedCommand[],
  recent: readonly RecentFile[],
): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin'
  const end: MenuItemConstructorOptions = { role: mac ? 'close' : 'quit' }
  const file: MenuItemConstructorOptions = {
    label: '&File',
    submenu: [
      { id: 'new-window', label: 'New Window', accelerator: 'CmdOrCtrl+N', click: () => actions.newWindow() },
      { id: 'open-files', label: 'Open Files…', accelerator: 'CmdOrCtrl+O', click: () => actions.openFiles() },
      { id: 'open-folder', label: 'Open Folder…', accelerator: 'CmdOrCtrl+Shift+O', click: () => actions.openFolder() },
      ...recentItems(mac, actions, recent),
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
      ...MORE_ZOOM_KEYS,
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

/** macOS keeps a list of its own, which other systems have in no menu. */
function recentItems(
  mac: boolean,
  actions: MenuActions,
  recent: readonly RecentFile[],
): readonly MenuItemConstructorOptions[] {
  const clear = { id: 'clear-recent', label: 'Clear Recent Files', click: () => actions.clearRecent() }
  if (mac) return [{ role: 'recentDocuments', submenu: [{ role: 'clearRecentDocuments' }] }, clear]
  if (recent.length === 0) return [{ label: 'Open Recent', enabled: false }]
  const items = recent.map(({ id, name, where }) => ({
    label: plainLabel(`${shortName(name)}  (${shortName(where)})`),
    click: () => actions.openRecent(id),
  }))
  return [{ label: 'Open Recent', submenu: [...items, { type: 'separator' }, clear] }]
}

/** A file may be called anything: what is long loses its middle. */
function shortName(name: string): string {
  const seen = visibleText(name)
  const letters = [...seen]
  if (letters.length <= LONGEST_NAME) return seen
  const half = LONGEST_NAME / 2
  return `${letters.slice(0, half).join('')}…${letters.slice(-half).join('')}`
}

/** Characters of a name in the menu. */
const LONGEST_NAME = 60

/** A single & marks a letter instead of being drawn. */
function plainLabel(text: string): string {
  return text.replaceAll('&', '&&')
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
    label: plainLabel(title),
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
