import { DamagedBytes } from '../bytes.ts'

/**
 * Zstandard frames (RFC 8878). The decompressor allocates what a frame's header declares, so headers are read here first.
 */
export interface FrameHeader {
  /** Bytes of magic and header; of a skippable frame all of its bytes. */
  readonly length: number
  readonly skippable: boolean
  /** Bytes that must be held to go on. */
  readonly window: number
  /** Decompressed bytes, null where the frame does not say. */
  readonly content: number | null
  readonly checksum: boolean
}

/** As the `zstd` program allows without a flag (`--long=27`). */
const MAX_WINDOW = 128 << 20

const MAGIC = 0xfd2fb528
const SKIPPABLE = 0x184d2a50

export function isZstd(head: Uint8Array): boolean {
  return head.length >= 4 && (word(head, 0) === MAGIC || (word(head, 0) & 0xfffffff0) >>> 0 === SKIPPABLE)
}

/** The frame header at `at`; null where more bytes are needed. Throws `DamagedBytes` for what is no frame or is refused. */
export function readFrameHeader(bytes: Uint8Array, at: number): FrameHeader | null {
  if (bytes.length < at + 4) return null
  const magic = word(bytes, at)
  if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) {
    if (bytes.length < at + 8) return null
    return { length: 8 + word(bytes, at + 4), skippable: true, window: 0, content: 0, checksum: false }
  }
  if (magic !== MAGIC) throw damaged('a Zstandard frame does not begin where the one before it ends')
  if (bytes.length < at + 5) return null
  const flags = bytes[at + 4] as number
  if ((flags & 8) !== 0) throw damaged('a Zstandard frame uses a reserved flag')
  const single = (flags & 0x20) !== 0
  const dictionaryBytes = [0, 1, 2, 4][flags & 3] as number
  const contentBytes = [single ? 1 : 0, 2, 4, 8][flags >> 6] as number
  const length = 5 + (single ? 0 : 1) + dictionaryBytes + contentBytes
  if (bytes.length < at + length) return null
  if (
    dictionaryBytes > 0 &&
    bytes.subarray(at + length - contentBytes - dictionaryBytes, at + length - contentBytes).some((byte) => byte !== 0)
  ) {
    throw new DamagedBytes(
      'zstd-dictionary',
      'it was compressed with a dictionary, which is not in it. Compress it without one (zstd without -D).',
    )
  }
  const content =
    contentBytes === 0 ? null : little(bytes, at + length - contentBytes, contentBytes) + (contentBytes === 2 ? 256 : 0)
  const descriptor = bytes[at + 5] as number
  const base = 2 ** (10 + (descriptor >> 3))
  const window = single ? (content as number) : base + (base / 8) * (descriptor & 7)
  if (window > MAX_WINDOW) {
    throw new DamagedBytes(
      'zstd-window',
      `it needs a window of ${Math.ceil(window / 2 ** 20)} MiB to be decompressed, ${MAX_WINDOW / 2 ** 20} MiB are allowed. Compress it again without --ultra or --long.`,
    )
  }
  return { length, skippable: false, window, content, checksum: (flags & 4) !== 0 }
}

/** A frame that is at hand whole, without those that are skipped. */
interface WholeFrame {
  readonly start: number
  readonly end: number
  readonly content: number | null
  readonly blocks: number
  /** Bytes that its blocks give which are not compressed, or one byte again and again. */
  readonly runs: number
}

/** The frames in `bytes`. Throws `DamagedBytes` where one is cut off or declares what is refused. */
export function framesOf(bytes: Uint8Array): WholeFrame[] {
  const frames: WholeFrame[] = []
  for (let at = 0; at < bytes.length; ) {
    const header = readFrameHeader(bytes, at)
    if (header === null) throw damagedFrames('one is cut off')
    const start = at
    at += header.length
    if (header.skippable) continue
    let [blocks, runs] = [0, 0]
    for (let last = false; !last; ) {
      if (at + 3 > bytes.length) throw damagedFrames('one is cut off')
      const block = little(bytes, at, 3)
      at += 3 + blockBytes(block)
      blocks++
      if (((block >> 1) & 3) < 2) runs += block >> 3
      if (block >> 3 > MAX_BLOCK) throw damagedFrames(`a block declares ${block >> 3} bytes`)
      last = (block & 1) === 1
    }
    if (header.checksum) at += 4
    frames.push({ start, end: at, content: header.content, blocks, runs })
  }
  return frames
}

/** Stored bytes of a block whose three header bytes are `block`. */
export function blockBytes(block: number): number {
  return ((block >> 1) & 3) === 1 ? 1 : block >> 3
}

/** Most bytes that a block gives. */
export const MAX_BLOCK = 128 << 10

export function little(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let i = 0; i < count; i++) value += (bytes[at + i] as number) * 2 ** (8 * i)
  return value
}

function word(bytes: Uint8Array, at: number): number {
  return little(bytes, at, 4)
}

export function damagedFrames(why: string): DamagedBytes {
  return damaged(`its Zstandard frames are not read: ${why}`)
}

function damaged(message: string): DamagedBytes {
  return new DamagedBytes('damaged-zstd', message)
}
