import { randomBytes } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import type { OpenedFile } from '../../electron/bridge.ts'

interface ServedFile {
  readonly path: string
  /** The folder that the file must lie in at the moment it is read, links resolved; null = it was named by a person. */
  readonly within: string | null
}

/**
 * The files that a page may read, each under a handle that cannot be guessed. A path never leaves this class, and what
 * was not added cannot be asked for.
 */
export class ServedFiles {
  private readonly byHandle = new Map<string, ServedFile>()
  private readonly handles = new Map<string, string>()

  /** Gives a file its address; the same file keeps the same one. `within` binds it to a folder. */
  add(path: string, name: string, size: number, within: string | null = null): OpenedFile {
    const known = this.handles.get(path)
    const handle = known ?? randomBytes(16).toString('base64url')
    this.handles.set(path, handle)
    this.byHandle.set(handle, { path, within })
    return { name, url: `/file/${handle}`, size }
  }

  /** Path behind a handle; null when there is none, or when a link now leads out of the folder it was bound to. */
  async pathOf(handle: string): Promise<string | null> {
    const file = this.byHandle.get(handle)
    if (file === undefined) return null
    if (file.within === null) return file.path
    return insideFolder(file.path, file.within)
  }
}

/** The real path when, links resolved, it lies in `folder`; null when it does not or does not exist. */
export async function insideFolder(path: string, folder: string): Promise<string | null> {
  try {
    const [realFile, realFolder] = await Promise.all([realpath(path), realpath(folder)])
    const way = relative(realFolder, realFile)
    const outside = way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
    return outside ? null : realFile
  } catch {
    return null
  }
}
