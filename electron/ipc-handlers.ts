import type { IpcMain, IpcMainInvokeEvent, WebContents } from 'electron'
import { COMMAND_MENUS, type OfferedCommand } from './bridge.ts'
import type { Channel, Requests, WorkspaceFile } from './ipc-contract.ts'
import { isOurs } from './security.ts'

/** What answers a page, by channel; `from` is the page that asks. */
export type Handlers = {
  [C in Channel]: (from: WebContents, ...input: Requests[C]['input']) => Promise<Requests[C]['output']>
}

const MOST_COMMANDS = 500

/** The shape each channel's parameters must have; the page is not trusted with any other. */
const SHAPES: { [C in Channel]: (input: readonly unknown[]) => boolean } = {
  ready: (input) => input.length === 0,
  'pick-files': ([what]) => what === 'files' || what === 'folder',
  'remember-dropped': ([path]) => typeof path === 'string' && path !== '',
  'open-workspace': ([path]) => typeof path === 'string' && path !== '',
  'save-workspace': ([files, address]) =>
    Array.isArray(files) && files.every(isWorkspaceFile) && typeof address === 'string',
  'recent-files': (input) => input.length === 0,
  'open-recent': ([id]) => typeof id === 'string',
  picture: (input) => input.length === 0,
  'begin-saving': ([name]) => name === null || typeof name === 'string',
  'may-write': ([id, names]) =>
    typeof id === 'number' && Array.isArray(names) && names.every((name) => typeof name === 'string'),
  'write-piece': ([id, name, bytes]) =>
    typeof id === 'number' && typeof name === 'string' && bytes instanceof Uint8Array,
  'end-saving': ([id]) => typeof id === 'number',
  'stop-saving': ([id]) => typeof id === 'number',
  'offer-commands': ([commands]) =>
    Array.isArray(commands) && commands.length <= MOST_COMMANDS && commands.every(isOfferedCommand),
  'set-progress': ([value]) => value === null || (typeof value === 'number' && value >= 0 && value <= 1),
}

/** Registers the answers. A request from any frame but the top one of our page, or of another shape, is refused. */
export function handleRequests(ipcMain: IpcMain, origin: string, handlers: Handlers): void {
  for (const channel of Object.keys(SHAPES) as Channel[]) {
    const answer = handlers[channel] as (from: WebContents, ...input: unknown[]) => Promise<unknown>
    ipcMain.handle(channel, (event, ...input: unknown[]) => {
      if (!isFromOurPage(event, origin)) throw new Error(`${channel}: only the page of this application may ask that.`)
      if (!SHAPES[channel](input)) throw new Error(`${channel}: the request has another shape than it must have.`)
      return answer(event.sender, ...input)
    })
  }
}

function isFromOurPage({ senderFrame }: IpcMainInvokeEvent, origin: string): boolean {
  return senderFrame !== null && senderFrame.parent === null && isOurs(senderFrame.url, origin)
}

function isWorkspaceFile(value: unknown): value is WorkspaceFile {
  if (typeof value !== 'object' || value === null) return false
  const { name, url, path } = value as Record<string, unknown>
  return typeof name === 'string' && typeof (path === undefined ? url : path) === 'string' && path !== ''
}

function isOfferedCommand(value: unknown): value is OfferedCommand {
  if (typeof value !== 'object' || value === null) return false
  const { id, title, menu, keys, isPossible } = value as Record<string, unknown>
  return (
    typeof id === 'string' &&
    typeof title === 'string' &&
    COMMAND_MENUS.some((known) => known === menu) &&
    Array.isArray(keys) &&
    keys.every((key) => typeof key === 'string') &&
    typeof isPossible === 'boolean'
  )
}
