import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, sep } from 'node:path'
import type { RecentFile } from './bridge.ts'

const MOST = 12

interface Entry {
  readonly path: string
  readonly openedAt: string
}

/** Recently opened files and folders, newest first, kept in one JSON file. Linux has no such list of its own. */
export class RecentFiles {
  private entries: readonly Entry[]

  constructor(
    private readonly storePath: string,
    private readonly now: () => Date = () => new Date(),
  ) {
    this.entries = readEntries(storePath)
  }

  /** Puts an absolute path first. */
  add(path: string): void {
    const others = this.entries.filter((entry) => entry.path !== path)
    this.entries = [{ path, openedAt: this.now().toISOString() }, ...others].slice(0, MOST)
    this.store()
  }

  clear(): void {
    this.entries = []
    this.store()
  }

  /** What the page may know of them; those that are gone are left out. */
  list(): RecentFile[] {
    return this.entries
      .filter((entry) => existsSync(entry.path))
      .map(({ path, openedAt }) => ({ id: idOf(path), name: basename(path), where: lastFolders(path), openedAt }))
  }

  pathOf(id: string): string | null {
    return this.entries.find((entry) => idOf(entry.path) === id)?.path ?? null
  }

  /** That it cannot be written is no reason not to open a file. */
  private store(): void {
    const unfinished = `${this.storePath}.new`
    try {
      mkdirSync(dirname(this.storePath), { recursive: true })
      writeFileSync(unfinished, JSON.stringify(this.entries, null, 2))
      renameSync(unfinished, this.storePath)
    } catch (error) {
      console.error(`Recent files could not be kept: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

/** A list that cannot be read is an empty list: it is a convenience, and never a reason not to start. */
function readEntries(path: string): Entry[] {
  try {
    const stored: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return Array.isArray(stored) ? stored.filter(isEntry).slice(0, MOST) : []
  } catch {
    return []
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false
  const { path, openedAt } = value as Record<string, unknown>
  return typeof path === 'string' && typeof openedAt === 'string'
}

function idOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16)
}

function lastFolders(path: string): string {
  return dirname(path).split(sep).slice(-2).join(sep)
}
