import { zipSync } from 'fflate'
import { importFolder, writeFolder } from '../../shared/notebook/markdown/folder.ts'
import { filesOf, folderOf } from '../../shared/notebook/markdown/folder-files.ts'
import { notebookRoot } from '../../shared/notebook/markdown/recognise.ts'
import type { Notebook } from '../../shared/notebook/model.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { notebookText, readNotebookText } from '../../shared/notebook/notebook-file.ts'
import { sentenceOf } from '../engine/client.ts'
import { addProblem } from '../state/files.ts'
import { goTo } from '../state/place.ts'
import { askPerson } from '../state/question.ts'
import { say, show } from '../state/view.ts'
import { counted } from '../text/numbers.ts'
import { chooseFiles, chooseJsonFile, type Dropped, filesOfInput } from './dropped.ts'
import { saveFile } from './exporting.ts'
import { keeper, loadNotebook } from './notebook.ts'
import { observable } from './observable.ts'

/** Sentences about the last import or writing, until the next. */
export const folderTold = observable<readonly string[]>([])

/** A notebook's file that is larger was written by something else. */
const LARGEST_FILE = 64 << 20
/** Pages are read up to here; `folderOf` leaves out what is as large. */
const LARGEST_PAGE = (1 << 20) + 1

/** The whole notebook as one file. */
export async function saveNotebookFile(): Promise<void> {
  const { notebook } = keeper.state.getState()
  if (notebook === null) return
  await saveFile('notebook.json', () => ({ what: 'The notebook', content: notebookText(notebook) }))
}

/** Takes a folder of the framework's layout out of a drop, and gives the rest. */
export async function takeNotebook(dropped: Dropped): Promise<Dropped> {
  const root = notebookRoot(dropped.files.map(({ name }) => name))
  if (root === null) return dropped
  const own = dropped.files.filter(({ name }) => name.startsWith(root))
  await importFiles(own, root)
  return { ...dropped, files: dropped.files.filter((file) => !own.includes(file)) }
}

/** Puts a notebook's file that was dropped in the place of what is here, after a question. Rejects with a sentence. */
export async function offerNotebook(file: File): Promise<void> {
  await loadNotebook()
  if (file.size > LARGEST_FILE) throw new Error('it is too large to be a notebook.')
  const read = readNotebookText(await file.text(), file.name)
  const { notebook } = keeper.state.getState()
  if (notebook !== null && notebookText(notebook) === notebookText(read)) {
    show('notebook')
    return say(`${file.name} is what the notebook has already`)
  }
  const isWanted = await askPerson({
    title: `Put ${file.name} in the place of the notebook?`,
    says: [
      `The file has ${contentOf(read)}.`,
      ...(notebook === null || isUntouched(notebook)
        ? []
        : [`The notebook here has ${contentOf(notebook)}, which would go. Undo brings it back.`]),
    ],
    yes: 'Put it in place',
  })
  if (isWanted) await importNotebookFile(file)
}

/** Nobody has written anything in it: what stands there comes with the program. */
function isUntouched(notebook: Notebook): boolean {
  return notebookText({ ...notebook, history: [] }) === notebookText(newNotebook())
}

function contentOf({ hypotheses, experiments }: Notebook): string {
  return `${counted(hypotheses.length, 'hypothesis', 'hypotheses')} and ${counted(experiments.length, 'experiment')}`
}

/** Lets a person choose a folder of the framework's layout and reads it. */
export async function pickNotebookFolder(): Promise<void> {
  const files = await pick()
  if (files === null || files.length === 0) return
  const root = notebookRoot(files.map(({ name }) => name))
  if (root === null) {
    addProblem(
      'This folder is no debugging notebook: it needs hypotheses/h01-….md and beside that folder a README.md, a 00-….md or a 01-….md.',
    )
    return
  }
  await importFiles(
    files.filter(({ name }) => name.startsWith(root)),
    root,
  )
}

/** Lets a person choose a file that `saveNotebookFile` wrote; it takes the place of what is here, which undo brings back. */
export async function pickNotebookFile(): Promise<void> {
  const file = await chooseJsonFile()
  if (file !== null) await importNotebookFile(file)
}

/** The pages that changed since the folder was read, as one archive; or all of them. */
export async function saveFolderZip(what: 'changed' | 'all'): Promise<void> {
  const { notebook } = keeper.state.getState()
  if (notebook === null) return
  const { pages, told } = writeFolder(notebook)
  folderTold.set(told)
  const changed = new Map(pages.map((page) => [page.path, page]))
  const kept = what === 'all' ? (notebook.folder?.pages ?? []).filter(({ path }) => !changed.has(path)) : []
  const files = filesOf([...kept, ...pages])
  if (files.length === 0) {
    say('No page of the folder has changed')
    return
  }
  await saveFile(`${notebook.folder?.name ?? 'notebook'}.zip`, () => ({
    what: counted(files.length, 'page'),
    content: zipSync(Object.fromEntries(files.map((file) => [file.path, file.bytes]))),
  }))
}

async function importFiles(files: readonly { readonly name: string; readonly file: Blob }[], root: string) {
  try {
    await loadNotebook()
    const read = await Promise.all(
      files.map(async ({ name, file }) => ({
        path: name,
        bytes: /\.(?:md|markdown)$/i.test(name)
          ? new Uint8Array(await file.slice(0, LARGEST_PAGE).arrayBuffer())
          : new Uint8Array(0),
      })),
    )
    const found = folderOf(read, root.replace(/\/$/, '') || 'notebook', new Date().toISOString())
    if (found === null) return
    let told: readonly string[] = found.told
    keeper.change(`Import of ${found.folder.name}`, (notebook) => {
      const imported = importFolder(notebook, found.folder)
      told = [...found.told, ...imported.told]
      return imported.notebook
    })
    folderTold.set(told)
    showFiles()
    say(`${counted(found.folder.pages.length, 'page')} of ${found.folder.name} read into the notebook`)
  } catch (error) {
    addProblem(`The folder could not be read: ${sentenceOf(error)}`)
  }
}

async function importNotebookFile(file: File): Promise<void> {
  try {
    await loadNotebook()
    if (file.size > LARGEST_FILE) throw new Error(`${file.name} is too large to be a notebook.`)
    const read: Notebook = readNotebookText(await file.text(), file.name)
    keeper.change(`${file.name} in place of the notebook`, () => read)
    folderTold.set([])
    show('notebook')
    goTo('notebook', { page: null, hypothesis: null, experiment: null })
    say(`${file.name} is the notebook now. Undo brings back what was here.`)
  } catch (error) {
    addProblem(sentenceOf(error))
  }
}

function showFiles(): void {
  show('notebook')
  goTo('notebook', { page: 'folder', hypothesis: null, experiment: null })
}

async function pick(): Promise<readonly { readonly name: string; readonly file: Blob }[] | null> {
  if (window.inspector === undefined) {
    const files = await chooseFiles('folder')
    return files === null ? null : filesOfInput(files).files
  }
  const { files, problems } = await window.inspector.pickFiles('folder')
  for (const problem of problems) addProblem(problem)
  const pages = files.map(async ({ name, url }) => ({
    name,
    file: /\.(?:md|markdown)$/i.test(name) ? await (await fetch(new URL(url, document.baseURI))).blob() : new Blob([]),
  }))
  return Promise.all(pages)
}
