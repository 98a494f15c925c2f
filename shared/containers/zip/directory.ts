import type { ByteSource } from '../../model/source.ts'
import { ZipError } from './error.ts'

/** A file in an archive, as the central directory at the archive's end describes it. */
export interface ZipEntry {
  /** As written: slashes, dots and a leading slash mean nothing here, it is a name and never a path. */
  readonly name: string
  readonly method: number
  /** Bytes in the archive. */
  readonly compressed: number
  /** Bytes once decompressed. */
  readonly bytes: number
  readonly crc32: number
  readonly encrypted: boolean
  /** Where its local header begins, from the first byte of the source. */
  readonly header: number
  readonly directory: boolean
  /** Why it is not to be read, null where nothing speaks against it. */
  readonly refused: string | null
}

export interface ZipDirectory {
  readonly entries: readonly ZipEntry[]
  /** Where the central directory begins: no entry's bytes lie behind. */
  readonly start: number
}

const END = 0x06054b50
const END_BYTES = 22
const END64 = 0x06064b50
const END64_BYTES = 56
const LOCATOR = 0x07064b50
const LOCATOR_BYTES = 20
const CENTRAL = 0x02014b50
const CENTRAL_BYTES = 46
const LOCAL_BYTES = 30
const MAX_COMMENT = 0xffff
/** A directory larger than this lists more files than any run writes. */
const MAX_DIRECTORY = 256 << 20

/**
 * Reads the central directory of an archive (APPNOTE 6.3.10), with zip64 and with bytes before the first entry.
 * Throws `ZipError`. Entries whose bytes overlap are listed, and refused.
 */
export async function readDirectory(source: ByteSource): Promise<ZipDirectory> {
  const { at: endAt, view: end } = await findEnd(source)
  let disks = end.getUint16(4, true) | end.getUint16(6, true)
  let count = end.getUint16(10, true)
  let size = end.getUint32(12, true)
  let offset = end.getUint32(16, true)
  let behind = endAt
  const locator = endAt >= LOCATOR_BYTES ? await viewOf(source, endAt - LOCATOR_BYTES, LOCATOR_BYTES) : null
  if (locator !== null && locator.getUint32(0, true) === LOCATOR) {
    const at = await findEnd64(source, uint64(locator, 8), endAt - LOCATOR_BYTES)
    const end64 = await viewOf(source, at, END64_BYTES)
    disks = end64.getUint32(16, true) | end64.getUint32(20, true)
    count = uint64(end64, 32)
    size = uint64(end64, 40)
    offset = uint64(end64, 48)
    behind = at
  }
  if (disks !== 0) throw new ZipError('unsupported-zip', endAt, 'the archive is one of several parts')
  if (size > behind)
    throw new ZipError('damaged-zip', endAt, `a directory of ${size} bytes is announced, ${behind} are there`)
  if (size > MAX_DIRECTORY) throw new ZipError('too-large', endAt, `its directory has ${size} bytes`)
  const start = behind - size
  // Bytes before the archive, such as a program that unpacks it, shift all offsets.
  const shift = start - offset
  if (shift < 0)
    throw new ZipError('damaged-zip', endAt, `the directory should begin at byte ${offset}, behind its end`)
  const entries = parseEntries(await viewOf(source, start, size), start, shift)
  if (entries.length !== count && entries.length % 0x10000 !== count) {
    throw new ZipError('damaged-zip', start, `${count} files are announced, ${entries.length} are listed`)
  }
  return { entries: withoutOverlaps(entries, start), start }
}

async function findEnd(source: ByteSource): Promise<{ at: number; view: DataView }> {
  const start = Math.max(0, source.size - END_BYTES - MAX_COMMENT)
  const tail = await viewOf(source, start, source.size - start)
  for (let at = tail.byteLength - END_BYTES; at >= 0; at--) {
    if (tail.getUint32(at, true) !== END) continue
    if (at + END_BYTES + tail.getUint16(at + 20, true) > tail.byteLength) continue
    return { at: start + at, view: new DataView(tail.buffer, tail.byteOffset + at, END_BYTES) }
  }
  throw new ZipError('cut-off', source.size, 'the directory that ends a zip archive is missing')
}

/** Where the zip64 end record is: where the locator says, or, with bytes before the archive, right before the locator. */
async function findEnd64(source: ByteSource, offset: number, before: number): Promise<number> {
  for (const at of [offset, before - END64_BYTES]) {
    if (at < 0 || at + END64_BYTES > before) continue
    if ((await viewOf(source, at, END64_BYTES)).getUint32(0, true) === END64) return at
  }
  throw new ZipError('damaged-zip', before, 'the zip64 record that the archive points to is missing')
}

function parseEntries(view: DataView, start: number, shift: number): ZipEntry[] {
  const entries: ZipEntry[] = []
  for (let at = 0; at + CENTRAL_BYTES <= view.byteLength; ) {
    if (view.getUint32(at, true) !== CENTRAL) {
      throw new ZipError(
        'damaged-zip',
        start + at,
        'a file of the directory does not begin where the one before it ends',
      )
    }
    const flags = view.getUint16(at + 8, true)
    const nameBytes = view.getUint16(at + 28, true)
    const extraBytes = view.getUint16(at + 30, true)
    const next = at + CENTRAL_BYTES + nameBytes + extraBytes + view.getUint16(at + 32, true)
    if (next > view.byteLength) throw new ZipError('damaged-zip', start + at, 'a file of the directory is cut off')
    const nameAt = at + CENTRAL_BYTES
    const name = decodeName(new Uint8Array(view.buffer, view.byteOffset + nameAt, nameBytes))
    const sizes = {
      bytes: view.getUint32(at + 24, true),
      compressed: view.getUint32(at + 20, true),
      header: view.getUint32(at + 42, true),
    }
    const wide = widened(new DataView(view.buffer, view.byteOffset + nameAt + nameBytes, extraBytes), sizes)
    const method = view.getUint16(at + 10, true)
    entries.push({
      name,
      method,
      bytes: wide.bytes,
      compressed: wide.compressed,
      header: wide.header + shift,
      crc32: view.getUint32(at + 16, true),
      // Method 99 is AES, whose entries are always encrypted.
      encrypted: (flags & 0x41) !== 0 || method === 99,
      directory: name.endsWith('/'),
      refused: null,
    })
    at = next
  }
  return entries
}

type Sizes = Pick<ZipEntry, 'bytes' | 'compressed' | 'header'>

/** The zip64 field holds, in this order, what did not fit 32 bits. */
function widened(extra: DataView, { bytes, compressed, header }: Sizes): Sizes {
  for (let at = 0; at + 4 <= extra.byteLength; ) {
    const length = extra.getUint16(at + 2, true)
    const end = at + 4 + length
    if (extra.getUint16(at, true) === 1 && end <= extra.byteLength) {
      let pos = at + 4
      const take = (narrow: number) => {
        if (narrow !== 0xffffffff || pos + 8 > end) return narrow
        pos += 8
        return uint64(extra, pos - 8)
      }
      const wide = { bytes: take(bytes), compressed: take(compressed), header: 0 }
      return { ...wide, header: take(header) }
    }
    at = end
  }
  return { bytes, compressed, header }
}

/** Refuses entries that share bytes: real archives have none, and one small file could be unpacked a million times. */
function withoutOverlaps(entries: readonly ZipEntry[], end: number): ZipEntry[] {
  const overlapping = new Set<ZipEntry>()
  const outside = new Set<ZipEntry>()
  let last: ZipEntry | null = null
  let reach = 0
  for (const entry of [...entries].sort((a, b) => a.header - b.header)) {
    const entryEnd = entry.header + LOCAL_BYTES + entry.compressed
    if (entryEnd > end) outside.add(entry)
    else {
      if (last !== null && entry.header < reach) overlapping.add(last).add(entry)
      if (entryEnd > reach) {
        reach = entryEnd
        last = entry
      }
    }
  }
  return entries.map((entry) => {
    if (outside.has(entry)) return { ...entry, refused: 'its bytes would lie behind the archive' }
    return overlapping.has(entry) ? { ...entry, refused: 'its bytes overlap those of another file' } : entry
  })
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Names are UTF-8, in old archives code page 437: its ASCII half is right here, the other half readable as Latin-1. */
function decodeName(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  }
}

async function viewOf(source: ByteSource, start: number, length: number): Promise<DataView> {
  const bytes = await source.slice(start, start + length)
  if (bytes.length < length) throw new ZipError('cut-off', start + bytes.length, 'the file ends here')
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Beyond 2^53 rounded, and then too large for any file. */
function uint64(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true)
}
