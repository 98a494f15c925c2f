import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { hostname } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { type Access, decide } from './access.ts'
import { plainResponse } from './file-response.ts'
import { SECURITY_HEADERS } from './headers.ts'
import type { Site } from './site.ts'

/** Where browsers keep what people made, per origin: the port is fixed, and its number means nothing. */
export const DEFAULT_PORT = 47_613
const PORTS_TRIED = 20
/** A page has six. Whoever holds more of them than this, token or not, leaves the machine no descriptors for files. */
export const MOST_CONNECTIONS = 500

export interface RunningServer {
  /** With the token; to be printed and opened once. */
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** Take the next free port when that one is taken; else a taken port rejects with `EADDRINUSE`. */
  readonly orNext: boolean
}

/** Serves `site` over HTTP to those who have the token. */
export async function startServer(site: Site, options: ListenOptions): Promise<RunningServer> {
  const token = randomBytes(24).toString('base64url')
  let access: Access | null = null
  const server = createServer((request, response) => {
    answer(request, response, site, access).catch(() => response.destroy())
  })
  server.maxConnections = MOST_CONNECTIONS
  const port = await listen(server, options)
  access = { token, port, loopback: isLoopback(options.host), hostName: shownHost(options.host) }
  return {
    url: `http://${shownHost(options.host)}:${port}/?token=${token}`,
    port,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

async function listen(server: ReturnType<typeof createServer>, options: ListenOptions): Promise<number> {
  const last = options.orNext ? Math.min(options.port + PORTS_TRIED, 65_535) : options.port
  for (let port = options.port; ; port++) {
    try {
      await new Promise<void>((done, fail) => {
        server.once('error', fail)
        server.listen(port, options.host, () => {
          server.off('error', fail)
          done()
        })
      })
      return (server.address() as AddressInfo).port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port >= last) throw error
    }
  }
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  site: Site,
  access: Access | null,
): Promise<void> {
  if (access === null) return void outgoing.destroy()
  const decision = decide(incoming, access)
  if (decision.kind === 'refuse') return send(outgoing, plainResponse(decision.status, decision.sentence))
  if (decision.kind === 'enter') {
    const headers = { ...SECURITY_HEADERS, location: '/', 'set-cookie': decision.cookie }
    return send(outgoing, new Response(null, { status: 303, headers }))
  }
  const range = incoming.headers.range
  const response = await site({
    method: incoming.method ?? 'GET',
    // The path as it was sent, behind a host of our own: nothing of the request's decides on the origin.
    url: `http://host.invalid${pathOf(incoming.url)}`,
    headers: new Headers(range === undefined ? {} : { range }),
  })
  await send(outgoing, response)
}

/** `GET http://other/…` and `GET //other/…` are legal requests; only their path counts. */
function pathOf(url = '/'): string {
  const path = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path.replace(/^\/+/, '/') : `/${path}`
}

async function send(outgoing: ServerResponse, response: Response): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  if (response.body === null) return void outgoing.end()
  await pipeline(Readable.fromWeb(response.body as NodeReadableStream<Uint8Array>), outgoing)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** The name to type for a server that listens on `host`; all addresses at once have none, the machine has. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return hostname()
  return isIP(host) === 6 ? `[${host}]` : host
}
