import { asWritten, writeFolder } from '../../shared/notebook/markdown/folder.ts'
import { filesOf } from '../../shared/notebook/markdown/folder-files.ts'
import { textOfBytes } from '../../shared/notebook/markdown/text.ts'
import type { Page } from '../../shared/notebook/model.ts'
import { sentenceOf } from '../engine/client.ts'
import { addProblem } from '../state/files.ts'
import { say } from '../state/view.ts'
import { counted } from '../text/numbers.ts'
import { keeper } from './notebook.ts'
import { folderTold } from './notebook-files.ts'
import { pickDirectory } from './save-directory.ts'

/** Writes what changed into a folder that a person picks. Nothing is written where a page there is not as it was read. */
export async function writeIntoFolder(): Promise<void> {
  const { notebook } = keeper.state.getState()
  if (notebook === null) return
  try {
    const directory = await pickDirectory('notebook')
    if (directory === null) return
    const { pages, told } = writeFolder(notebook)
    const before = new Map((notebook.folder?.pages ?? []).map((page) => [page.path, page.text]))
    const refused = (await Promise.all(pages.map((page) => conflict(directory, page, before.get(page.path))))).flat()
    if (refused.length > 0) {
      folderTold.set(refused)
      addProblem(`Nothing was written into ${directory.name}: ${counted(refused.length, 'page')} there would be lost.`)
      return
    }
    for (const { path, bytes } of filesOf(pages)) {
      const file = await fileAt(directory, path, true)
      const stream = await file?.createWritable()
      await stream?.write(bytes as Uint8Array<ArrayBuffer>)
      await stream?.close()
    }
    keeper.change(`Writing into ${directory.name}`, (now, at) => asWritten(now, pages, at))
    folderTold.set(told)
    say(`${counted(pages.length, 'page')} written into ${directory.name}`)
  } catch (error) {
    addProblem(`The folder could not be written: ${sentenceOf(error)}`)
  }
}

/** Why a page may not be written; nothing where it may. */
async function conflict(
  directory: FileSystemDirectoryHandle,
  { path, text }: Page,
  before: string | undefined,
): Promise<string[]> {
  const file = await fileAt(directory, path, false)
  if (file === null) {
    return before === undefined ? [] : [`${path} is not in ${directory.name}: choose the folder that was imported.`]
  }
  const there = textOfBytes(new Uint8Array(await (await file.getFile()).arrayBuffer()))
  if (there === text || there === before) return []
  return [`${path} was changed in ${directory.name} since it was read: import the folder again, then write.`]
}

async function fileAt(
  directory: FileSystemDirectoryHandle,
  path: string,
  create: boolean,
): Promise<FileSystemFileHandle | null> {
  const parts = path.split('/')
  const name = parts.pop() as string
  try {
    let folder = directory
    for (const part of parts) folder = await folder.getDirectoryHandle(part, { create })
    return await folder.getFileHandle(name, { create })
  } catch (error) {
    if (!create && (error as Error).name === 'NotFoundError') return null
    throw error
  }
}
