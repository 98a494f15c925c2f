import { inNaturalOrder } from '../../shared/model/natural-order.ts'
import type { ByteSource } from '../../shared/model/source.ts'
import type { Following } from '../../shared/session/following/follow.ts'
import type { WatchedFile } from '../../shared/session/following/followed-file.ts'
import type { SourceInput } from '../../shared/session/protocol.ts'
import { NOISE } from '../data/noise.ts'
import { isOfTokenizer } from '../data/tokenizer-part.ts'
import { byteSource } from './byte-sources.ts'

/** A file to which nothing was written for so long is taken to be whole, unless it grows after all. Milliseconds. */
const QUIET_AFTER = 2000
/** Files whose size is asked for at once. */
const AT_ONCE = 8

type Address = Extract<SourceInput, { kind: 'url' }>

/** How open files are seen as they are from now on. Throws with a sentence where this window was given no way to. */
export async function watchFiles(
  inputs: readonly SourceInput[],
  handles: readonly unknown[],
): Promise<Following['look']> {
  const addresses = inputs.filter((input) => input.kind === 'url')
  if (inputs.length > 0 && addresses.length === inputs.length) return () => lookAtAddresses(addresses)
  const given = handles.filter((handle) => handle instanceof FileSystemHandle)
  if (given.length > 0) return () => lookAtHandles(given)
  throw new Error(
    'This window was given these files as they were and cannot see them grow. Drop them from the file manager in Chrome or Edge, serve their folder with `rollout-inspector serve FOLDER`, or follow them with `rollout-inspector inspect --follow`.',
  )
}

/** The files behind addresses of this page's host, and those that came to the folder that it serves. */
async function lookAtAddresses(opened: readonly Address[]): Promise<WatchedFile[]> {
  const { files: atOnce, offered } = await listing()
  const sizes = new Map([...atOnce, ...offered].map((file) => [file.url, file.size]))
  const known = new Set(opened.map(({ url }) => url))
  // Who opened all that is served, or a folder of it, wants what comes, too.
  const all = new Set(atOnce.map(({ url }) => url))
  const come = opened.every(({ url }) => all.has(url))
    ? atOnce
    : offered.filter(({ name }) => opened.some(({ folder }) => folder !== undefined && name.startsWith(folder)))
  const added = come.filter(({ url }) => !known.has(url))
  const files = [...opened, ...added]
  const found: WatchedFile[] = []
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const part = await Promise.all(
      files.slice(at, at + AT_ONCE).map(async (file) => {
        const size = sizes.get(file.url) ?? (await sizeOf(file.url))
        return size === null ? [] : [addressed({ ...file, size })]
      }),
    )
    found.push(...part.flat())
  }
  return found.sort(byName)
}

function addressed(input: Address): WatchedFile {
  return { source: byteSource(input), identity: null, stamp: String(input.size), quiet: false }
}

/** Null for a file that is gone. Throws where that cannot be told. */
async function sizeOf(url: string): Promise<number | null> {
  const response = await fetch(url, { method: 'HEAD', cache: 'no-store' })
  if (response.status === 404 || response.status === 410) return null
  // Taken for gone, what is there would be read again as a file that came.
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`.trimEnd())
  const size = Number(response.headers.get('content-length'))
  return Number.isSafeInteger(size) ? size : null
}

/** What the host of the page offers by now; the script of this worker lies one folder below the page. */
async function listing(): Promise<{ files: Address[]; offered: Address[] }> {
  const page = new URL('../', self.location.href)
  const answer: unknown = await fetch(new URL('session.json', page), { cache: 'no-store' }).then(
    (response) => (response.ok ? response.json() : null),
    () => null,
  )
  const { files, folder } = (answer ?? {}) as { files?: unknown; folder?: { files?: unknown } }
  const addresses = (listed: unknown): Address[] =>
    Array.isArray(listed)
      ? listed.map(({ name, url, size }) => ({ kind: 'url', name, url: new URL(url, page).href, size }))
      : []
  const offered = addresses(folder?.files).filter(({ name }) => !isOfTokenizer(name))
  return { files: addresses(files), offered }
}

async function lookAtHandles(handles: readonly FileSystemHandle[]): Promise<WatchedFile[]> {
  const found: WatchedFile[] = []
  for (const handle of handles) for await (const file of filesOf(handle, handle.name)) found.push(file)
  return found.sort(byName)
}

async function* filesOf(handle: FileSystemHandle, name: string): AsyncGenerator<WatchedFile> {
  // As where they are opened: a tokenizer beside the rollouts is none of the run's files, and a folder that was given is one of any name.
  const isGiven = handle.kind === 'directory' && !name.includes('/')
  if ((!isGiven && NOISE.test(name.slice(name.indexOf('/') + 1))) || isOfTokenizer(name)) return
  try {
    if (handle instanceof FileSystemDirectoryHandle) {
      for await (const [child, inside] of handle.entries()) yield* filesOf(inside, `${name}/${child}`)
    } else if (handle instanceof FileSystemFileHandle) {
      const { size, lastModified } = await handle.getFile()
      const quiet = Date.now() - lastModified > QUIET_AFTER
      yield { source: handled(handle, name, size), identity: null, stamp: `${size}:${lastModified}`, quiet }
    }
  } catch {
    // Gone since it was listed; the next look will tell.
  }
}

/** A file that the browser gives anew for each read: one that it gave before may not be read once something was written to it. */
function handled(handle: FileSystemFileHandle, name: string, size: number): ByteSource {
  const slice = async (start: number, end: number) => {
    const file = await handle.getFile()
    return new Uint8Array(await file.slice(start, Math.min(end, size)).arrayBuffer())
  }
  return {
    name,
    size,
    // What is written between the two steps makes the second fail.
    slice: (start, end) => slice(start, end).catch(() => slice(start, end)),
    stream(start = 0) {
      let at = start
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          if (at >= size) return controller.close()
          const bytes = await slice(at, at + CHUNK_BYTES).catch(() => slice(at, at + CHUNK_BYTES))
          at += bytes.length
          if (bytes.length > 0) controller.enqueue(bytes)
          else controller.close()
        },
      })
    },
  }
}

const CHUNK_BYTES = 1 << 20

function byName(a: WatchedFile, b: WatchedFile): number {
  return inNaturalOrder(a.source.name, b.source.name)
}
