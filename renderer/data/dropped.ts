import { inNaturalOrder } from '../../shared/model/natural-order.ts'
import type { SourceInput } from '../../shared/session/protocol.ts'
import { NOISE } from './noise.ts'

/** What a drop or a file dialog gave. */
export interface Dropped {
  readonly files: readonly { readonly name: string; readonly file: File }[]
  /** Names of folders in which there was nothing. */
  readonly emptyFolders: readonly string[]
}

/** Handles of what was dropped, by the files that were found in it; a browser that gives none has none here. */
const handles = new WeakMap<File, Promise<readonly FileSystemHandle[]>>()

/** What open files can be seen again through, where they were dropped together. */
export async function handlesOf(sources: readonly SourceInput[]): Promise<readonly FileSystemHandle[]> {
  const given = sources.map((source) => (source.kind === 'file' ? handles.get(source.file as File) : undefined))
  const [first] = given
  return first === undefined || given.some((other) => other !== first) ? [] : first
}

/**
 * Everything that was dropped, folders walked to their leaves, in the order of their names. Must be called inside the
 * drop event: its items are gone when the event returns, so entries are asked for before the first wait.
 */
export async function filesOfDrop(transfer: DataTransfer): Promise<Dropped> {
  const items = [...transfer.items].filter((item) => item.kind === 'file')
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? null)
  const plain = [...transfer.files]
  const dropped = handlesOfItems(items)
  const files: { name: string; file: File }[] = []
  const emptyFolders: string[] = []
  for (const [position, entry] of entries.entries()) {
    if (entry === null) {
      const file = plain[position]
      if (file !== undefined) files.push({ name: file.name, file })
      continue
    }
    const found = await walk(entry, true)
    if (found.length === 0 && entry.isDirectory) emptyFolders.push(entry.name)
    files.push(...found)
  }
  for (const { file } of files) handles.set(file, dropped)
  return {
    files: meant(files).sort((a, b) => inNaturalOrder(a.name, b.name)),
    emptyFolders,
  }
}

/** Must be called inside the drop event, as entries are. Not every browser has them. */
async function handlesOfItems(items: readonly DataTransferItem[]): Promise<readonly FileSystemHandle[]> {
  const asked = items.map(
    (item) =>
      (item as { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> }).getAsFileSystemHandle?.() ?? null,
  )
  const given = await Promise.all(asked.map((one) => one?.catch(() => null) ?? null))
  const all = given.filter((handle) => handle !== null)
  return all.length === items.length ? all : []
}

/** The files of an `<input type="file">`, with their path in the chosen folder. */
export function filesOfInput(list: FileList): Dropped {
  const files = [...list]
    .map((file) => ({ name: file.webkitRelativePath || file.name, file }))
    // The folder itself was chosen, whatever its name.
    .filter(({ name }) => !name.includes('/') || !NOISE.test(name.slice(name.indexOf('/'))))
    .sort((a, b) => inNaturalOrder(a.name, b.name))
  return { files: meant(files), emptyFolders: [] }
}

/** A hidden file that somebody gave by itself is looked at, and what it is said; beside others it only came along. */
function meant<Given extends { readonly name: string }>(files: readonly Given[]): Given[] {
  const others = files.filter(({ name }) => name.includes('/') || !NOISE.test(name))
  return others.length > 0 ? others : [...files]
}

/** @param isGiven it was dropped itself, and not found in what was */
async function walk(entry: FileSystemEntry, isGiven = false): Promise<{ name: string; file: File }[]> {
  const path = entry.fullPath.replace(/^\//, '')
  if (!isGiven && NOISE.test(entry.name)) return []
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    return [{ name: path, file }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: { name: string; file: File }[] = []
  // A reader gives its entries in portions and an empty one at the end.
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (portion.length === 0) return found
    for (const child of portion) found.push(...(await walk(child)))
  }
}

/** The browser's dialog; null where it was cancelled. */
export function chooseFiles(what: 'files' | 'folder'): Promise<FileList | null> {
  return chosenIn({ multiple: true, webkitdirectory: what === 'folder' })
}

/** The same for one JSON file, as this program writes them. */
export async function chooseJsonFile(): Promise<File | null> {
  return (await chosenIn({ accept: '.json,application/json' }))?.[0] ?? null
}

/** Browsers open their dialog only for a moment after a click: nothing may be waited for before it. */
function chosenIn(
  settings: Partial<Pick<HTMLInputElement, 'multiple' | 'webkitdirectory' | 'accept'>>,
): Promise<FileList | null> {
  const input = Object.assign(document.createElement('input'), { type: 'file' }, settings)
  return new Promise((resolve) => {
    input.addEventListener('change', () => resolve(input.files))
    input.addEventListener('cancel', () => resolve(null))
    input.click()
  })
}
