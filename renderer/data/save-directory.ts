import { askPerson, dialogsClosed } from '../state/question.ts'
import { counted } from '../text/numbers.ts'

type DirectoryPicker = (options: { mode: 'readwrite'; id: string }) => Promise<FileSystemDirectoryHandle>

interface NamedBytes {
  readonly name: string
  readonly bytes: Uint8Array
}

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
    throw error
  }
}

/**
 * Writes all files, or none where one cannot be written: what was there stays until everything is written. Only where the browser
 * fails as it gives them their names may some of them be there; the error names those. Asks before it replaces any, once no dialog is
 * open; false where that was not wanted. Rejects with what the browser says, or with the signal's reason.
 */
export async function writeInto(
  directory: FileSystemDirectoryHandle,
  files: readonly NamedBytes[],
  signal: AbortSignal,
): Promise<boolean> {
  const there = new Set<string>()
  for (const { name } of files) if (await isThere(directory, name)) there.add(name)
  if (there.size > 0) {
    await dialogsClosed(signal)
    if (!(await mayReplace(directory, [...there]))) return false
  }
  const begun: { readonly name: string; stream?: FileSystemWritableFileStream }[] = []
  let named = 0
  try {
    for (const { name, bytes } of files) {
      signal.throwIfAborted()
      const handle = await directory.getFileHandle(name, { create: true })
      const file: (typeof begun)[number] = { name }
      begun.push(file)
      const stream = await handle.createWritable()
      file.stream = stream
      await stream.write(bytes as Uint8Array<ArrayBuffer>)
    }
    signal.throwIfAborted()
    for (const { stream } of begun) {
      await stream?.close()
      named++
    }
    return true
  } catch (error) {
    for (const { name, stream } of begun.slice(named)) {
      await stream?.abort().catch(() => undefined)
      // The browser makes an empty file when it is asked for one.
      if (!there.has(name)) await directory.removeEntry(name).catch(() => undefined)
    }
    const kept = begun.slice(0, named).map(({ name }) => name)
    if (kept.length === 0) throw error
    const failed = `${begun[named]?.name} could not be written: ${(error as Error).message.replace(/\.$/, '')}`
    throw new Error(`${failed}. Only ${kept.join(', ')} was saved; choose another place.`, { cause: error })
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
