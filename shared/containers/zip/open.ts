import type { ByteSource } from '../../model/source.ts'
import { crc32 } from './crc32.ts'
import { readDirectory, type ZipEntry } from './directory.ts'
import { ZipError } from './error.ts'
import { METHOD_NAMES, METHODS } from './inflate.ts'

export interface ZipLimits {
  /** An entry may decompress to this many bytes; default 4 GiB. */
  readonly maxBytes?: number
  /** … and to this many times its bytes in the archive, default 250; an entry of at most `freeBytes`, default 16 MiB, to any number of times. */
  readonly maxRatio?: number
  readonly freeBytes?: number
}

export interface ZipArchive {
  /** In the order of the archive's directory. */
  readonly entries: readonly ZipEntry[]
  /** The entry of that name; of several, the one added last. */
  entry(name: string): ZipEntry | undefined
  /** All bytes of an entry, checked against its checksum. Throws `ZipError`. */
  read(entry: ZipEntry): Promise<Uint8Array>
  /** The bytes of an entry in chunks; what came before damage is given before `ZipError` is thrown. */
  chunks(entry: ZipEntry): AsyncGenerator<Uint8Array, void, undefined>
  /**
   * An entry as a source of its own. One that is stored is read in place, range by range; a compressed one is decompressed as a
   * whole when the first range of it is asked for, and then held. Throws `ZipError` at once for an entry that is refused.
   */
  source(entry: ZipEntry): Promise<ByteSource>
}

const LOCAL = 0x04034b50
const LOCAL_BYTES = 30
const CHUNK_BYTES = 1 << 18

/** Whether a file's first bytes are those of an archive (of an empty one, too). */
export function isZip(head: Uint8Array): boolean {
  const second = head[3] as number
  return head[0] === 0x50 && head[1] === 0x4b && ((head[2] === 3 && second === 4) || (head[2] === 5 && second === 6))
}

/** Opens an archive by its directory; entries are read when they are asked for. Throws `ZipError`. */
export async function openZip(source: ByteSource, limits: ZipLimits = {}): Promise<ZipArchive> {
  const directory = await readDirectory(source)
  const byName = new Map(directory.entries.map((entry) => [entry.name, entry]))

  const packedIn = ({ compressed }: ZipEntry) => Math.min(compressed, source.packedIn ?? compressed)
  // The own place of an entry that the directory refuses may be one that the file does not have.
  const check = (entry: ZipEntry) =>
    checkEntry(entry, entry.refused === null ? entry.header : directory.start, packedIn(entry), limits)

  /** Where the entry's bytes begin, by its local header. */
  async function dataStart(entry: ZipEntry): Promise<number> {
    check(entry)
    const header = await source.slice(entry.header, entry.header + LOCAL_BYTES)
    const view = new DataView(header.buffer, header.byteOffset, header.length)
    if (header.length < LOCAL_BYTES || view.getUint32(0, true) !== LOCAL) {
      throw new ZipError('damaged-zip', entry.header, `${shown(entry.name)} does not begin where the directory says`)
    }
    const start = entry.header + LOCAL_BYTES + view.getUint16(26, true) + view.getUint16(28, true)
    if (start + entry.compressed > directory.start) {
      throw new ZipError('damaged-zip', entry.header, `${shown(entry.name)} reaches into the archive's directory`)
    }
    return start
  }

  async function* chunks(entry: ZipEntry): AsyncGenerator<Uint8Array, void, undefined> {
    const start = await dataStart(entry)
    yield* decompressed(entry, start, stored(source, start, entry.compressed))
  }

  async function read(entry: ZipEntry): Promise<Uint8Array> {
    check(entry)
    const all = new Uint8Array(entry.bytes)
    let at = 0
    for await (const chunk of chunks(entry)) {
      all.set(chunk, at)
      at += chunk.length
    }
    return all
  }

  return {
    entries: directory.entries,
    entry: (name) => byName.get(name),
    read,
    chunks,
    async source(entry) {
      const start = await dataStart(entry)
      if (entry.method === 0) return rangeSource(source, entry.name, start, entry.bytes)
      let whole: Promise<Uint8Array> | null = null
      return {
        name: entry.name,
        size: entry.bytes,
        packedIn: packedIn(entry),
        slice: async (from, to) => (await (whole ??= read(entry))).slice(from, to),
        stream: (from = 0) => streamOf(chunks(entry), from),
      }
    },
  }
}

/**
 * Throws `ZipError` for an entry that cannot be read, or would be too large.
 *
 * @param at the byte that the error names
 * @param packed bytes that the entry takes in the file
 */
function checkEntry(
  entry: ZipEntry,
  at: number,
  packed: number,
  { maxBytes = 4 * 2 ** 30, maxRatio = 250, freeBytes = 16 << 20 }: ZipLimits,
): void {
  const fail = (code: ZipError['code'], what: string) => new ZipError(code, at, `${shown(entry.name)} ${what}`)
  if (entry.refused !== null) throw fail('damaged-zip', `cannot be read: ${entry.refused}`)
  if (entry.encrypted) throw fail('unsupported-zip', 'is encrypted, and no password is asked for')
  if (entry.method !== 0 && METHODS[entry.method] === undefined) {
    const name = METHOD_NAMES[entry.method] ?? `method ${entry.method}`
    throw fail('unsupported-zip', `is compressed with ${name}; deflate and Zstandard are read`)
  }
  if (entry.method === 0 && entry.bytes !== entry.compressed) {
    throw fail('damaged-zip', `is stored as it is in ${entry.compressed} bytes, and said to have ${entry.bytes}`)
  }
  if (entry.bytes > maxBytes && entry.method !== 0) {
    throw fail('too-large', `has ${entry.bytes} bytes once decompressed, more than the ${maxBytes} allowed`)
  }
  if (entry.bytes > freeBytes && entry.bytes > maxRatio * packed) {
    const times = Math.round(entry.bytes / Math.max(packed, 1))
    throw fail('too-large', `grows to ${entry.bytes} bytes, ${times} times its size, when it is decompressed`)
  }
}

/** Bytes `start` to `start + length` of the file, as they are. */
async function* stored(source: ByteSource, start: number, length: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < length; ) {
    const bytes = await source.slice(start + at, start + Math.min(at + CHUNK_BYTES, length))
    if (bytes.length === 0) throw new ZipError('cut-off', start + at, 'the file ends here')
    yield bytes
    at += bytes.length
  }
}

/** What an entry holds, held to its length and checksum; what came before damage is given before `ZipError` is thrown. */
async function* decompressed(
  entry: ZipEntry,
  start: number,
  raw: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const inflate = METHODS[entry.method]
  const fail = (what: string) => new ZipError('damaged-zip', start, `${shown(entry.name)} ${what}`)
  let length = 0
  let crc = 0
  const output = (inflate === undefined ? raw : inflate(raw))[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await output.next().catch((error: unknown) => {
        if (error instanceof ZipError) throw error
        throw fail(`cannot be decompressed beyond byte ${length} of ${entry.bytes}`)
      })
      if (next.done) break
      length += next.value.length
      if (length > entry.bytes) throw fail(`decompresses to more than the ${entry.bytes} bytes that it is said to have`)
      crc = crc32(next.value, crc)
      yield next.value
    }
  } finally {
    await output.return().catch(() => undefined)
  }
  if (length < entry.bytes) throw fail(`decompresses to ${length} bytes, ${entry.bytes} are announced`)
  if (crc !== entry.crc32) throw fail('does not match its checksum')
}

/** A part of a source as one of its own. */
export function rangeSource(source: ByteSource, name: string, start: number, size: number): ByteSource {
  const slice = (from: number, to: number) => {
    const end = Math.min(to, size)
    return from < end ? source.slice(start + from, start + end) : Promise.resolve(new Uint8Array(0))
  }
  return {
    name,
    size,
    ...(source.packedIn === undefined ? {} : { packedIn: source.packedIn }),
    slice,
    stream(from = 0) {
      let at = from
      return new ReadableStream({
        async pull(controller) {
          const bytes = await slice(at, at + CHUNK_BYTES)
          at += bytes.length
          if (bytes.length === 0) controller.close()
          else controller.enqueue(bytes)
        },
      })
    },
  }
}

function streamOf(chunks: AsyncGenerator<Uint8Array, void, undefined>, from: number): ReadableStream<Uint8Array> {
  let skip = from
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const { done, value } = await chunks.next()
        if (done) {
          controller.close()
          return
        }
        const kept = value.subarray(Math.min(skip, value.length))
        skip -= value.length - kept.length
        if (kept.length > 0) {
          controller.enqueue(kept)
          return
        }
      }
    },
    async cancel() {
      await chunks.return()
    },
  })
}

/** A name as it may stand in a message. */
function shown(name: string): string {
  return `“${name.length > 120 ? `${name.slice(0, 120)}…` : name}”`
}
