import { Decompress, decompress } from 'fzstd'
import { joinBytes } from '../join-bytes.ts'
import { damagedFrames, framesOf, MAX_BLOCK } from './frame.ts'

/**
 * Decompresses Zstandard frames that are at hand whole and give `length` bytes together. Throws `DamagedBytes` where they are damaged,
 * or declare or give more: blocks of four bytes give a hundred thousand, whatever their frame declares.
 */
export function decompressFrames(stored: Uint8Array, length: number): Uint8Array {
  const frames = framesOf(stored)
  const bytes = withWindows(stored, frames, length)
  const declared = frames.reduce((sum, { content }) => sum + (content ?? 0), 0)
  if (declared > length) throw damagedFrames(`they declare more than the ${length} bytes that are expected`)
  const tooMuch = () => damagedFrames(`they give more than the ${length} bytes that are expected`)
  if (frames.reduce((sum, { runs }) => sum + runs, 0) > length) throw tooMuch()
  // As many blocks as give that much when they are full; writers who cut them smaller are read with care, which takes longer.
  const full = Math.ceil(length / MAX_BLOCK) + frames.length
  if (frames.reduce((sum, { blocks }) => sum + blocks, 0) <= full) return decompress(bytes)
  const given: Uint8Array[] = []
  let total = 0
  for (const { start, end } of frames) {
    const stream = new Decompress((block) => {
      total += block.length
      if (total > length) throw tooMuch()
      given.push(block)
    })
    stream.push(bytes.subarray(start, end), true)
  }
  return joinBytes(given)
}

/**
 * The same frames, none of which says that it needs a larger window than all that is expected. The library makes room for what a frame says
 * and moves it with every block: two megabytes by most writers, whatever a frame holds, and 128 by one that means harm.
 */
function withWindows(bytes: Uint8Array, frames: readonly { readonly start: number }[], length: number): Uint8Array {
  const exponent = Math.max(0, 32 - Math.clz32(Math.max(1, length) - 1) - 10)
  const larger = frames.filter(
    ({ start }) => !isSingleSegment(bytes, start) && (bytes[start + 5] as number) >> 3 > exponent,
  )
  if (larger.length === 0) return bytes
  const changed = bytes.slice()
  for (const { start } of larger) changed[start + 5] = exponent << 3
  return changed
}

/** Whether a frame has no window of its own, but one as large as its content. */
function isSingleSegment(bytes: Uint8Array, start: number): boolean {
  return ((bytes[start + 4] as number) & 0x20) !== 0
}
