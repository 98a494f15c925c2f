import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { OpenedFile, OpenedFiles } from '../../electron/bridge.ts'
import { cannotOpen, findFiles } from '../files.ts'
import { insideFolder, type ServedFiles } from './served-files.ts'

/** More files than this in one folder are a mistake of the folder, not a run. */
const MOST_FILES = 10_000

/** Gives the files behind `paths` (folders are walked) to the page. What cannot be opened is a sentence, not an error. */
export async function openForPage(
  paths: readonly string[],
  directory: string,
  served: ServedFiles,
): Promise<OpenedFiles> {
  const files: OpenedFile[] = []
  const problems: string[] = []
  for (const path of paths) {
    try {
      const found = await findFiles(path, directory)
      if (found.length === 0) problems.push(`${basename(path)} holds no files. Open a folder with rollout dumps in it.`)
      if (found.length > MOST_FILES) {
        problems.push(`${basename(path)} holds ${found.length} files; the first ${MOST_FILES} were opened.`)
      }
      for (const file of found.slice(0, MOST_FILES)) {
        if (file.pipe) problems.push(`${file.name} is a pipe, which cannot be read twice. Write it to a file first.`)
        else files.push(served.add(file.path, file.name, (await stat(file.path)).size))
      }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      problems.push(code === undefined ? (error as Error).message : `${basename(path)} ${cannotOpen(error)}`)
    }
  }
  return { files, problems }
}

/** The files under `folder`, for `serve`. A link that leads out of the folder is left out. */
export async function listFolder(folder: string, served: ServedFiles): Promise<OpenedFiles> {
  const found = await findFiles(folder, '/')
  const files: OpenedFile[] = []
  for (const file of found.slice(0, MOST_FILES)) {
    if (!couldBelong(file.name) || (await insideFolder(file.path, folder)) === null) continue
    files.push(served.add(file.path, file.name, (await stat(file.path)).size, folder))
  }
  const problems =
    found.length > MOST_FILES ? [`The folder holds ${found.length} files; the first ${MOST_FILES} are listed.`] : []
  return { files, problems }
}

/** Files of a run's folder that are surely no part of it are not offered; what a file is, its content decides. */
function couldBelong(name: string): boolean {
  return !/\.(png|jpe?g|svg|html?|md|py|sh|safetensors|bin|gguf)$/i.test(name)
}
