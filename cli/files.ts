import type { Dirent } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { inNaturalOrder } from '../shared/model/natural-order.ts'
import type { ByteSource } from '../shared/model/source.ts'
import type { UnreadableFile } from '../shared/session/opening/open-source.ts'
import { MemorySource, NodeFileSource } from './byte-sources.ts'
import { expandGlob, isGlob, type Match } from './glob.ts'
import { type CommandIo, UsageError } from './io.ts'
import { tellNamedAgain } from './named-again.ts'

/** What `-` stands for. */
export const STANDARD_INPUT: FoundFile = { path: '-', name: 'standard input' }

/** A file to be read, and what it is called. */
export interface FoundFile {
  readonly path: string
  readonly name: string
  /** A pipe (`<(zcat …)`) can be read once, from its start, and has no size. */
  readonly pipe?: boolean
}

export interface OpenedSources {
  readonly sources: readonly ByteSource[]
  /** Absolute paths of the files (and `-`), so that an output never overwrites an input. */
  readonly paths: readonly string[]
  /** Files that could not be opened, and folders that hold none or may not be listed. */
  readonly problems: readonly UnreadableFile[]
}

interface FoundFiles {
  readonly files: readonly FoundFile[]
  /** Those of them that several paths led to. */
  readonly again: readonly FoundFile[]
  readonly problems: OpenedSources['problems']
}

/**
 * Opens what a person named: files, folders (walked), patterns, and `-` for standard input. Throws `UsageError` for a
 * path that does not exist.
 *
 * @param relativeTo folder under which all files lie and from which they are named; default: what the paths have in common
 */
export async function openPaths(
  paths: readonly string[],
  io: CommandIo,
  relativeTo: string | null = null,
): Promise<OpenedSources> {
  const found = await findAll(paths, io, relativeTo)
  tellNamedAgain(found.again, io)
  const problems = [...found.problems]
  const sources: ByteSource[] = []
  for (const file of found.files) {
    try {
      if (file === STANDARD_INPUT) sources.push(new MemorySource(file.name, await readAll(io.stdin)))
      else if (file.pipe) sources.push(new MemorySource(file.name, await readFile(file.path)))
      else sources.push(await NodeFileSource.open(file.path, file.name))
    } catch (error) {
      const { size } = await stat(file.path).catch(() => ({ size: 0 }))
      problems.push(unopened(file.name, `${file.name} ${cannotOpen(error)}`, size))
    }
  }
  return { sources, paths: found.files.map(({ path }) => path), problems }
}

/**
 * The files that a person named, in this order, each once and under the name that it is called by. Throws `UsageError` for a path that does not exist,
 * unless what is gone is left out.
 */
export async function findAll(
  paths: readonly string[],
  io: CommandIo,
  relativeTo: string | null,
  { gone = 'refused' }: { readonly gone?: 'refused' | 'left-out' } = {},
): Promise<FoundFiles> {
  const problems: UnreadableFile[] = []
  const files = new Map<string, FoundFile>()
  const again = new Set<string>()
  const filesOf = new Map<string, readonly FoundFile[]>()
  for (const path of paths) {
    const known = filesOf.get(path)
    if (known !== undefined) {
      for (const file of known) again.add(file.path)
      continue
    }
    const before = problems.length
    const found =
      path === '-'
        ? [STANDARD_INPUT]
        : await findFiles(path, io.directory, {
            onLocked: (name, message) => problems.push(unopened(name, message)),
          }).catch((error: unknown) => {
            if (gone === 'left-out' && error instanceof UsageError) return []
            throw error
          })
    if (found.length === 0 && problems.length === before) {
      const message = await holdsNoFiles(path, resolve(io.directory, path), 'Name')
      problems.push({ ...unopened(path, message), code: 'no-files' })
    }
    filesOf.set(path, found)
    for (const file of found) {
      if (files.has(file.path)) again.add(file.path)
      else files.set(file.path, file)
    }
  }
  const all = named([...files.values()], relativeTo, io)
  return { files: all, again: all.filter(({ path }) => again.has(path)), problems }
}

function unopened(name: string, message: string, bytes = 0): UnreadableFile {
  return { name, bytes, code: 'read-error', message }
}

/** Files under the names that they are called by; standard input keeps its own. */
function named(all: readonly FoundFile[], relativeTo: string | null, io: CommandIo): readonly FoundFile[] {
  const at = all.indexOf(STANDARD_INPUT)
  const onDisk = at < 0 ? all : all.toSpliced(at, 1)
  const called = relativeTo === null ? toldApart(onDisk) : namedFrom(relativeTo, onDisk, io)
  return at < 0 ? called : called.toSpliced(at, 0, STANDARD_INPUT)
}

/** Files of one name, from several folders that were named, are called by their place under what these have in common. */
export function toldApart(files: readonly FoundFile[]): readonly FoundFile[] {
  if (new Set(files.map(({ name }) => name)).size === files.length) return files
  const common = commonFolder(files.map(({ path }) => path))
  return files.map((file) => ({ ...file, name: shownName(relative(common, file.path)) }))
}

function namedFrom(folder: string, files: readonly FoundFile[], { directory }: CommandIo): readonly FoundFile[] {
  const root = resolve(directory, folder)
  return files.map((file) => {
    const name = relative(root, file.path)
    if (name === '' || isAbsolute(name) || name.split(sep)[0] === '..') {
      throw new UsageError(`--relative-to ${folder}: ${file.path} is not under it. Name a folder that holds all files.`)
    }
    return { ...file, name: shownName(name) }
  })
}

/** What else is told of a folder that is walked. */
interface Walk {
  /** What sentences call the path; default: the path. */
  readonly called?: string
  /** A folder that may not be listed costs its own files alone; without this it is a `UsageError`. */
  onLocked?(name: string, sentence: string): void
}

/** The files behind one argument; empty for an empty folder. Throws `UsageError` where there is nothing to read. */
export async function findFiles(path: string, directory: string, walked: Walk = {}): Promise<FoundFile[]> {
  const { called = path } = walked
  const absolute = resolve(directory, path)
  let info: Awaited<ReturnType<typeof stat>>
  try {
    info = await stat(absolute)
  } catch (error) {
    if (!isGlob(path)) throw new UsageError(`${called} ${cannotOpen(error)}`)
    const matches = await expandGlob(path, directory)
    const matched = (await Promise.all(matches.map((match) => filesOfMatch(match, walked)))).flat()
    if (matched.length === 0) throw new UsageError(`${called} matches no file. Check the pattern and the folder.`)
    const files = [...new Map(matched.map((file) => [file.path, file])).values()]
    const common = commonFolder(files.map((file) => file.path))
    return files.map((file) => ({ ...file, name: shownName(relative(common, file.path)) }))
  }
  if (info.isFile()) return [{ path: absolute, name: basename(absolute) }]
  if (info.isFIFO()) return [{ path: absolute, name: basename(absolute), pipe: true }]
  if (!info.isDirectory()) throw new UsageError(`${called} is neither a file nor a folder. Name a rollout dump.`)
  return filesUnder(absolute, { ...walked, called })
}

async function filesUnder(root: string, walked: Walk & { readonly called: string }): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  const links = new Set<FoundFile>()
  await walk({ ...walked, root, visited: new Set(), found, links }, root)
  return withoutSecondNames(found, links)
}

/** The file that a pattern matched, or those under the folder, as a shell that expands patterns names it. */
async function filesOfMatch({ path, isFolder }: Match, walked: Walk): Promise<FoundFile[]> {
  return isFolder ? filesUnder(path, { ...walked, called: path }) : [{ path, name: basename(path) }]
}

/** Files of a folder without links to others of them (`latest.jsonl` beside `step_9.jsonl`): their rollouts would count twice. */
async function withoutSecondNames(found: readonly FoundFile[], links: ReadonlySet<FoundFile>): Promise<FoundFile[]> {
  if (links.size === 0) return [...found]
  const real = new Map<FoundFile, string>()
  for (const file of found) real.set(file, await realpath(file.path).catch(() => file.path))
  const first = new Map<string, FoundFile>()
  for (const file of [...found.filter((each) => !links.has(each)), ...links]) {
    const path = real.get(file) as string
    if (!first.has(path)) first.set(path, file)
  }
  return found.filter((file) => !links.has(file) || first.get(real.get(file) as string) === file)
}

/** Names of hidden folders in one sentence. */
const MOST_HIDDEN = 5

interface Walking extends Walk {
  readonly root: string
  readonly called: string
  readonly visited: Set<string>
  readonly found: FoundFile[]
  /** Those of them that are links. */
  readonly links: Set<FoundFile>
}

/** Files under a folder, in natural order at every level; hidden ones and `node_modules` are left out, and no link is walked twice. */
async function walk(walking: Walking, folder: string): Promise<void> {
  const { root, found, links } = walking
  const entries = await list(walking, folder)
  const wanted = entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
  for (const entry of wanted.sort((a, b) => inNaturalOrder(a.name, b.name))) {
    const path = join(folder, entry.name)
    // Only of links, and where a file system does not tell, one has to look.
    const kind = entry.isFile() || entry.isDirectory() ? entry : await stat(path).catch(() => null)
    if (kind?.isDirectory()) await walk(walking, path)
    else if (kind?.isFile()) {
      const file = { path, name: shownName(relative(root, path)) }
      found.push(file)
      if (entry.isSymbolicLink()) links.add(file)
    }
  }
}

/** Of a folder in which the walk found nothing: hidden folders that it left out, such as ART's `.art`, and what can be done. */
export async function holdsNoFiles(called: string, folder: string, verb: 'Name' | 'Open'): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const hidden = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith('.'))
  if (hidden.length === 0) return `${called} holds no files. ${verb} a folder with rollout dumps in it.`
  const names = hidden.map(({ name }) => shownName(name)).sort(inNaturalOrder)
  const shown = names.length > MOST_HIDDEN ? [...names.slice(0, MOST_HIDDEN), '…'] : names
  return `${called} holds no files but in hidden folders, which are left out: ${shown.join(', ')}. ${verb} one of them itself.`
}

/** What stands in a folder; nothing where it was walked before, or may not be. */
async function list({ root, called, visited, onLocked }: Walking, folder: string): Promise<Dirent[]> {
  try {
    const real = await realpath(folder)
    if (visited.has(real)) return []
    visited.add(real)
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    const name = shownName(join(called, relative(root, folder)))
    const sentence = `${name} ${cannotOpen(error)}`
    if (onLocked === undefined) throw new UsageError(sentence)
    onLocked(name, sentence)
    return []
  }
}

function commonFolder(paths: readonly string[]): string {
  let folder = resolve(paths[0]!, '..')
  for (const path of paths)
    while (!path.startsWith(folder.endsWith(sep) ? folder : folder + sep)) folder = resolve(folder, '..')
  return folder
}

function shownName(path: string): string {
  return path.split(sep).join('/')
}

/** All bytes of a stream, such as standard input. */
export async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The end of a sentence that begins with the path. */
export function cannotOpen(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist. Check the path.'
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read. Check its permissions.'
  if (code === 'EISDIR') return 'is a folder. Name a file.'
  if (code === 'EMFILE')
    return 'could not be opened: too many open files. Raise the limit (ulimit -n) or name fewer files.'
  return `could not be opened: ${error instanceof Error ? error.message : String(error)}`
}
