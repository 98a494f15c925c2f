import type { CommandIo } from '../io.ts'
import { DEFAULT_PORT, type ListenOptions, type RunningServer, startServer } from './http-server.ts'
import { findPlaces } from './places.ts'
import { findSample } from './sample.ts'
import type { ServedFiles } from './served-files.ts'
import { createSite, type PageSession, type ServedFolder } from './site.ts'

export interface HostParts {
  readonly served: ServedFiles
  /** What the page opens, asked anew at every load. */
  readonly files: () => Promise<PageSession['files']>
  /** What it offers instead, asked as often. */
  readonly folder?: () => Promise<ServedFolder>
  /** Sentences about what could not be opened; the page shows them too. */
  readonly problems?: readonly string[]
  readonly listen: ListenOptions
}

/** Starts the server and says where it is, and what a port other than the usual one means. */
export async function hostPage(parts: HostParts, io: CommandIo): Promise<RunningServer> {
  const places = findPlaces()
  const notices = [...(parts.problems ?? [])]
  const session = async () => ({
    files: await parts.files(),
    ...(parts.folder !== undefined && { folder: await parts.folder() }),
    sample: await findSample(places.samples),
    notice: notices.join(' ') || null,
  })
  const server = await startServer(createSite({ places, served: parts.served, session }), parts.listen)
  if (server.port !== DEFAULT_PORT) {
    const taken = parts.listen.orNext ? `Port ${parts.listen.port} is taken. ` : ''
    notices.push(
      `${taken}This page is at port ${server.port}. Flags and notes that you made at port ${DEFAULT_PORT} do not show here, and those made here do not show there: the browser keeps them apart.`,
    )
  }
  for (const notice of notices) io.stderr.write(`${notice}\n`)
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
