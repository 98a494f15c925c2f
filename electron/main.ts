import { join } from 'node:path'
import { app, BrowserWindow, dialog, ipcMain, Menu, nativeTheme, protocol, screen, session, shell } from 'electron'
import { findPlaces } from '../cli/server/places.ts'
import { findSample } from '../cli/server/sample.ts'
import { ServedFiles } from '../cli/server/served-files.ts'
import { createSite } from '../cli/server/site.ts'
import { APP_ORIGIN, APP_SCHEME, handleAppScheme, SCHEME } from './app-protocol.ts'
import type { OfferedCommand } from './bridge.ts'
import { recoverPage } from './crashed.ts'
import { OPEN_FILES, RUN_COMMAND } from './ipc-contract.ts'
import { handleRequests } from './ipc-handlers.ts'
import { askBeforeLeaving, LEAVING_EXPORT, LEAVING_MARKS } from './leaving.ts'
import { ApplicationMenu, type MenuActions } from './menu.ts'
import { OpenFiles, pathsFromArguments } from './open-files.ts'
import { quitOnceWritten } from './quitting.ts'
import { RecentFiles } from './recent.ts'
import { type SaveDialogs, Savings } from './save-files.ts'
import { guardContents, guardSession } from './security.ts'
import { windowOptions } from './window.ts'
import { besides, boundsOn, frameOffset, keepPlace, readPlace } from './window-place.ts'
import { type InspectorWindow, Windows } from './windows.ts'
import { saveWorkspace } from './workspace.ts'

// Wiring only: what is decided, the modules decide, and they can be tested without Electron.

const places = findPlaces()
const served = new ServedFiles()
const placeStore = join(app.getPath('userData'), 'window.json')
const recent = new RecentFiles(join(app.getPath('userData'), 'recent.json'))
/** Milliseconds in which a window that is shown has got its frame, and nobody has moved it yet. */
const FRAMED_AFTER = 500
const savings = new Savings()
const windows = new Windows<BrowserWindow>((commands: readonly OfferedCommand[]) => menu?.offer(commands))
/** What was to be opened before there could be a window. */
const early: (typeof given)[] = []
let isUp = false
let menu: ApplicationMenu | null = null

const given = { paths: pathsFromArguments(process.argv, app.isPackaged), directory: process.cwd() }

// One process holds the flags' database; a second start hands its files to the first and ends.
if (app.requestSingleInstanceLock(given)) start()
else app.quit()

function start(): void {
  protocol.registerSchemesAsPrivileged([APP_SCHEME])
  app.on('second-instance', (_event, _argv, _directory, data) => {
    openFromOutside(data as typeof given)
  })
  app.on('open-file', (event, path) => {
    event.preventDefault()
    openFromOutside({ paths: [path], directory: '/' })
  })
  app.on('open-url', (event, url) => {
    event.preventDefault()
    openFromOutside({ paths: [url], directory: '/' })
  })
  // Elsewhere the package says so.
  if (app.isPackaged && process.platform === 'win32') app.setAsDefaultProtocolClient(SCHEME)
  app.on('web-contents-created', (_event, contents) => guardContents(contents, APP_ORIGIN, openOutside))
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  quitOnceWritten(app, savings)
  app.on('activate', () => {
    if (isUp) bringForward()
  })
  early.push(given)
  void app.whenReady().then(ready)
}

function ready(): void {
  guardSession(session.defaultSession, APP_ORIGIN)
  const pageSession = async () => ({ files: [], sample: await findSample(places.samples), notice: null })
  handleAppScheme(protocol, createSite({ places, served, session: pageSession }))
  handleRequests(ipcMain, APP_ORIGIN, {
    ready: (from) => windows.of(from).opening.pageReady(),
    'pick-files': async (from, what) => {
      const { window, opening } = windows.of(from)
      return opening.open(await pickPaths(window, what), '/')
    },
    'remember-dropped': async (_from, path) => {
      remember(path)
      return undefined
    },
    'open-workspace': (from, path) => windows.of(from).opening.open([path], '/'),
    'save-workspace': (from, files, address) =>
      saveWorkspace(files, address, { served, savings, dialogs: saveDialogs(windows.of(from).window), remember }),
    'recent-files': async () => recent.list(),
    'open-recent': async (from, id) => {
      const path = recent.pathOf(id)
      return path === null
        ? { files: [], problems: ['That file is no longer among the recent ones.'] }
        : windows.of(from).opening.open([path], '/')
    },
    'begin-saving': (from, name) => savings.begin(from, name, saveDialogs(windows.of(from).window)),
    'may-write': (from, id, names) => savings.of(from, id).mayWrite(names),
    'write-piece': (from, id, name, bytes) => savings.write(from, id, name, bytes),
    'end-saving': (from, id) => savings.end(from, id),
    'stop-saving': async (from, id) => {
      await savings.stop(from, id)
      return undefined
    },
    picture: async (from) => (await from.capturePage()).toPNG(),
    'offer-commands': async (from, commands) => {
      windows.offer(from, commands)
      return undefined
    },
    'set-progress': async (from, fraction) => {
      windows.of(from).window.setProgressBar(fraction ?? -1)
      return undefined
    },
  })
  const openPicked = async (what: 'files' | 'folder') => {
    const { window, opening } = bringForward()
    await opening.fromOutside(await pickPaths(window, what), '/')
  }
  const actions: MenuActions = {
    newWindow: () => void makeWindow(),
    openFiles: () => void openPicked('files'),
    openFolder: () => void openPicked('folder'),
    openRecent(id) {
      const path = recent.pathOf(id)
      if (path !== null) void bringForward().opening.fromOutside([path], '/')
    },
    clearRecent() {
      recent.clear()
      app.clearRecentDocuments()
      menu?.recall([])
    },
    runCommand: (id) => windows.front()?.window.webContents.send(RUN_COMMAND, id),
  }
  menu = new ApplicationMenu(process.platform, actions, (template) => {
    const built = Menu.buildFromTemplate(template)
    Menu.setApplicationMenu(built)
    return built
  })
  menu.recall(recent.list())
  isUp = true
  const { opening } = bringForward()
  for (const { paths, directory } of early.splice(0)) void opening.fromOutside(paths, directory)
}

function openFromOutside(one: typeof given): void {
  if (isUp) void bringForward().opening.fromOutside(one.paths, one.directory)
  else early.push(one)
}

/** The window that was used last, made when there is none, in front of others. */
function bringForward(): InspectorWindow<BrowserWindow> {
  const front = windows.front()
  if (front === null) return makeWindow()
  if (front.window.isMinimized()) front.window.restore()
  front.window.focus()
  return front
}

function makeWindow(): InspectorWindow<BrowserWindow> {
  const front = windows.front()
  const place = front === null ? readPlace(placeStore) : besides(front.window.getNormalBounds())
  const bounds = boundsOn(
    place,
    screen.getAllDisplays().map(({ workArea }) => workArea),
  )
  const made = new BrowserWindow(windowOptions(places.preload, nativeTheme.shouldUseDarkColors, bounds))
  const opening = new OpenFiles({
    served,
    remember,
    send: (opened) => {
      if (!made.isDestroyed()) made.webContents.send(OPEN_FILES, opened)
    },
  })
  const added = windows.add(made, opening)
  let offset: ReturnType<typeof frameOffset> | null = null
  const placed = () => {
    const says = made.getNormalBounds()
    offset ??= frameOffset(bounds, says)
    return { ...says, x: says.x - offset.x, y: says.y - offset.y }
  }
  made.once('ready-to-show', () => {
    if (place?.maximized) made.maximize()
    else made.show()
    setTimeout(() => made.isDestroyed() || placed(), FRAMED_AFTER)
  })
  made.on('close', () => keepPlace(placeStore, { ...placed(), maximized: made.isMaximized() }))
  const { webContents } = made
  const pageGone = () => {
    opening.pageGone()
    void savings.pageGone(webContents)
  }
  made.on('closed', () => {
    windows.remove(made)
    pageGone()
  })
  made.on('focus', () => windows.bringToFront(made))
  askBeforeLeaving(made.webContents, () => mayLeave(made))
  recoverPage(webContents, {
    gone() {
      pageGone()
      windows.offer(webContents, [])
      if (made.isDestroyed()) return
      made.setProgressBar(-1)
      // One that ended before it was painted would leave nothing to be seen.
      made.show()
    },
    async ask({ buttons, ...question }) {
      const options = { type: 'error' as const, ...question, buttons: [...buttons], defaultId: 0, cancelId: 0 }
      return (await dialog.showMessageBox(made, options)).response === 0
    },
    isClosed: () => made.isDestroyed(),
    close: () => made.close(),
  })
  // Another page is there. Of one that only begins to load nobody knows yet: the guard, or the page itself, may keep it from coming.
  webContents.on('did-navigate', pageGone)
  made
    .loadURL(`${APP_ORIGIN}/`)
    .catch((error: Error) => console.error(`The page could not be loaded: ${error.message}`))
  return added
}

function openOutside(url: string): void {
  shell.openExternal(url).catch((error: Error) => console.error(`${url} could not be opened: ${error.message}`))
}

function mayLeave(window: BrowserWindow): boolean {
  const response = dialog.showMessageBoxSync(window, {
    type: 'warning',
    ...(savings.isSaving(window.webContents) ? LEAVING_EXPORT : LEAVING_MARKS),
    defaultId: 1,
    cancelId: 1,
  })
  return response === 0
}

/** What a person chose in the open dialog; nothing where it was cancelled. */
async function pickPaths(window: BrowserWindow, what: 'files' | 'folder'): Promise<readonly string[]> {
  const properties: ('openDirectory' | 'openFile' | 'multiSelections')[] =
    what === 'folder' ? ['openDirectory'] : ['openFile', 'multiSelections']
  const { canceled, filePaths } = await dialog.showOpenDialog(window, { properties })
  return canceled ? [] : filePaths
}

const saveDialogs = (window: BrowserWindow): SaveDialogs => ({
  async file(suggestedName: string) {
    const { canceled, filePath } = await dialog.showSaveDialog(window, { defaultPath: suggestedName })
    return canceled ? null : filePath
  },
  async folder() {
    const properties = ['openDirectory' as const, 'createDirectory' as const]
    const { canceled, filePaths } = await dialog.showOpenDialog(window, {
      properties,
      buttonLabel: 'Save here',
    })
    return canceled ? null : (filePaths[0] ?? null)
  },
  async replace(names: readonly string[]) {
    const { response } = await dialog.showMessageBox(window, {
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
})

function remember(path: string): void {
  recent.add(path)
  app.addRecentDocument(path)
  menu?.recall(recent.list())
}
