import { askPerson, dialogsClosed } from '../state/question.ts'
import { counted } from '../text/numbers.ts'
import type { SavePlace } from './save-places.ts'

type DirectoryPicker = (options: { mode: 'readwrite'; id: string }) => Promise<FileSystemDirectoryHandle>

/** The browser's way to write into a folder (File System Access); only some have it, and the desktop shell allows it to none. */
function picker(): DirectoryPicker | null {
  const own = (window as { showDirectoryPicker?: DirectoryPicker }).showDirectoryPicker
  return window.inspector === undefined && own !== undefined ? own.bind(window) : null
}

export function canPickDirectory(): boolean {
  return picker() !== null
}

/** The folder that a person picks; null where none was picked. Rejects where the browser does not allow it. */
export async function pickDirectory(id: string): Promise<FileSystemDirectoryHandle | null> {
  try {
    return (await picker()?.({ mode: 'readwrite', id })) ?? null
  } catch (error) {
    if ((error as Error).name === 'AbortError') return null
    throw nothingWritten('the folder', error)
  }
}

const REFUSALS: Readonly<Record<string, string>> = {
  NotAllowedError: 'the browser may not write there',
  QuotaExceededError: 'there is no room left',
  NotFoundError: 'it is no longer there',
  NoModificationAllowedError: 'another program holds a file of it',
}

/** What a browser's own words leave out: what could not be done, and that nothing is left of it. */
function nothingWritten(where: string, error: unknown): unknown {
  if (!(error instanceof DOMException)) return error
  const words = error.message.replace(/\.$/, '')
  const why = REFUSALS[error.name]
  return new Error(
    `Nothing was written into ${where}: ${why === undefined ? words : `${why} (${words})`}. Choose another place, or export as downloads.`,
    { cause: error },
  )
}

/**
 * A folder that files are written into as they are made. What was there stays until everything is written; only where the browser fails as
 * it gives them their names may some of them be there, and the error names those. A file that is new stands empty under its name from its
 * first piece on, as the browser gives no other way to write one: `discard` takes it away, and a tab that dies before leaves it.
 */
export class DirectoryPlace implements SavePlace {
  private readonly there = new Set<string>()
  private readonly begun = new Map<string, FileSystemWritableFileStream | null>()
  private named = 0

  constructor(private readonly directory: FileSystemDirectoryHandle) {}

  async mayWrite(names: readonly string[], signal: AbortSignal): Promise<boolean> {
    for (const name of names) if (await isThere(this.directory, name)) this.there.add(name)
    if (this.there.size === 0) return true
    await dialogsClosed(signal)
    return mayReplace(this.directory, [...this.there])
  }

  async write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    try {
      await (this.begun.get(name) ?? (await this.begin(name))).write(bytes)
    } catch (error) {
      throw nothingWritten(this.directory.name, error)
    }
  }

  async end(): Promise<string> {
    try {
      for (const stream of this.begun.values()) {
        await stream?.close()
        this.named++
      }
    } catch (error) {
      const names = [...this.begun.keys()]
      const kept = names.slice(0, this.named)
      if (kept.length === 0) throw nothingWritten(this.directory.name, error)
      const failed = `${names[this.named]} could not be written: ${(error as Error).message.replace(/\.$/, '')}`
      throw new Error(`${failed}. Only ${kept.join(', ')} was saved; choose another place.`, { cause: error })
    }
    return `written into ${this.directory.name}`
  }

  async discard(): Promise<void> {
    for (const [name, stream] of [...this.begun].slice(this.named)) {
      await stream?.abort().catch(() => undefined)
      // The browser makes an empty file when it is asked for one.
      if (!this.there.has(name)) await this.directory.removeEntry(name).catch(() => undefined)
    }
  }

  private async begin(name: string): Promise<FileSystemWritableFileStream> {
    const handle = await this.directory.getFileHandle(name, { create: true })
    this.begun.set(name, null)
    const stream = await handle.createWritable()
    this.begun.set(name, stream)
    return stream
  }
}

async function isThere(directory: FileSystemDirectoryHandle, name: string): Promise<boolean> {
  try {
    await directory.getFileHandle(name)
    return true
  } catch (error) {
    if ((error as Error).name === 'NotFoundError') return false
    throw error
  }
}

function mayReplace(directory: FileSystemDirectoryHandle, names: readonly string[]): Promise<boolean> {
  return askPerson({
    title: `Replace ${counted(names.length, 'file')} in ${directory.name}?`,
    says: [`${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}: there already.`],
    yes: 'Replace',
  })
}
