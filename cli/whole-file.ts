import { randomBytes } from 'node:crypto'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * A file that is written beside its name and takes it only once all of it is on disk: whatever happens meanwhile, under the name
 * stands what stood there before, or the whole. A pipe or a device has nothing beside it and is written to as it is.
 */
export class WholeFile {
  private constructor(
    private readonly handle: FileHandle,
    private readonly target: string,
    /** Null where the target itself is written to. */
    private readonly unfinished: string | null,
  ) {}

  /** Throws what the file system says where nothing can be written there. */
  static async create(path: string): Promise<WholeFile> {
    const before = await stat(path).catch(() => null)
    if (before !== null && !before.isFile()) return new WholeFile(await open(path, 'w'), path, null)
    // A link stays one: what it leads to is replaced.
    const target = await realpath(path).catch(() => path)
    const unfinished = join(dirname(target), `.unfinished-${randomBytes(6).toString('hex')}`)
    try {
      return new WholeFile(await open(unfinished, 'wx', before?.mode ?? 0o666), target, unfinished)
    } catch (error) {
      // A file may be open to a person whose folder is not.
      if (before === null || (error as NodeJS.ErrnoException).code !== 'EACCES') throw error
      return new WholeFile(await open(target, 'w'), target, null)
    }
  }

  async write(content: Uint8Array | string): Promise<void> {
    await this.handle.writeFile(content)
  }

  /** Gives the file its name. */
  async commit(): Promise<void> {
    if (this.unfinished !== null) await this.handle.sync()
    await this.handle.close()
    if (this.unfinished !== null) await rename(this.unfinished, this.target)
  }

  /** Takes away what was written. To be called after any error; it throws none of its own. */
  async discard(): Promise<void> {
    await this.handle.close().catch(() => undefined)
    if (this.unfinished !== null) await rm(this.unfinished, { force: true }).catch(() => undefined)
  }
}

/** Writes a whole file, or leaves what was there and throws what the file system says. */
export async function writeWhole(path: string, content: Uint8Array | string): Promise<void> {
  const file = await WholeFile.create(path)
  try {
    await file.write(content)
    await file.commit()
  } catch (error) {
    await file.discard()
    throw error
  }
}

/** Why a file could not be written, to stand behind its name. */
export function cannotWrite(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full'
  if (code === 'EFBIG') return 'it is larger than a file may be there'
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'that folder may not be written to'
  if (code === 'EISDIR') return 'it is a folder'
  if (code === 'ENOENT') return 'that folder does not exist'
  return error instanceof Error ? error.message : String(error)
}
