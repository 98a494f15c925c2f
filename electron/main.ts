import { join } from 'node:path'
import { app, BrowserWindow, dialog, ipcMain, Menu, nativeTheme, protocol, screen, session, shell } from 'electron'
import { findPlaces } from '../cli/server/places.ts'
import { findSample } from '../cli/server/sample.ts'
import { ServedFiles } from '../cli/server/served-files.ts'
import { createSite } from '../cli/server/site.ts'
import { APP_ORIGIN, APP_SCHEME, handleAppScheme } from './app-protocol.ts'
import type { OpenedFiles } from './bridge.ts'
import { OPEN_FILES, RUN_COMMAND } from './ipc-contract.ts'
import { handleRequests } from './ipc-handlers.ts'
import { ApplicationMenu, type MenuActions } from './menu.ts'
import { OpenFiles, pathsFromArguments } from './open-files.ts'
import { RecentFiles } from './recent.ts'
import { saveFiles } from './save-files.ts'
import { guardContents, guardSession } from './security.ts'
import { windowOptions } from './window.ts'
import { boundsOn, keepPlace, readPlace } from './window-place.ts'
import { saveWorkspace } from './workspace.ts'

// Wiring only: what is decided, the modules decide, and they can be tested without Electron.

const NOTHING: OpenedFiles = { files: [], problems: [] }
const places = findPlaces()
const served = new ServedFiles()
const placeStore = join(app.getPath('userData'), 'window.json')
const recent = new RecentFiles(join(app.getPath('userData'), 'recent.json'))
const opening = new OpenFiles({ served, remember, send: (opened) => window?.webContents.send(OPEN_FILES, opened) })
let window: BrowserWindow | null = null
let menu: ApplicationMenu | null = null

const given = { paths: pathsFromArguments(process.argv, app.isPackaged), directory: process.cwd() }

// One window holds the flags' database; a second start hands its files to the first and ends.
if (app.requestSingleInstanceLock(given)) start()
else app.quit()

function start(): void {
  protocol.registerSchemesAsPrivileged([APP_SCHEME])
  app.on('second-instance', (_event, _argv, _directory, data) => {
    const { paths, directory } = data as typeof given
    bringForward()
    void opening.fromOutside(paths, directory)
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    if (app.isReady()) bringForward()
    void opening.fromOutside([path], '/')
  })
  app.on('web-contents-created', (_event, contents) =>
    guardContents(contents, APP_ORIGIN, (url) => void shell.openExternal(url)),
  )
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  app.on('activate', bringForward)
  void opening.fromOutside(given.paths, given.directory)
  void app.whenReady().then(ready)
}

function ready(): void {
  guardSession(session.defaultSession, APP_ORIGIN)
  const pageSession = async () => ({ files: [], sample: await findSample(places.samples), notice: null })
  handleAppScheme(protocol, createSite({ places, served, session: pageSession }))
  handleRequests(ipcMain, APP_ORIGIN, {
    ready: () => opening.pageReady(),
    'pick-files': pick,
    'remember-dropped': async (path) => {
      remember(path)
      return undefined
    },
    'open-workspace': (path) => opening.open([path], '/'),
    'save-workspace': (files, address) => saveWorkspace(files, address, served, saveDialogs, remember),
    'recent-files': async () => recent.list(),
    'open-recent': async (id) => {
      const path = recent.pathOf(id)
      return path === null
        ? { files: [], problems: ['That file is no longer among the recent ones.'] }
        : opening.open([path], '/')
    },
    'save-files': (files) => saveFiles(files, saveDialogs),
    'offer-commands': async (commands) => {
      menu?.offer(commands)
      return undefined
    },
    'set-progress': async (fraction) => {
      window?.setProgressBar(fraction ?? -1)
      return undefined
    },
  })
  const openPicked = async (what: 'files' | 'folder') => {
    bringForward()
    const opened = await pick(what)
    if (opened !== NOTHING) window?.webContents.send(OPEN_FILES, opened)
  }
  const actions: MenuActions = {
    openFiles: () => void openPicked('files'),
    openFolder: () => void openPicked('folder'),
    clearRecent() {
      recent.clear()
      app.clearRecentDocuments()
    },
    runCommand: (id) => window?.webContents.send(RUN_COMMAND, id),
  }
  menu = new ApplicationMenu(process.platform, actions, (template) => {
    const built = Menu.buildFromTemplate(template)
    Menu.setApplicationMenu(built)
    return built
  })
  bringForward()
}

/** The window, made when there is none, in front of others. */
function bringForward(): void {
  if (!app.isReady()) return
  if (window !== null) {
    if (window.isMinimized()) window.restore()
    window.focus()
    return
  }
  const place = readPlace(placeStore)
  const bounds = boundsOn(
    place,
    screen.getAllDisplays().map(({ workArea }) => workArea),
  )
  const made = new BrowserWindow(windowOptions(places.preload, nativeTheme.shouldUseDarkColors, bounds))
  window = made
  made.once('ready-to-show', () => (place?.maximized ? made.maximize() : made.show()))
  made.on('close', () => keepPlace(placeStore, { ...made.getNormalBounds(), maximized: made.isMaximized() }))
  made.on('closed', () => {
    window = null
    opening.pageGone()
    menu?.offer([])
  })
  made.webContents.on('did-start-navigation', (details) => {
    if (details.isMainFrame && !details.isSameDocument) opening.pageGone()
  })
  made
    .loadURL(`${APP_ORIGIN}/`)
    .catch((error: Error) => console.error(`The page could not be loaded: ${error.message}`))
}

async function pick(what: 'files' | 'folder'): Promise<OpenedFiles> {
  const properties: ('openDirectory' | 'openFile' | 'multiSelections')[] =
    what === 'folder' ? ['openDirectory'] : ['openFile', 'multiSelections']
  const { canceled, filePaths } = await dialog.showOpenDialog(parentWindow(), { properties })
  return canceled ? NOTHING : opening.open(filePaths, '/')
}

const saveDialogs = {
  async file(suggestedName: string) {
    const { canceled, filePath } = await dialog.showSaveDialog(parentWindow(), { defaultPath: suggestedName })
    return canceled ? null : filePath
  },
  async folder() {
    const properties = ['openDirectory' as const, 'createDirectory' as const]
    const { canceled, filePaths } = await dialog.showOpenDialog(parentWindow(), {
      properties,
      buttonLabel: 'Save here',
    })
    return canceled ? null : (filePaths[0] ?? null)
  },
  async replace(names: readonly string[]) {
    const { response } = await dialog.showMessageBox(parentWindow(), {
      type: 'warning',
      message:
        names.length === 1 ? `${names[0]} is already there.` : `${names.length} of these files are already there.`,
      detail: names.join('\n'),
      buttons: ['Replace', 'Cancel'],
      defaultId: 1,
      cancelId: 1,
    })
    return response === 0
  },
}

function parentWindow(): BrowserWindow {
  if (window === null) throw new Error('There is no window to show a dialog in.')
  return window
}

function remember(path: string): void {
  recent.add(path)
  app.addRecentDocument(path)
}
