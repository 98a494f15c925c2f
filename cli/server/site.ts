import { join } from 'node:path'
import type { OpenedFile } from '../../electron/bridge.ts'
import { fileResponse, plainResponse, textResponse } from './file-response.ts'
import { mediaType, WORKER_CONTENT_SECURITY_POLICY } from './headers.ts'
import type { Places } from './places.ts'
import { insideFolder, type ServedFiles } from './served-files.ts'

/** A folder by its name, and its files by their place in it. */
export interface ServedFolder {
  readonly name: string
  /** Tells it from other folders, and says nothing of where it is. */
  readonly key: string
  readonly files: readonly OpenedFile[]
}

/** What a host tells its page at the start (`/session.json`). */
export interface PageSession {
  /** Opened as soon as the page is there. */
  readonly files: readonly OpenedFile[]
  /** What a person may choose from, where a folder is served; asked again before anything of it is opened. */
  readonly folder?: ServedFolder
  /** A sentence for each thing that cannot be opened by now. */
  readonly problems?: readonly string[]
  readonly sample: OpenedFile | null
  /** One line that belongs on the start page. */
  readonly notice: string | null
}

export interface SiteParts {
  readonly places: Places
  readonly served: ServedFiles
  /** Asked anew by every load of the page. */
  readonly session: () => Promise<PageSession>
}

/** What of a request decides on its answer. */
export type PageRequest = Pick<Request, 'method' | 'url' | 'headers'>

export type Site = (request: PageRequest) => Promise<Response>

/**
 * Answers the page's requests, the same way for the desktop shell's scheme and for the loopback server: the built page,
 * the bundled tokenizers, the samples, and the files that were opened, by handle. Who may ask is the host's business.
 */
export function createSite(parts: SiteParts): Site {
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return plainResponse(405, 'This only hands out; it takes nothing.', { allow: 'GET, HEAD' })
    }
    const path = decodedPath(request.url)
    if (path === null) return nothingThere()
    if (path === '/session.json') return textResponse(200, JSON.stringify(await parts.session()), 'application/json')
    const handle = path.match(/^\/file\/([\w-]{22})$/)?.[1]
    if (handle !== undefined) {
      const file = await parts.served.pathOf(handle)
      return file === null ? notOpened() : fileResponse(request, file, 'application/octet-stream')
    }
    if (path.startsWith('/file/')) return notOpened()
    const { folder, rest } = publicFolder(parts.places, path)
    const file = await insideFolder(join(folder, rest), folder)
    if (file === null) return nothingThere()
    const response = await fileResponse(request, file, mediaType(file))
    if (path.startsWith(WORKERS)) response.headers.set('content-security-policy', WORKER_CONTENT_SECURITY_POLICY)
    return response
  }
}

/** Where the build puts the scripts that workers begin with. */
const WORKERS = '/workers/'

/** The path of an address, or null for one that no file of ours can have: hidden names, climbing, other separators. */
function decodedPath(url: string): string | null {
  let path: string
  try {
    path = decodeURIComponent(new URL(url).pathname)
  } catch {
    return null
  }
  if (/[\\\0:]/.test(path)) return null
  if (path.split('/').some((part) => part.startsWith('.'))) return null
  return path
}

function publicFolder(places: Places, path: string): { folder: string; rest: string } {
  if (path.startsWith('/tokenizers/')) return { folder: places.tokenizers, rest: path.slice('/tokenizers/'.length) }
  if (/^\/samples\/[^/]+\.gz$/.test(path)) return { folder: places.samples, rest: path.slice('/samples/'.length) }
  return { folder: places.page, rest: path === '/' ? 'index.html' : path.slice(1) }
}

function nothingThere(): Response {
  return plainResponse(404, 'There is nothing at this address.')
}

function notOpened(): Response {
  return plainResponse(404, 'No file was opened under this address. Open the file again.')
}
