import type { InspectorBridge } from '../../electron/bridge.ts'
import type { ExportPlace } from '../state/exporting.ts'
import { DirectoryPlace, pickDirectory } from './save-directory.ts'

/** Where files go as they are made. Their bytes stand under their names once all of them are whole. */
export interface SavePlace {
  /** Asks where any of these would take the place of another file; false where that is not wanted. Rejects with the signal's reason. */
  mayWrite(names: readonly string[], signal: AbortSignal): Promise<boolean>
  /** Adds to a file whose name `mayWrite` was asked about. Rejects with a sentence. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  /** Says behind what was saved where it is: `written into exports`. Rejects with a sentence. */
  end(): Promise<string>
  /** Leaves nothing behind of what was begun. */
  discard(): Promise<void>
}

/**
 * Asks a person where files are to go; null where nowhere. Browsers open their dialog only for a moment after a click.
 *
 * @param archive the name of the one file that all of them go into, where they do
 */
export async function askPlace(place: ExportPlace, archive: string | null): Promise<SavePlace | null> {
  if (window.inspector !== undefined) {
    const begun = await window.inspector.beginSaving(archive)
    return begun === null ? null : new ShellPlace(window.inspector, begun.id, begun.where)
  }
  if (place !== 'folder') return new DownloadPlace()
  const directory = await pickDirectory('export')
  return directory === null ? null : new DirectoryPlace(directory)
}

/** Keeps files until they are whole, the browser's way and not in the page's memory, and hands them to its downloads. */
class DownloadPlace implements SavePlace {
  private readonly files = new Map<string, Blob[]>()

  async mayWrite(): Promise<boolean> {
    return true
  }

  async write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const pieces = this.files.get(name) ?? []
    this.files.set(name, pieces)
    pieces.push(new Blob([bytes]))
  }

  async end(): Promise<string> {
    for (const [name, pieces] of this.files) download(name, pieces)
    return `exported as ${[...this.files.keys()].join(', ')}`
  }

  async discard(): Promise<void> {
    this.files.clear()
  }
}

/** A file or a folder that a person chose in the shell. */
class ShellPlace implements SavePlace {
  constructor(
    private readonly shell: InspectorBridge,
    private readonly id: number,
    private readonly where: string,
  ) {}

  mayWrite(names: readonly string[]): Promise<boolean> {
    return this.shell.mayWrite(this.id, names)
  }

  async write(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const problem = await this.shell.writePiece(this.id, name, bytes)
    if (problem !== null) throw new Error(problem)
  }

  async end(): Promise<string> {
    const saved = await this.shell.endSaving(this.id)
    if (saved.kind === 'failed') throw new Error(saved.message)
    return `written into ${this.where}`
  }

  async discard(): Promise<void> {
    await this.shell.stopSaving(this.id)
  }
}

function download(name: string, pieces: readonly Blob[]): void {
  const url = URL.createObjectURL(new Blob([...pieces], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has taken hold of the bytes by the time the next task runs; a minute is generous for a slow disk.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
