import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { parseArguments } from './arguments.ts'
import { cannotOpen } from './files.ts'
import { type CommandIo, Exit, UsageError } from './io.ts'
import { type HostParts, hostPage, untilStopped } from './server/host.ts'
import { DEFAULT_PORT } from './server/http-server.ts'
import { listFolder, openForPage } from './server/opening.ts'
import { ServedFiles } from './server/served-files.ts'
import type { CommandHelp } from './usage.ts'

/** What `serve --help` says beyond the list of commands. */
export const SERVE_HELP: Pick<CommandHelp, 'more' | 'options'> = {
  more: 'Whoever has the printed address with its token has the inspector. Of the files under DIR, and no others, the page lets you choose what to open; FILE… is opened at once, as one run.',
  options: [
    {
      name: 'port',
      kind: 'text',
      placeholder: 'N',
      help: `default: ${DEFAULT_PORT}; flags made in the page are kept for each port apart`,
    },
    {
      name: 'host',
      kind: 'text',
      placeholder: 'ADDRESS',
      help: `default: 127.0.0.1, this machine only. From elsewhere, better: ssh -L ${DEFAULT_PORT}:127.0.0.1:${DEFAULT_PORT} HOST`,
    },
  ],
}

/** The command `serve`: runs until it is interrupted or `stop` is aborted. Throws `UsageError`. */
export async function serve(parameters: readonly string[], io: CommandIo, stop?: AbortSignal): Promise<Exit> {
  const { paths, host, port } = await readParameters(parameters, io.directory)
  const offered = offer(paths, new ServedFiles())
  if (host !== '127.0.0.1')
    io.stderr.write(`Listening on ${host}: the token is all that keeps others out, and it travels unencrypted.\n`)
  const server = await hostPage(
    { ...offered, listen: { host, port: port ?? DEFAULT_PORT, orNext: port === null } },
    io,
  ).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(cannotListen(error, host, port ?? DEFAULT_PORT))
  })
  await untilStopped(stop)
  await server.close()
  return Exit.ok
}

type Offered = Pick<HostParts, 'served' | 'files' | 'folder'>

/** Files are opened as one run; of a folder, which may hold the dumps of many, a person chooses in the page. */
function offer(paths: Paths, served: ServedFiles): Offered {
  if (paths.kind === 'files') return { served, files: () => openForPage(paths.files, '/', served) }
  const { folder } = paths
  const named = { name: basename(folder) || folder, key: createHash('sha256').update(folder).digest('hex') }
  return {
    served,
    files: async () => ({ files: [], problems: [] }),
    folder: async () => ({ ...named, ...(await listFolder(folder, served)) }),
  }
}

type Paths =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'files'; readonly files: readonly string[] }

async function readParameters(parameters: readonly string[], directory: string) {
  const { paths: given, options } = parseArguments(parameters, SERVE_HELP.options)
  const paths = await readPaths(given, directory)
  const port = options.port === undefined ? null : Number(options.port)
  if (port !== null && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw new UsageError(`--port ${options.port} is no port number (0 to 65535; 0 takes a free one).`)
  }
  return { paths, host: (options.host as string | undefined) ?? '127.0.0.1', port }
}

async function readPaths(given: readonly string[], directory: string): Promise<Paths> {
  const kinds = await Promise.all(
    given.map(async (path) => {
      const info = await stat(resolve(directory, path)).catch((error: unknown) => {
        throw new UsageError(`${path} ${cannotOpen(error)}`)
      })
      return info.isDirectory()
    }),
  )
  const [first] = given
  if (first === undefined || (kinds.includes(true) && given.length > 1))
    throw new UsageError('serve takes one folder, or files: serve DIR [--port N]')
  if (kinds[0]) return { kind: 'folder', folder: resolve(directory, first) }
  return { kind: 'files', files: given.map((path) => resolve(directory, path)) }
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} is taken. Name another one, or none to take the next free one.`
  if (error.code === 'EACCES') return `Port ${port} may not be used by you. Name one above 1023.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') return `${host} is no address of this machine.`
  return `The server could not start on ${host}, port ${port}: ${error.message}`
}
