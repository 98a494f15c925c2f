import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type CommandIo, Exit, UsageError } from './io.ts'
import { hostPage, untilStopped } from './server/host.ts'
import { DEFAULT_PORT } from './server/http-server.ts'
import { listFolder } from './server/opening.ts'
import { ServedFiles } from './server/served-files.ts'

export const SERVE_USAGE = `rollout-inspector serve DIR [--port N] [--host ADDRESS]

Serves the inspector with the files under DIR, and no others, to whoever has the printed address with its token.
  --port N         default ${DEFAULT_PORT}; flags made in the page are kept for each port apart
  --host ADDRESS   default 127.0.0.1, this machine only. From elsewhere, better: ssh -L ${DEFAULT_PORT}:127.0.0.1:${DEFAULT_PORT} HOST
`

/** The command `serve`: runs until it is interrupted or `stop` is aborted. Throws `UsageError`. */
export async function serve(parameters: readonly string[], io: CommandIo, stop?: AbortSignal): Promise<Exit> {
  const { folder, host, port } = await readParameters(parameters, io.directory)
  const served = new ServedFiles()
  const { problems } = await listFolder(folder, served)
  if (host !== '127.0.0.1')
    io.stderr.write(`Listening on ${host}: the token is all that keeps others out, and it travels unencrypted.\n`)
  const server = await hostPage(
    {
      served,
      problems,
      files: async () => (await listFolder(folder, served)).files,
      listen: { host, port: port ?? DEFAULT_PORT, orNext: port === null },
    },
    io,
  ).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(cannotListen(error, host, port ?? DEFAULT_PORT))
  })
  await untilStopped(stop)
  await server.close()
  return Exit.ok
}

async function readParameters(parameters: readonly string[], directory: string) {
  const { values, positionals } = parse(parameters)
  const [given, ...others] = positionals
  if (given === undefined || others.length > 0) throw new UsageError('serve takes one folder: serve DIR [--port N]')
  const folder = resolve(directory, given)
  const info = await stat(folder).catch(() => null)
  if (!info?.isDirectory()) throw new UsageError(`${given} is no folder. serve takes the folder with the dumps in it.`)
  const port = values.port === undefined ? null : Number(values.port)
  if (port !== null && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw new UsageError(`--port ${values.port} is no port number (0 to 65535; 0 takes a free one).`)
  }
  return { folder, host: values.host ?? '127.0.0.1', port }
}

function parse(parameters: readonly string[]) {
  try {
    return parseArgs({
      args: [...parameters],
      allowPositionals: true,
      options: { port: { type: 'string' }, host: { type: 'string' } },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} is taken. Name another one, or none to take the next free one.`
  if (error.code === 'EACCES') return `Port ${port} may not be used by you. Name one above 1023.`
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') return `${host} is no address of this machine.`
  return `The server could not start on ${host}, port ${port}: ${error.message}`
}
