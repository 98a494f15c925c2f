import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron'
import { version } from '../package.json'
import type { InspectorBridge, OpenedFiles } from './bridge.ts'
import { type Channel, OPEN_FILES, type Requests, RUN_COMMAND, type WorkspaceFile } from './ipc-contract.ts'

function request<C extends Channel>(channel: C, ...input: Requests[C]['input']): Promise<Requests[C]['output']> {
  return ipcRenderer.invoke(channel, ...input)
}

/** A file that a script made lies nowhere, and has an address of no file. */
function placed(name: string, from: File | string): WorkspaceFile {
  if (typeof from === 'string') return { name, url: from }
  const path = webUtils.getPathForFile(from)
  return path === '' ? { name, url: '' } : { name, path }
}

const bridge: InspectorBridge = {
  version,
  ready: () => request('ready'),
  onOpenFiles(listener) {
    const forward = (_event: IpcRendererEvent, opened: OpenedFiles) => listener(opened)
    ipcRenderer.on(OPEN_FILES, forward)
    return () => void ipcRenderer.off(OPEN_FILES, forward)
  },
  pickFiles: (what) => request('pick-files', what),
  async rememberDropped(file) {
    const path = webUtils.getPathForFile(file)
    if (path !== '') await request('remember-dropped', path)
  },
  async openWorkspace(file) {
    const path = webUtils.getPathForFile(file)
    return path === ''
      ? { files: [], problems: [`${file.name} is no file of yours.`] }
      : request('open-workspace', path)
  },
  saveWorkspace: (sources, address) =>
    request(
      'save-workspace',
      sources.map(({ name, from }) => placed(name, from)),
      address,
    ),
  recentFiles: () => request('recent-files'),
  openRecent: (id) => request('open-recent', id),
  beginSaving: (name) => request('begin-saving', name),
  mayWrite: (id, names) => request('may-write', id, names),
  writePiece: (id, name, bytes) => request('write-piece', id, name, bytes),
  endSaving: (id) => request('end-saving', id),
  stopSaving: (id) => request('stop-saving', id),
  picture: () => request('picture'),
  offerCommands: (commands) => request('offer-commands', commands),
  onCommand(listener) {
    const forward = (_event: IpcRendererEvent, id: string) => listener(id)
    ipcRenderer.on(RUN_COMMAND, forward)
    return () => void ipcRenderer.off(RUN_COMMAND, forward)
  },
  setProgress: (fraction) => request('set-progress', fraction),
}

contextBridge.exposeInMainWorld('inspector', bridge)
