/**
 * What the preload lends the page, as `window.inspector`, in the desktop shell only: a browser has no such
 * property and the page falls back on file inputs and downloads. The page never sees a path. No verb rejects:
 * what went wrong comes back as a sentence.
 */
export interface InspectorBridge {
  /** Version of the application, such as `0.1.0`. */
  readonly version: string
  /** Tells the shell that the page listens; gives what was to be opened before that (arguments, OS open-file). */
  ready(): Promise<OpenedFiles>
  /** Files opened from outside the page: menu, a second start, the operating system. Returns the unsubscriber. */
  onOpenFiles(listener: (opened: OpenedFiles) => void): () => void
  /** The operating system's open dialog, for files or for one folder. Nothing opened when it was cancelled. */
  pickFiles(what: 'files' | 'folder'): Promise<OpenedFiles>
  /**
   * Adds a dropped file to the recent ones. The page reads a dropped `File` by itself; a file without a path (made by a
   * script) is ignored.
   */
  rememberDropped(file: File): Promise<void>
  /** Opens what a dropped workspace names. */
  openWorkspace(file: File): Promise<OpenedFiles>
  /**
   * Keeps which files are open and what is on screen as a `.rollout-workspace`, where the save dialog says.
   *
   * @param sources dropped files, or those that the shell opened, by their `url`
   * @param address the page's own, from the `#` on
   */
  saveWorkspace(
    sources: readonly { readonly name: string; readonly from: File | string }[],
    address: string,
  ): Promise<SaveResult>
  /** Newest first; files that are gone are left out. */
  recentFiles(): Promise<readonly RecentFile[]>
  /** Opens a recent file or folder by its `id`. */
  openRecent(id: string): Promise<OpenedFiles>
  /**
   * Asks where files go that are about to be made: a single one of this name by the save dialog, several (null) into a folder. Null where
   * that was cancelled.
   */
  beginSaving(name: string | null): Promise<BegunSaving | null>
  /** Asks before files of these names are replaced; false where that is not wanted. */
  mayWrite(id: number, names: readonly string[]): Promise<boolean>
  /** Adds to a file, in a folder to one that `mayWrite` allowed; null, or what went wrong. */
  writePiece(id: number, name: string, bytes: Uint8Array): Promise<string | null>
  /** Gives the files their names, of which nothing was there before. */
  endSaving(id: number): Promise<SaveResult>
  /** Takes away what was written. */
  stopSaving(id: number): Promise<void>
  /** What the window shows, as the bytes of a PNG in the pixels of the display; empty where nothing could be drawn. */
  picture(): Promise<Uint8Array>
  /** The page's commands, for the application's menu; to be told again whenever one becomes possible or ceases to be. */
  offerCommands(commands: readonly OfferedCommand[]): Promise<void>
  /** A command was chosen in the application's menu. Returns the unsubscriber. */
  onCommand(listener: (id: string) => void): () => void
  /** Progress on the task bar or dock icon, 0 to 1; null takes it away. */
  setProgress(fraction: number | null): Promise<void>
}

/** A file that the page may read, by ranged GET on `url`. */
export interface OpenedFile {
  /** Base name, or the path relative to the folder that was opened. */
  readonly name: string
  /** From the root of the page's origin: `/file/<handle>`. */
  readonly url: string
  /** Bytes, when it was opened. */
  readonly size: number
}

export interface OpenedFiles {
  readonly files: readonly OpenedFile[]
  /** One sentence per thing that could not be opened, with what to do. */
  readonly problems: readonly string[]
  /** What was on screen when the workspace that names these files was saved, as it stands behind the `#`. */
  readonly address?: string
  /** A place that a link points to, from the `#` on: in what is opened with it, else in what is open. */
  readonly link?: string
}

export interface RecentFile {
  readonly id: string
  readonly name: string
  /** The last folders above it, for telling like names apart. Never a whole path. */
  readonly where: string
  /** ISO 8601. */
  readonly openedAt: string
}

/** Where in the menu a command stands: among the general ones, or in one of the submenus. */
export const COMMAND_MENUS = [
  'Go',
  'Export',
  'General',
  'Table',
  'Rollout',
  'Groups',
  'Lab',
  'Compare',
  'Notebook',
] as const

export interface OfferedCommand {
  readonly id: string
  readonly title: string
  readonly menu: (typeof COMMAND_MENUS)[number]
  /** As in the page's command table: `j`, `J` (with shift), `Mod+k`. */
  readonly keys: readonly string[]
  readonly isPossible: boolean
}

/** Files that are being saved, and the last part of the path that a person chose for them. */
export interface BegunSaving {
  readonly id: number
  readonly where: string
}

export type SaveResult =
  | { readonly kind: 'saved'; readonly names: readonly string[] }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly message: string }

declare global {
  interface Window {
    readonly inspector?: InspectorBridge
  }
}
