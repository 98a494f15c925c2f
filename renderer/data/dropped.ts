import { inNaturalOrder } from '../../shared/model/natural-order.ts'

/** What a drop or a file dialog gave. */
export interface Dropped {
  readonly files: readonly { readonly name: string; readonly file: File }[]
  /** Names of folders in which there was nothing. */
  readonly emptyFolders: readonly string[]
}

// Files that no run writes as a dump and that every folder is full of.
const NOISE = /(^|\/)(\.[^/]*|__MACOSX|node_modules|Thumbs\.db)(\/|$)/

/**
 * Everything that was dropped, folders walked to their leaves, in the order of their names. Must be called inside the
 * drop event: its items are gone when the event returns, so entries are asked for before the first wait.
 */
export async function filesOfDrop(transfer: DataTransfer): Promise<Dropped> {
  const items = [...transfer.items].filter((item) => item.kind === 'file')
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? null)
  const plain = [...transfer.files]
  const files: { name: string; file: File }[] = []
  const emptyFolders: string[] = []
  for (const [position, entry] of entries.entries()) {
    if (entry === null) {
      const file = plain[position]
      if (file !== undefined) files.push({ name: file.name, file })
      continue
    }
    const found = await walk(entry)
    if (found.length === 0 && entry.isDirectory) emptyFolders.push(entry.name)
    files.push(...found)
  }
  return {
    files: files.sort((a, b) => inNaturalOrder(a.name, b.name)),
    emptyFolders,
  }
}

/** The files of an `<input type="file">`, with their path in the chosen folder. */
export function filesOfInput(list: FileList): Dropped {
  const files = [...list]
    .map((file) => ({ name: file.webkitRelativePath || file.name, file }))
    .filter(({ name }) => !NOISE.test(name))
    .sort((a, b) => inNaturalOrder(a.name, b.name))
  return { files, emptyFolders: [] }
}

async function walk(entry: FileSystemEntry): Promise<{ name: string; file: File }[]> {
  const path = entry.fullPath.replace(/^\//, '')
  if (NOISE.test(path)) return []
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
