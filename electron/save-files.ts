import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { cannotWrite, WholeFile } from '../cli/whole-file.ts'
import { portableName } from '../shared/exports/file-names.ts'
import type { FileToSave, SaveResult } from './bridge.ts'

/** The three questions that saving may ask a person. */
export interface SaveDialogs {
  /** Where one file goes; null = cancelled. */
  file(suggestedName: string): Promise<string | null>
  /** Which folder several files go to; null = cancelled. */
  folder(): Promise<string | null>
  /** Whether files that are there may be replaced. */
  replace(names: readonly string[]): Promise<boolean>
}

interface Target {
  readonly path: string
  readonly bytes: Uint8Array
}

/** Writes an export where the person says: one file to the path of the save dialog, several into a folder. */
export async function saveFiles(files: readonly FileToSave[], dialogs: SaveDialogs): Promise<SaveResult> {
  const [first, ...others] = files
  if (first === undefined) return { kind: 'failed', message: 'There is nothing to save.' }
  let targets: Target[]
  if (others.length === 0) {
    const path = await dialogs.file(plainName(first.name))
    if (path === null) return { kind: 'cancelled' }
    targets = [{ path, bytes: first.bytes }]
  } else {
    const folder = await dialogs.folder()
    if (folder === null) return { kind: 'cancelled' }
    targets = files.map(({ name, bytes }) => ({ path: join(folder, plainName(name)), bytes }))
    const there = targets.filter(({ path }) => existsSync(path)).map(({ path }) => basename(path))
    if (there.length > 0 && !(await dialogs.replace(there))) return { kind: 'cancelled' }
  }
  const problem = await writeAll(targets)
  if (problem !== null) return { kind: 'failed', message: problem }
  return { kind: 'saved', names: targets.map(({ path }) => basename(path)) }
}

/** A name without folders or characters that a file system gives a meaning: the page's word is not trusted with a path. */
export function plainName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  const plain = name.replace(/[\u0000-\u001f<>:"/\\|?*]/g, '_').replace(/^\.+/, '_')
  return portableName(plain, 200) || 'export'
}

/** Gives the files their names once all of them are on disk. A sentence, or null when it went well. */
async function writeAll(targets: readonly Target[]): Promise<string | null> {
  const begun: WholeFile[] = []
  let named = 0
  let at = ''
  try {
    for (const { path, bytes } of targets) {
      at = path
      const file = await WholeFile.create(path)
      begun.push(file)
      await file.write(bytes)
    }
    for (const file of begun) {
      at = targets[named]?.path ?? at
      await file.commit()
      named++
    }
    return null
  } catch (error) {
    for (const file of begun.slice(named)) await file.discard()
    const kept = targets.slice(0, named).map(({ path }) => basename(path))
    const left = kept.length === 0 ? 'Nothing of it was saved' : `Only ${kept.join(', ')} was saved`
    return `${basename(at)} could not be written: ${cannotWrite(error)}. ${left}; choose another place.`
  }
}
