import type { ByteSource } from '../../model/source.ts'
import { rangeSource } from '../zip/open.ts'
import type { ArchiveListing } from './expand.ts'

const BLOCK = 512
/** Headers that are no files (folders, links, names) come to no more than so many for each file that may be listed. */
const HEADERS_PER_FILE = 16
/** Where GNU's header of a sparse file says that its stretches go on in the next block, and where such a block does. */
const STRETCHES_GO_ON = 482
const MORE_STRETCHES_GO_ON = 504
/** A pax header with a path in it; a larger one holds what no run writes. */
const MAX_HEADER_BYTES = 1 << 20

/** Whether a file's first bytes are a header of a tar archive (POSIX ustar or GNU), its checksum included. */
export function isTar(head: Uint8Array): boolean {
  return head.length >= BLOCK && text(head, 257, 5) === 'ustar' && isHeader(head.subarray(0, BLOCK))
}

/** Lists the files of a tar archive, which it describes one after another. What stands before damage is listed. */
export async function listTar(source: ByteSource, maxEntries: number): Promise<ArchiveListing> {
  const entries: ArchiveListing['entries'][number][] = []
  let longName: string | null = null
  let longSize: number | null = null
  /** Its holes are left out: what stands there is not what the file holds. */
  let sparse = false
  let headers = 0
  for (let at = 0; at + BLOCK <= source.size; ) {
    if (headers++ > HEADERS_PER_FILE * maxEntries)
      return { entries, damage: `it holds ${headers} headers; the rest is not read` }
    const header = await source.slice(at, at + BLOCK)
    if (header.every((byte) => byte === 0)) return { entries, damage: null }
    if (!isHeader(header)) return { entries, damage: `its header at byte ${at} is damaged; nothing after it is read` }
    const size = longSize ?? numberAt(header, 124, 12)
    const kind = String.fromCharCode(header[156] as number)
    let start = at + BLOCK
    // The stretches of a sparse file that have no room in its header stand in blocks behind it, which its size does not count.
    let more = kind === 'S' && header[STRETCHES_GO_ON] !== 0
    while (more && start + BLOCK <= source.size && headers++ <= HEADERS_PER_FILE * maxEntries) {
      more = (await source.slice(start, start + BLOCK))[MORE_STRETCHES_GO_ON] !== 0
      start += BLOCK
    }
    if (!Number.isSafeInteger(size) || size < 0) return { entries, damage: `the file at byte ${at} declares no size` }
    if (start + size > source.size) {
      return {
        entries,
        damage: `the archive ends inside the file at byte ${at}: ${size} bytes are declared, ${source.size - start} are there`,
      }
    }
    if (kind === 'L' || kind === 'x') {
      const bytes = await source.slice(start, start + Math.min(size, MAX_HEADER_BYTES))
      if (kind === 'L') longName = text(bytes, 0, bytes.length)
      else {
        const fields = paxFields(bytes)
        longName = fields.get('path') ?? longName
        const given = fields.get('size')
        longSize = given === undefined ? null : Number(given)
        sparse = [...fields.keys()].some((key) => key.startsWith('GNU.sparse.'))
        longName = fields.get('GNU.sparse.name') ?? longName
      }
    } else {
      const prefix = text(header, 345, 155)
      const name = longName ?? (prefix === '' ? '' : `${prefix}/`) + text(header, 0, 100)
      if (kind === '0' || kind === '\0' || kind === '7' || kind === 'S') {
        if (entries.length === maxEntries)
          return { entries, damage: `it holds more than ${maxEntries} files; the rest is not read` }
        entries.push({
          name,
          open: sparse || kind === 'S' ? refused : async (shown) => rangeSource(source, shown, start, size),
        })
      }
      sparse = false
      longName = null
      longSize = null
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK
  }
  return { entries, damage: null }
}

async function refused(): Promise<never> {
  throw Object.assign(new Error('the archive keeps it without its holes (a sparse file). Unpack it, then open it.'), {
    code: 'sparse',
  })
}

function isHeader(header: Uint8Array): boolean {
  let sum = 0
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 0x20 : (header[i] as number)
  return numberAt(header, 148, 8) === sum
}

/** Octal digits, or for what they cannot hold a big-endian number after a first bit. */
function numberAt(header: Uint8Array, at: number, length: number): number {
  if (((header[at] as number) & 0x80) !== 0) {
    let value = (header[at] as number) & 0x7f
    for (let i = 1; i < length; i++) value = value * 256 + (header[at + i] as number)
    return value
  }
  const digits = text(header, at, length).trim()
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN
}

/** `LENGTH KEY=VALUE\n`, one after another; LENGTH counts bytes, itself included. */
function paxFields(bytes: Uint8Array): Map<string, string> {
  const fields = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = space < 0 ? Number.NaN : Number(text(bytes, at, space - at))
    if (!(length > space - at + 1) || at + length > bytes.length) break
    const field = text(bytes, space + 1, length - (space - at) - 2)
    const equals = field.indexOf('=')
    if (equals > 0) fields.set(field.slice(0, equals), field.slice(equals + 1))
    at += length
  }
  return fields
}

const decoder = new TextDecoder()

function text(bytes: Uint8Array, at: number, length: number): string {
  const part = bytes.subarray(at, at + length)
  const end = part.indexOf(0)
  return decoder.decode(end < 0 ? part : part.subarray(0, end))
}
