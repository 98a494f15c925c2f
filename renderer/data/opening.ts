import type { OpenedFile, OpenedFiles } from '../../electron/bridge.ts'
import { isNotebookFolder } from '../../shared/notebook/markdown/recognise.ts'
import type { SourceInput } from '../../shared/session/protocol.ts'
import { wantAddress } from '../app/keep-address.ts'
import { sentenceOf } from '../engine/client.ts'
import { parseAddress } from '../state/address.ts'
import { addProblem, dismissAllProblems, isLackingIn, useFiles } from '../state/files.ts'
import { openDialog, say } from '../state/view.ts'
import { chooseFiles, type Dropped, filesOfInput } from './dropped.ts'
import { openSources, readWithDataset, reconfigure } from './dump.ts'
import { isGrownSince } from './grown.ts'
import { type LooseFile, looseAddress, looseFile, ownKinds, takeOwnFile } from './own-files.ts'
import { compareWith } from './second.ts'
import { servedFolder, urlSource } from './served-folder.ts'
import { type TokenizerPart, tokenizerParts } from './tokenizer-part.ts'
import { DROPPED, type FileOfTokenizer, readTokenizer, startTokenizer } from './tokenizers.ts'

/** Opens what a person dropped or chose: rollouts, a tokenizer for those that are open, or both. */
export async function openDropped(given: Dropped): Promise<void> {
  dismissAllProblems()
  try {
    const { workspace, files } = await withoutOwn(given.files, ({ name, file }) => looseFile(name, file))
    if (workspace !== undefined) {
      if (window.inspector !== undefined)
        return await openFromShell(await window.inspector.openWorkspace(workspace.file))
      addProblem('A workspace names files by their paths, which a browser may not follow. Open it in the desktop app.')
      return
    }
    const dropped = await withoutNotebook({ ...given, files })
    for (const name of dropped.emptyFolders) {
      addProblem(`The folder ${name} holds no file. Drop the folder that the run wrote its rollouts to.`)
    }
    const { meant, dumps } = await apartFromTokenizer(dropped.files, ({ name, file }) => looseFile(name, file))
    const sources = dumps.map(({ name, file }): SourceInput => ({ kind: 'file', name, file }))
    for (const { file } of dumps) void window.inspector?.rememberDropped(file)
    const isTaken = await openWithTokenizer(
      sources,
      meant.map(({ from, part }) => ({ file: from.file, part })),
    )
    const [first] = dropped.files
    if (!isTaken && first !== undefined) addNoTokenizer(first.file.name)
  } catch (error) {
    addProblem(sentenceOf(error))
  }
}

/** Opens rollouts with the tokenizer among these files, or reads those that are open with it. False where there is neither. */
async function openWithTokenizer(sources: readonly SourceInput[], parts: readonly FileOfTokenizer[]): Promise<boolean> {
  const tokenizer = await readTokenizer(parts)
  // Of texts alone there is nothing else that a tokenizer could be given for.
  const isOfTexts = () => isLackingIn(useFiles.getState().report, 'ids')
  if (sources.length > 0) {
    const isOpen = await openSources(sources, { tokenizer })
    const { tokenizer: id } = useFiles.getState().options
    if (isOpen && id !== undefined && isOfTexts()) await renderTextsWith(id)
    return true
  }
  if (tokenizer === null) return false
  if (useFiles.getState().phase === 'empty') {
    addProblem('A tokenizer was dropped, but no rollouts are open. Open the rollouts first, or drop both together.')
    return true
  }
  const id = await startTokenizer(tokenizer)
  if (isOfTexts()) await renderTextsWith(id)
  else if (await reconfigure({ tokenizer: id })) say(`The ids are read with ${tokenizerName(id)}`)
  return true
}

async function renderTextsWith(id: string): Promise<void> {
  if (await reconfigure({ tokenizer: id, renderTexts: true })) say(`The texts are rendered with ${tokenizerName(id)}`)
}

function tokenizerName(id: string): string {
  return id === DROPPED ? `the ${DROPPED}` : id
}

function addNoTokenizer(name: string): void {
  addProblem(`${name} alone is no tokenizer. Drop the tokenizer.json of the same model, or both together.`)
}

/** A tokenizer that lies somewhere inside a run's folder was not meant by the person who opened the folder, and is no dump either. */
async function apartFromTokenizer<T extends { readonly name: string }>(
  files: readonly T[],
  loose: (file: T) => LooseFile,
) {
  const parts = await tokenizerParts(files.map(loose))
  const meant = files.flatMap((from, at): { readonly from: T; readonly part: TokenizerPart }[] => {
    const part = parts[at] ?? null
    return part === null || from.name.includes('/') ? [] : [{ from, part }]
  })
  return { meant, dumps: files.filter((_, at) => parts[at] === null) }
}

/** Takes in what this program wrote beside rollouts, after a question, and gives the rest. A workspace is left to the caller. */
async function withoutOwn<T extends { readonly name: string }>(
  given: readonly T[],
  loose: (file: T) => LooseFile,
): Promise<{ readonly workspace: T | undefined; readonly files: readonly T[] }> {
  const kinds = await ownKinds(given.map(loose))
  const isWorkspace = ({ name }: T, at: number) => kinds[at] === 'workspace' || /\.rollout-workspace$/i.test(name)
  const workspace = given.find(isWorkspace)
  if (workspace !== undefined) return { workspace, files: [] }
  for (const [at, file] of given.entries()) {
    const kind = kinds[at]
    if (kind === 'marks' || kind === 'notebook') await takeOwnFile(kind, loose(file))
  }
  return { workspace, files: given.filter((_, at) => kinds[at] === null) }
}

/** A folder of the notebook, or an archive of one, goes there, and its code is loaded for it. */
async function withoutNotebook(dropped: Dropped): Promise<Dropped> {
  const [only, ...others] = dropped.files
  if (only !== undefined && others.length === 0 && /\.zip$/i.test(only.name)) {
    const pages = await (await import('./notebook-zip.ts')).pagesOfZip(only)
    if (pages !== null) return (await import('./notebook-files.ts')).takeNotebook({ ...dropped, files: pages })
  }
  return isNotebookFolder(dropped.files.map(({ name }) => name))
    ? (await import('./notebook-files.ts')).takeNotebook(dropped)
    : dropped
}

/** Judges the open run beside what a person dropped or chose. A tokenizer among it is for both runs and changes nothing yet. */
export async function compareDropped(dropped: Dropped): Promise<void> {
  dismissAllProblems()
  const { workspace, files } = await withoutOwn(dropped.files, ({ name, file }) => looseFile(name, file))
  if (workspace !== undefined) {
    addProblem(
      'A workspace is no second run. Open the files that it names, or drop it on the upper part of the window.',
    )
    return
  }
  const { dumps } = await apartFromTokenizer(files, ({ name, file }) => looseFile(name, file))
  if (dumps.length === 0) {
    if (files.length < dropped.files.length) return
    addProblem('There are no rollouts among these files. Drop the files that the second run wrote.')
    return
  }
  await compareWith(dumps.map(({ name, file }): SourceInput => ({ kind: 'file', name, file })))
}

/** What the desktop shell opened: files by ranged address, and sentences about what it could not open. */
export async function openFromShell(opened: OpenedFiles): Promise<void> {
  if (opened.files.length + opened.problems.length > 0) dismissAllProblems()
  for (const problem of opened.problems) addProblem(problem)
  // The shell has opened a workspace by its name; one of another name stays among the files, and is said to be unreadable there.
  const files = opened.address === undefined ? (await withoutOwn(opened.files, looseAddress)).files : opened.files
  const { address, link } = opened
  if (files.length === 0) {
    if (link !== undefined) location.hash = link
    return
  }
  if (link !== undefined) wantAddress(link)
  if (address === undefined) return openChosen(files)
  wantAddress(address)
  if (!(await openSources(files.map((file) => urlSource(file))))) return
  const { dump } = parseAddress(address)
  if (dump !== null && dump !== useFiles.getState().dumpHash && !(await isGrownSince(dump)))
    addProblem(
      'These are not all the files as they were when the workspace was saved, so the place it kept is not shown.',
    )
}

/** Rollouts, a tokenizer for those that are open, or both, as they are dropped. */
async function openChosen(files: readonly OpenedFile[]): Promise<void> {
  try {
    const { meant, dumps } = await apartFromTokenizer(files, looseAddress)
    const read = await Promise.all(
      meant.map(async ({ from, part }) => ({ file: await looseAddress(from).whole(), part })),
    )
    const isTaken = await openWithTokenizer(
      dumps.map((file) => urlSource(file)),
      read,
    )
    const [first] = files
    if (!isTaken && first !== undefined) addNoTokenizer(first.name)
  } catch (error) {
    addProblem(sentenceOf(error))
  }
}

/** Where the shell can find a file; an address of no file where it cannot, which it says then. */
function placeOf(source: SourceInput): File | string {
  if (source.kind === 'url') return source.url
  return source.kind === 'file' && source.file instanceof File ? source.file : ''
}

/** Keeps which files are open and what is on screen as a workspace; the shell asks where. */
export async function saveWorkspace(): Promise<void> {
  const sources = useFiles.getState().sources.map((source) => ({ name: source.name, from: placeOf(source) }))
  const saved = await window.inspector?.saveWorkspace(sources, location.hash)
  if (saved?.kind === 'failed') addProblem(saved.message)
  else if (saved?.kind === 'saved') say(`Workspace saved as ${saved.names.join(', ')}`)
}

/** The operating system's dialog: the shell's where there is one, else the browser's. False where a person chose nothing. */
export async function pickAndOpen(what: 'files' | 'folder'): Promise<boolean> {
  if (window.inspector !== undefined) {
    const opened = await window.inspector.pickFiles(what)
    await openFromShell(opened)
    return opened.files.length + opened.problems.length > 0
  }
  const files = await chooseFiles(what)
  if (files === null || files.length === 0) return false
  await openDropped(filesOfInput(files))
  return true
}

/** What a person opens files by: where a folder is served, its list, which also leads to this machine's dialog. */
export function openOther(): void {
  const { phase } = useFiles.getState()
  // On the start page the list is there already.
  if (servedFolder.get() !== null && (phase === 'reading' || phase === 'open')) openDialog('served')
  else void pickAndOpen('files')
}

/** The same for a second run. */
export function chooseSecond(): void {
  if (servedFolder.get() === null) void pickSecond('files')
  else openDialog('second')
}

/** This machine's dialog for a second run. */
export async function pickSecond(what: 'files' | 'folder'): Promise<void> {
  if (window.inspector !== undefined) {
    const { files, problems } = await window.inspector.pickFiles(what)
    if (files.length + problems.length > 0) dismissAllProblems()
    for (const problem of problems) addProblem(problem)
    if (files.length > 0) await compareWith(files.map((file) => urlSource(file)))
    return
  }
  const files = await chooseFiles(what)
  if (files !== null) await compareDropped(filesOfInput(files))
}

/** The dataset that the open run was started with: prompts, which are never rollouts of their own. */
export async function pickDataset(what: 'files' | 'folder'): Promise<void> {
  const sources = await pickSources(what)
  if (sources.length === 0) return
  dismissAllProblems()
  await readWithDataset(sources)
}

async function pickSources(what: 'files' | 'folder'): Promise<SourceInput[]> {
  if (window.inspector !== undefined) {
    const { files, problems } = await window.inspector.pickFiles(what)
    for (const problem of problems) addProblem(problem)
    return files.map((file) => urlSource(file))
  }
  const files = await chooseFiles(what)
  return files === null ? [] : filesOfInput(files).files.map(({ name, file }) => ({ kind: 'file', name, file }))
}
