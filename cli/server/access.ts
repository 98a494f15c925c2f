import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/** Who may talk to the server. */
export interface Access {
  /** Random, in the printed address once, then in a cookie. */
  readonly token: string
  readonly port: number
  /** True when the server listens on loopback only. */
  readonly loopback: boolean
  /** The host name it was told to listen on, which a person may type. */
  readonly hostName: string
}

export type Decision =
  | { readonly kind: 'allow' }
  /** The printed address: set the cookie, and go on at the page's own address. */
  | { readonly kind: 'enter'; readonly cookie: string }
  | { readonly kind: 'refuse'; readonly status: 400 | 403 | 421; readonly sentence: string }

const LOOPBACK_NAMES = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Decides on one request before anything is looked up. The host name keeps out pages that had their own name point here
 * (DNS rebinding), `Origin` and `Sec-Fetch-Site` pages of other origins, the token everybody who did not get it.
 */
export function decide(request: IncomingMessage, access: Access): Decision {
  const host = hostNameOf(request.headers.host)
  if (host === null) return refuse(400, 'The request names no host.')
  if (!mayBeCalled(host, access)) {
    return refuse(421, 'This server does not go by that name. Open the address that the command printed.')
  }
  if (!sameOrigin(request)) return refuse(403, 'Pages of other origins may not read from here.')
  const given = request.url?.match(/^\/\?token=([\w-]+)$/)?.[1]
  if (given !== undefined && equal(given, access.token)) return { kind: 'enter', cookie: cookieOf(access) }
  if (cookieValues(request, cookieName(access)).some((value) => equal(value, access.token))) return { kind: 'allow' }
  return refuse(403, 'Open the address that the command printed, with its token.')
}

function refuse(status: 400 | 403 | 421, sentence: string): Decision {
  return { kind: 'refuse', status, sentence }
}

/** The name in a `Host` header, without the port: a tunnel (ssh -L) comes with a port of its own. */
function hostNameOf(header: string | undefined): string | null {
  const match = header?.match(/^(\[[\da-f:.]+\]|[^:/?#@\s]+)(?::\d{1,5})?$/i)
  return match?.[1]?.toLowerCase() ?? null
}

/** Names that no stranger's DNS can point here: loopback's own; elsewhere also addresses, and the name it was told. */
function mayBeCalled(host: string, access: Access): boolean {
  if (LOOPBACK_NAMES.has(host)) return true
  if (access.loopback) return false
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0 || host === access.hostName.toLowerCase()
}

function sameOrigin(request: IncomingMessage): boolean {
  const { origin, host } = request.headers
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return false
  const site = request.headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return true
  // Following a link from elsewhere is a person's doing; the page it opens is ours and cannot be framed.
  return request.headers['sec-fetch-mode'] === 'navigate' && request.headers['sec-fetch-dest'] === 'document'
}

/** Cookies are kept per host and not per port, so the port is in the name: two servers do not log each other out. */
function cookieName(access: Access): string {
  return `rollout-inspector-${access.port}`
}

function cookieOf(access: Access): string {
  return `${cookieName(access)}=${access.token}; Path=/; HttpOnly; SameSite=Strict`
}

/** Every server of this machine may set cookies for all of its ports, so that there may be others of that name before ours. */
function cookieValues(request: IncomingMessage, name: string): readonly string[] {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1))
}

/** Compares hashes, so that neither length nor common beginning shows in the time taken. */
function equal(left: string, right: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(left), hash(right))
}
