import { LEADS_ELSEWHERE, type NotebookFolder, type Page } from '../model.ts'
import { notebookRoot } from './recognise.ts'
import { bytesOfText, textOfBytes } from './text.ts'

/** A file of a folder as a host has it. */
export interface FolderFile {
  /** From the folder's root, with slashes. */
  readonly path: string
  readonly bytes: Uint8Array
}

/** Pages beyond this are no notebook that people keep by hand. */
const MOST_PAGES = 300
const LARGEST_PAGE = 1 << 20
/** Sentences about files that were left out. */
const MOST_TOLD = 50

/** Takes the pages of a notebook out of what a person dropped or chose. Null where it is no such folder. */
export function folderOf(
  files: readonly FolderFile[],
  name: string,
  importedAt: string,
): { readonly folder: NotebookFolder; readonly told: string[] } | null {
  const root = notebookRoot(files.map(({ path }) => path))
  if (root === null) return null
  const told: string[] = []
  const pages: Page[] = []
  const others: string[] = []
  for (const { path, bytes } of files) {
    if (!path.startsWith(root)) continue
    const own = path.slice(root.length)
    if (LEADS_ELSEWHERE.test(own)) told.push(`${own} was left out: its name leads out of the folder.`)
    else if (!/\.(?:md|markdown)$/i.test(own)) others.push(own)
    else if (bytes.length > LARGEST_PAGE || pages.length >= MOST_PAGES) {
      others.push(own)
      told.push(`${own} was left out: pages are read up to ${LARGEST_PAGE >> 20} MiB, and ${MOST_PAGES} of them.`)
    } else pages.push({ path: own, text: textOfBytes(bytes) })
  }
  const named = root.split('/').filter((part) => !/^\.{0,2}$/.test(part))
  return { folder: { name: named.pop() ?? name, pages, others, importedAt }, told: told.slice(0, MOST_TOLD) }
}

/** Bytes of pages, for writing. */
export function filesOf(pages: readonly Page[]): FolderFile[] {
  return pages.map(({ path, text }) => ({ path, bytes: bytesOfText(text) }))
}
