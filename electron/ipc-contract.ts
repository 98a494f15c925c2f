import type { BegunSaving, OfferedCommand, OpenedFiles, RecentFile, SaveResult } from './bridge.ts'

/** Requests of the page to the shell: channel, its parameters, its answer. The preload calls them, `ipc-handlers.ts` answers. */
export interface Requests {
  ready: { input: []; output: OpenedFiles }
  'pick-files': { input: [what: 'files' | 'folder']; output: OpenedFiles }
  /** A path that the preload took from a dropped `File`; page code cannot name one. */
  'remember-dropped': { input: [path: string]; output: undefined }
  'open-workspace': { input: [path: string]; output: OpenedFiles }
  'save-workspace': { input: [files: readonly WorkspaceFile[], address: string]; output: SaveResult }
  'recent-files': { input: []; output: readonly RecentFile[] }
  'open-recent': { input: [id: string]; output: OpenedFiles }
  'begin-saving': { input: [name: string | null]; output: BegunSaving | null }
  'may-write': { input: [id: number, names: readonly string[]]; output: boolean }
  'write-piece': { input: [id: number, name: string, bytes: Uint8Array]; output: string | null }
  'end-saving': { input: [id: number]; output: SaveResult }
  'stop-saving': { input: [id: number]; output: undefined }
  picture: { input: []; output: Uint8Array }
  'offer-commands': { input: [commands: readonly OfferedCommand[]]; output: undefined }
  'set-progress': { input: [fraction: number | null]; output: undefined }
}

/** A file that is open: one that was dropped by its `path`, which only the preload can name, any other by its `url`. */
export interface WorkspaceFile {
  readonly name: string
  readonly url?: string
  readonly path?: string
}

export type Channel = keyof Requests

/** Messages from the shell to the page: this one carries `OpenedFiles`. */
export const OPEN_FILES = 'open-files'
/** Carries the id of a command. */
export const RUN_COMMAND = 'run-command'
