import type { MenuItemConstructorOptions } from 'electron'

export interface MenuActions {
  openFiles(): void
  openFolder(): void
  clearRecent(): void
}

/** The application's menu. What concerns a rollout is the page's, with its own keys. */
export function menuTemplate(platform: NodeJS.Platform, actions: MenuActions): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin'
  const recent: MenuItemConstructorOptions = { role: 'recentDocuments', submenu: [{ role: 'clearRecentDocuments' }] }
  const end: MenuItemConstructorOptions = { role: mac ? 'close' : 'quit' }
  const file: MenuItemConstructorOptions = {
    label: '&File',
    submenu: [
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
  return [...(mac ? [{ role: 'appMenu' } as const] : []), file, edit, view, { role: 'windowMenu' }]
}
