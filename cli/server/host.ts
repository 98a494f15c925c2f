import type { OpenedFiles } from '../../electron/bridge.ts'
import { visibleText } from '../../shared/exports/visible-text.ts'
import type { CommandIo } from '../io.ts'
import { DEFAULT_PORT, type ListenOptions, type RunningServer, startServer } from './http-server.ts'
import { findPlaces } from './places.ts'
import { findSample } from './sample.ts'
import type { ServedFiles } from './served-files.ts'
import { createSite, type PageSession, type ServedFolder } from './site.ts'

export interface HostParts {
  readonly served: ServedFiles
  /** What the page opens, with sentences about what cannot be opened; asked anew at every load. */
  readonly files: () => Promise<OpenedFiles>
  /** What it offers instead, asked as often. */
  readonly folder?: () => Promise<ListedFolder>
  readonly listen: ListenOptions
}

export interface ListedFolder extends ServedFolder, Pick<OpenedFiles, 'problems'> {}

/** Starts the server and says where it is, and what a port other than the usual one means. */
export async function hostPage(parts: HostParts, io: CommandIo): Promise<RunningServer> {
  const places = findPlaces()
  let notice: string | null = null
  const told = new Set<string>()
  const tell = (sentence: string) => {
    if (!told.has(sentence)) io.stderr.write(`${visibleText(sentence)}\n`)
    told.add(sentence)
  }
  const offered = async (): Promise<Pick<PageSession, 'files' | 'folder' | 'problems'>> => {
    const { files, problems } = await parts.files()
    if (parts.folder === undefined) return { files, problems }
    const { problems: ofFolder, ...folder } = await parts.folder()
    return { files, folder, problems: [...problems, ...ofFolder] }
  }
  const session = async () => {
    const all = await offered()
    for (const problem of all.problems ?? []) tell(problem)
    return { ...all, sample: await findSample(places.samples), notice }
  }
  const server = await startServer(createSite({ places, served: parts.served, session }), parts.listen)
  if (server.port !== DEFAULT_PORT) {
    const taken = parts.listen.orNext ? `Port ${parts.listen.port} is taken. ` : ''
    notice = `${taken}This page is at port ${server.port}. Flags and notes that you made at port ${DEFAULT_PORT} do not show here, and those made here do not show there: the browser keeps them apart.`
  }
  for (const sentence of [...((await offered()).problems ?? []), notice]) if (sentence !== null) tell(sentence)
  io.stdout.write(`Rollout Inspector is at ${server.url}\n`)
  return server
}

/** Resolves when the person stops the command (Ctrl+C), or `stop` is aborted. */
export function untilStopped(stop?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    stop?.addEventListener('abort', () => done(), { once: true })
    process.once('SIGINT', () => done())
    process.once('SIGTERM', () => done())
  })
}
