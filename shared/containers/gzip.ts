import { counted } from '../model/number-text.ts'
import type { ByteSource } from '../model/source.ts'
import { type ChunkOptions, DamagedBytes } from './bytes.ts'
import { GzipMember } from './gzip-member.ts'
import { gzipPieces } from './gzip-pieces.ts'
import { joinBytes } from './join-bytes.ts'
import type { Packing, Restart } from './packed-bytes.ts'

/** A gzip file is decompressed from its first byte on: a member may begin later, but nothing tells where for sure. */
export const gzipPacking: Packing = { id: 'gzip', title: 'gzip', decompress }

/** Decompresses from the first byte on. What came out before damage is given before `DamagedBytes` is thrown. */
async function* decompress(
  source: ByteSource,
  _from: Restart,
  options: ChunkOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  let total = 0
  const members = decompressMembers(source, options)
  for (;;) {
    const { done, value } = await members.next()
    if (!done) {
      total += value.length
      yield value
      continue
    }
    if (value === 'whole') return
    if (value !== 'cut') yield* lastBeforeGarbage(source, options, value, total)
    throw new DamagedBytes(
      'damaged-gzip',
      `the gzip file is damaged or was cut short: ${counted(total, 'byte')} came out of it and are read, nothing after them can be. Copy or write the file again.`,
    )
  }
}

/** Where a member could not be decompressed further. */
interface Failure {
  /** Of the last bytes that were written to it. */
  readonly offset: number
  readonly bytes: Uint8Array
  /** How much of the member came out before. */
  readonly length: number
}

/** `cut` where all of the file was written and a member is not over. */
async function* decompressMembers(
  source: ByteSource,
  options: ChunkOptions,
): AsyncGenerator<Uint8Array, 'whole' | 'cut' | Failure, undefined> {
  let member = new GzipMember()
  /** The last four bytes written, as the number that ends a member: its length modulo 2^32. */
  let lengthField = 0
  let written = 0
  let last = new LastWritten()
  try {
    for await (const { bytes, header } of gzipPieces(source, options)) {
      // Joined files are one stream to some hosts and an error to others; here each is decompressed by itself.
      if (header && member.started) {
        yield* await member.settle()
        if (await member.hasLength(lengthField)) {
          yield* await member.end()
          if (member.failed) break
          member = new GzipMember()
          last = new LastWritten()
        }
      }
      last.add(bytes)
      written += bytes.length
      yield* await member.write(bytes)
      if (member.failed) break
      for (const byte of bytes.subarray(-4)) lengthField = ((lengthField >>> 8) | (byte << 24)) >>> 0
    }
    const isWritten = !member.failed
    yield* isWritten ? await member.end() : await member.settle()
    if (!member.failed) return 'whole'
    const bytes = last.bytes()
    return isWritten && !member.heldWrongBytes
      ? 'cut'
      : { offset: written - bytes.length, bytes, length: member.length }
  } finally {
    await member.close()
  }
}

/** Hosts take pieces of 16 KiB together before they look at them, and fail for one when a later one is written. */
const HELD_BY_HOSTS = 1 << 15

/** The last pieces that were written, of which the host may not have looked at any. */
class LastWritten {
  private readonly pieces: Uint8Array[] = []
  private length = 0

  add(bytes: Uint8Array): void {
    // A host may use its buffer again.
    this.pieces.push(new Uint8Array(bytes))
    this.length += bytes.length
    for (;;) {
      const first = this.pieces[0]?.length ?? 0
      // One more than what may be under way: hosts may fail for a piece when the next one is written.
      if (this.pieces.length <= 2 || this.length - first < HELD_BY_HOSTS) return
      this.pieces.shift()
      this.length -= first
    }
  }

  bytes(): Uint8Array {
    return joinBytes(this.pieces)
  }
}

/** Bytes that come out of one byte at most, as deflate packs them. */
const MOST_TIMES = 1032
/** Ends that are tried: what was appended by mistake is short, and one place in a hundred looks like the end of a member. */
const MOST_ENDS = 16

/**
 * Where a member is over and something else follows, some hosts refuse the file and keep back the last bytes of the member. They are given then, and the rest
 * of the file is ignored, as `gzip -d` does, and named. Nothing is given where it is damage.
 */
async function* lastBeforeGarbage(
  source: ByteSource,
  { signal }: ChunkOptions,
  { offset, bytes, length }: Failure,
  given: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let tried = 0
  for (let end = bytes.length - 1; end >= 4 && tried < MOST_ENDS; end--) {
    // A member says at its end how long it is.
    if ((view.getUint32(end - 4, true) - length) >>> 0 > bytes.length * MOST_TIMES) continue
    tried++
    const kept: Uint8Array[] = []
    let seen = 0
    const members = decompressMembers(upTo(source, offset + end), signal ? { signal } : {})
    let next = await members.next()
    for (; !next.done; next = await members.next()) {
      const from = Math.max(0, given - seen)
      seen += next.value.length
      if (from < next.value.length) kept.push(next.value.subarray(from))
    }
    if (next.value !== 'whole') continue
    yield* kept
    throw new DamagedBytes(
      'trailing-garbage',
      'behind its last member the gzip file holds bytes that are none: they are ignored, and all that came before is read. Copy or write the file again if more was written.',
    )
  }
}

/** The first bytes of a source. */
function upTo(source: ByteSource, size: number): ByteSource {
  let left = size
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left))
      left -= Math.min(left, chunk.length)
      if (left === 0) controller.terminate()
    },
  })
  return { ...source, size, stream: () => source.stream().pipeThrough(cut) }
}
