import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { cannotWrite, WholeFile } from '../cli/whole-file.ts'
import { portableName } from '../shared/exports/file-names.ts'
import type { BegunSaving, SaveResult } from './bridge.ts'

interface FileToSave {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The three questions that saving may ask a person. */
export interface SaveDialogs {
  /** Where one file goes; null = cancelled. */
  file(suggestedName: string): Promise<string | null>
  /** Which folder several files go to; null = cancelled. */
  folder(): Promise<string | null>
  /** Whether files that are there may be replaced. */
  replace(names: readonly string[]): Promise<boolean>
}

/** Files that are written as they are made, where a person said before, and get their names once all of them are on disk. */
export class Saving {
  private readonly begun = new Map<string, WholeFile>()
  /** The names that `mayWrite` allowed, by path; paths are one that differ only in capitals, as some file systems have it. */
  private readonly allowed = new Map<string, string>()
  private named = 0
  private stopped = false
  /** Pieces are written one after the other, as they came. */
  private last: Promise<unknown> = Promise.resolve()

  private constructor(
    /** Last part of the path: never the whole. */
    readonly where: string,
    private readonly pathOf: (name: string) => string,
    private readonly dialogs: SaveDialogs | null,
  ) {}

  /**
   * Null where that was cancelled.
   *
   * @param name of the one file, null where several go to a folder
   */
  static async begin(name: string | null, dialogs: SaveDialogs): Promise<Saving | null> {
    const path = await (name === null ? dialogs.folder() : dialogs.file(plainName(name)))
    if (path === null) return null
    // The dialog for one file has asked by itself.
    if (name !== null) return new Saving(basename(path), () => path, null)
    return new Saving(basename(path), (each) => join(path, plainName(each)), dialogs)
  }

  /** Asks before files are replaced that are there. Of names that have one path the first is allowed. */
  async mayWrite(names: readonly string[]): Promise<boolean> {
    if (this.dialogs === null) return true
    const there = names.map(this.pathOf).filter((path) => existsSync(path))
    if (there.length > 0 && !(await this.dialogs.replace(there.map((path) => basename(path))))) return false
    for (const name of names) {
      const path = this.pathOf(name).toLowerCase()
      if (!this.allowed.has(path)) this.allowed.set(path, name)
    }
    return true
  }

  /** Adds to a file that `mayWrite` allowed. A sentence, or null when it went well; after one nothing of any file is left. */
  write(name: string, bytes: Uint8Array): Promise<string | null> {
    const written = this.last.then(() => this.writePiece(name, bytes))
    this.last = written
    return written
  }

  private async writePiece(name: string, bytes: Uint8Array): Promise<string | null> {
    const path = this.pathOf(name)
    let problem: string | null = null
    try {
      if (!this.stopped) {
        this.checkAllowed(name, path)
        await (await this.fileAt(path))?.write(bytes)
      }
    } catch (error) {
      problem = this.sentence(path, error)
    }
    // Stopped meanwhile, a write may fail for no other reason than that its file was closed.
    if (this.stopped) problem = `${basename(path)} was not written: saving was stopped.`
    if (problem !== null) await this.discard()
    return problem
  }

  /** The page is not trusted to have asked. For one file the dialog has, whatever the page calls it. */
  private checkAllowed(name: string, path: string): void {
    if (this.dialogs === null) return
    const allowed = this.allowed.get(path.toLowerCase())
    if (allowed === undefined) throw new Error('nobody was asked for a file of that name')
    if (allowed !== name) throw new Error('another of these files has that name')
  }

  /** Null where saving was stopped before there was one: `discard` could not know of it. */
  private async fileAt(path: string): Promise<WholeFile | null> {
    const begun = this.begun.get(path)
    if (begun !== undefined) return begun
    const file = await WholeFile.create(path)
    if (this.stopped) {
      await file.discard()
      return null
    }
    this.begun.set(path, file)
    return file
  }

  /** Gives the files their names. */
  async end(): Promise<SaveResult> {
    await this.last
    if (this.stopped) return { kind: 'failed', message: 'Nothing was saved: saving was stopped.' }
    const paths = [...this.begun.keys()]
    try {
      for (const file of this.begun.values()) {
        await file.commit()
        this.named++
      }
      return { kind: 'saved', names: paths.map((path) => basename(path)) }
    } catch (error) {
      await this.discard()
      return { kind: 'failed', message: this.sentence(paths[this.named] as string, error) }
    }
  }

  /** Takes away what has no name yet. Nothing is written after it. */
  async discard(): Promise<void> {
    this.stopped = true
    for (const file of [...this.begun.values()].slice(this.named)) await file.discard()
  }

  private sentence(path: string, error: unknown): string {
    const kept = [...this.begun.keys()].slice(0, this.named).map((each) => basename(each))
    const left = kept.length === 0 ? 'Nothing of it was saved' : `Only ${kept.join(', ')} was saved`
    return `${basename(path)} could not be written: ${cannotWrite(error)}. ${left}; choose another place.`
  }
}

/** What the pages of windows are saving. */
export class Savings {
  private readonly all = new Map<number, { readonly owner: object; readonly saving: Saving }>()
  private readonly asking = new Set<{ readonly owner: object; isGone: boolean }>()
  /** What goes on on the disk. */
  private readonly work = new Set<Promise<unknown>>()
  private last = 0

  /** Null where that was cancelled, or the page is gone that asked. */
  async begin(owner: object, name: string | null, dialogs: SaveDialogs): Promise<BegunSaving | null> {
    const asked = { owner, isGone: false }
    this.asking.add(asked)
    const saving = await Saving.begin(name, dialogs).finally(() => this.asking.delete(asked))
    if (saving === null || asked.isGone) return null
    this.all.set(++this.last, { owner, saving })
    return { id: this.last, where: saving.where }
  }

  /** Asks where a file goes whose bytes are there, and writes it, whether or not the page that asked goes meanwhile. */
  async save({ name, bytes }: FileToSave, dialogs: SaveDialogs): Promise<SaveResult> {
    const saving = await Saving.begin(name, dialogs)
    return saving === null ? { kind: 'cancelled' } : this.atWork(writeOne(saving, name, bytes))
  }

  /** Throws where a page has begun none of that number. */
  of(owner: object, id: number): Saving {
    const found = this.all.get(id)
    if (found?.owner !== owner) throw new Error('Nothing is being saved under that number.')
    return found.saving
  }

  async write(owner: object, id: number, name: string, bytes: Uint8Array): Promise<string | null> {
    return this.atWork(this.of(owner, id).write(name, bytes))
  }

  async end(owner: object, id: number): Promise<SaveResult> {
    const saving = this.of(owner, id)
    this.all.delete(id)
    return this.atWork(saving.end())
  }

  /** What ended before is left as it is. */
  async stop(owner: object, id: number): Promise<void> {
    const found = this.all.get(id)
    if (found?.owner !== owner) return
    this.all.delete(id)
    await this.atWork(found.saving.discard())
  }

  /** A page that is gone goes on with nothing. */
  async pageGone(owner: object): Promise<void> {
    for (const each of this.asking) if (each.owner === owner) each.isGone = true
    const own = [...this.all].filter(([, each]) => each.owner === owner)
    await Promise.all(own.map(([id]) => this.stop(owner, id)))
  }

  isSaving(owner: object): boolean {
    return [...this.all.values()].some((each) => each.owner === owner)
  }

  get isAtWork(): boolean {
    return this.work.size > 0
  }

  /** Resolves once nothing goes on on the disk. */
  async settled(): Promise<void> {
    while (this.isAtWork) await Promise.allSettled(this.work)
  }

  private async atWork<Result>(work: Promise<Result>): Promise<Result> {
    this.work.add(work)
    try {
      return await work
    } finally {
      this.work.delete(work)
    }
  }
}

async function writeOne(saving: Saving, name: string, bytes: Uint8Array): Promise<SaveResult> {
  const problem = await saving.write(name, bytes)
  return problem === null ? saving.end() : { kind: 'failed', message: problem }
}

/** A name without folders or characters that a file system gives a meaning: the page's word is not trusted with a path. */
export function plainName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  const plain = name.replace(/[\u0000-\u001f<>:"/\\|?*]/g, '_').replace(/^\.+/, '_')
  return portableName(plain, 200) || 'export'
}
