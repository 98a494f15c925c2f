import { stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import type { OpenedFile, OpenedFiles } from '../../electron/bridge.ts'
import { cannotOpen, type FoundFile, findFiles, holdsNoFiles, toldApart } from '../files.ts'
import { isGlob } from '../glob.ts'
import { insideFolder, type ServedFiles } from './served-files.ts'

/** More files than this in one folder are a mistake of the folder, not a run. */
const MOST_FILES = 10_000

export interface PathsForPage extends OpenedFiles {
  /** Those of the paths that gave files. */
  readonly gave: readonly string[]
}

/** Gives the files behind `paths` (folders are walked) to the page. What cannot be opened is a sentence, not an error. */
export async function openForPage(
  paths: readonly string[],
  directory: string,
  served: ServedFiles,
): Promise<PathsForPage> {
  const all: FoundFile[] = []
  const problems: string[] = []
  const gave: string[] = []
  for (const path of paths) {
    const name = nameAmong(paths, path)
    const told = problems.length
    try {
      const found = await findFiles(path, directory, {
        called: isGlob(path) ? path : name,
        onLocked: (_, sentence) => problems.push(sentence),
      })
      if (found.length === 0 && problems.length === told)
        problems.push(await holdsNoFiles(name, resolve(directory, path), 'Open'))
      if (found.length > MOST_FILES) {
        problems.push(`${name} holds ${found.length} files; the first ${MOST_FILES} were opened.`)
      }
      const before = all.length
      for (const file of found.slice(0, MOST_FILES)) {
        if (file.pipe) problems.push(`${file.name} is a pipe, which cannot be read twice. Write it to a file first.`)
        else all.push(file)
      }
      if (all.length > before) gave.push(path)
    } catch (error) {
      problems.push(whyNot(name, error))
    }
  }
  const files: OpenedFile[] = []
  for (const { path, name } of toldApart(all)) {
    const size = await sizeOf(path)
    if (size !== null) files.push(served.add(path, name, size))
  }
  return { files, problems, gave }
}

/** The files under `folder`, for `serve`. A link that leads out of the folder is left out. */
export async function listFolder(folder: string, served: ServedFiles): Promise<OpenedFiles> {
  const name = basename(folder)
  const problems: string[] = []
  let found: FoundFile[]
  try {
    found = await findFiles(folder, '/', { called: name, onLocked: (_, sentence) => problems.push(sentence) })
  } catch (error) {
    return { files: [], problems: [whyNot(name, error)] }
  }
  const files: OpenedFile[] = []
  for (const file of found.slice(0, MOST_FILES)) {
    if (!couldBelong(file.name) || (await insideFolder(file.path, folder)) === null) continue
    const size = await sizeOf(file.path)
    if (size !== null) files.push(served.add(file.path, file.name, size, folder))
  }
  if (found.length > MOST_FILES)
    problems.push(`The folder holds ${found.length} files; the first ${MOST_FILES} are listed.`)
  return { files, problems }
}

/** What sentences call one of the paths: never by all of its folders. */
function nameAmong(paths: readonly string[], path: string): string {
  const name = basename(path)
  const isAlone = paths.every((other) => other === path || basename(other) !== name)
  return isAlone ? name : `${basename(dirname(path))}/${name}`
}

function whyNot(name: string, error: unknown): string {
  const isForPeople = (error as NodeJS.ErrnoException).code === undefined
  return isForPeople ? (error as Error).message : `${name} ${cannotOpen(error)}`
}

/** Null for a file that went since its folder was read: a run that is written takes files away. */
async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  )
}

/** Pictures and pages, programs and what they are built of, weights: no trainer writes rollouts or a description of its run under these names. */
const NO_PART =
  /\.(png|jpe?g|gif|webp|svg|pdf|html?|css|md|py|pyc|ipynb|sh|[cm]?[jt]sx?|rs|go|cc?|cpp|cu|h|so|lock|safetensors|bin|gguf)$/i

/** Files of a run's folder that are surely no part of it are not offered; what a file is, its content decides. */
function couldBelong(name: string): boolean {
  return !NO_PART.test(name)
}
