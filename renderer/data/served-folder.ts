import type { OpenedFile } from '../../electron/bridge.ts'
import type { SourceInput } from '../../shared/session/protocol.ts'
import { during } from '../state/under-way.ts'
import type { RecentOpen } from './database.ts'
import { observable } from './observable.ts'
import { isOfTokenizer } from './tokenizer-part.ts'

/** A folder that the host of the page serves, and what of it may be opened. */
export interface ServedFolder {
  readonly name: string
  /** Which folder it is: others have the same names in them. */
  readonly key: string
  /** Named by their place in the folder, in natural order. */
  readonly files: readonly OpenedFile[]
}

/** What the host of the page offers to choose from, where it offers anything. */
export const servedFolder = observable<ServedFolder | null>(null)

/** What the host tells its page (`session.json`). */
interface Session {
  readonly files: readonly OpenedFile[]
  readonly folder: ServedFolder | null
  readonly problems: readonly string[]
  readonly sample: OpenedFile | null
  readonly notice: string | null
}

/** Asks the host what to open and what there is to choose from; null where the page has no such host. */
export async function fetchSession(): Promise<Session | null> {
  try {
    const response = await fetch(new URL('session.json', document.baseURI), { cache: 'no-store' })
    if (!response.ok) return null
    const value: unknown = await response.json()
    if (typeof value !== 'object' || value === null) return null
    const { files, folder, problems, sample, notice } = value as Record<string, unknown>
    const session = {
      files: Array.isArray(files) ? files.filter(isOpenedFile) : [],
      folder: folderOf(folder),
      problems: Array.isArray(problems) ? problems.filter((problem) => typeof problem === 'string') : [],
      sample: isOpenedFile(sample) ? sample : null,
      notice: typeof notice === 'string' ? notice : null,
    }
    servedFolder.set(session.folder)
    return session
  } catch {
    // No such host, or an answer that is no JSON: there is nothing to open.
    return null
  }
}

function folderOf(value: unknown): ServedFolder | null {
  if (typeof value !== 'object' || value === null) return null
  const { name, key, files } = value as Record<string, unknown>
  if (typeof name !== 'string' || typeof key !== 'string' || !Array.isArray(files)) return null
  // A tokenizer beside the rollouts is none of the run's files.
  const dumps = files.filter(isOpenedFile).filter((file) => !isOfTokenizer(file.name))
  return { name, key, files: dumps }
}

export function isOpenedFile(value: unknown): value is OpenedFile {
  if (typeof value !== 'object' || value === null) return false
  const { name, url, size } = value as Record<string, unknown>
  return typeof name === 'string' && typeof url === 'string' && typeof size === 'number'
}

/** Files of the served folder; those of a whole folder of it (`steps/`, or nothing for all) are followed with what comes there. */
export interface Choice {
  readonly names: readonly string[]
  readonly folder: string | null
}

/** Files that are named in one sentence. */
const MOST_NAMED = 3

/** The chosen files as they are now: they may have grown since they were listed. Fails with a sentence where any is gone. */
export async function sourcesOf({ names, folder }: Choice): Promise<SourceInput[]> {
  const session = await during('Asking the server for its files', fetchSession)
  if (session === null)
    throw new Error('The server does not answer. Start `serve` again, and open the address that it prints.')
  const listed = new Map(session.folder?.files.map((file) => [file.name, file]))
  const gone = names.filter((name) => !listed.has(name))
  if (gone.length > 0)
    throw new Error(
      `${named(gone)} ${gone.length === 1 ? 'is' : 'are'} no longer in the folder that is served, so nothing was opened. Choose again.`,
    )
  return names.flatMap((name) => listed.get(name) ?? []).map((file) => urlSource(file, folder))
}

/** The hash of these files as one dump, without opening them. Fails with a sentence where they cannot be had. */
export async function hashOfServed(choice: Choice): Promise<string> {
  const [{ byteSource }, { slowSha256 }, { dumpHash }] = await Promise.all([
    import('../engine/byte-sources.ts'),
    import('../engine/sha256.ts'),
    import('../../shared/session/hashes.ts'),
  ])
  let failure: unknown = null
  // Of a file that cannot be read the hash takes the size alone, and would be another's.
  const sources = (await sourcesOf(choice)).map(byteSource).map((source) => {
    const slice = (start: number, end: number) =>
      source.slice(start, end).catch((error: unknown) => {
        failure ??= error
        throw error
      })
    return { ...source, name: source.name, size: source.size, slice }
  })
  const hash = await dumpHash(sources, { createSha256: slowSha256 })
  if (failure !== null) throw failure
  return hash
}

function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return new Intl.ListFormat('en-GB').format([...names.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])])
}

/** A source behind an address of this page's own origin. */
export function urlSource(file: OpenedFile, folder: string | null = null): SourceInput {
  const url = new URL(file.url, document.baseURI).href
  return { kind: 'url', name: file.name, url, size: file.size, ...(folder !== null && { folder }) }
}

/** How what is opened is found in the served folder again; null where it is not of it. */
export function servedAs(sources: readonly SourceInput[]): NonNullable<RecentOpen['served']> | null {
  const served = servedFolder.get()
  if (served === null) return null
  const [first] = sources
  const isOffered = new Set(served.files.map((file) => addressOf(urlSource(file))))
  if (!sources.every((source) => isOffered.has(addressOf(source)))) return null
  return { key: served.key, folder: (first?.kind === 'url' ? first.folder : undefined) ?? null }
}

function addressOf(source: SourceInput): string | null {
  return source.kind === 'url' ? source.url : null
}

/** What was opened of this served folder before, where all of it is still there; null for anything else. */
export function choiceAgain(entry: RecentOpen, folder: ServedFolder | null): Choice | null {
  if (entry.served === undefined || folder === null || entry.served.key !== folder.key) return null
  const listed = new Set(folder.files.map(({ name }) => name))
  return entry.names.every((name) => listed.has(name)) ? { names: entry.names, folder: entry.served.folder } : null
}

/** The file of a folder that has no other; what comes beside it later need not be of its run. */
export function onlyFile({ files }: ServedFolder): Choice | null {
  return files.length === 1 ? { names: files.map(({ name }) => name), folder: null } : null
}
