import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron'
import { version } from '../package.json'
import type { InspectorBridge, OpenedFiles } from './bridge.ts'
import { type Channel, OPEN_FILES, type Requests } from './ipc-contract.ts'

function request<C extends Channel>(channel: C, ...input: Requests[C]['input']): Promise<Requests[C]['output']> {
  return ipcRenderer.invoke(channel, ...input)
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
  recentFiles: () => request('recent-files'),
  openRecent: (id) => request('open-recent', id),
  saveFiles: (files) => request('save-files', files),
  setProgress: (fraction) => request('set-progress', fraction),
}

contextBridge.exposeInMainWorld('inspector', bridge)
