import { Decompress, decompress } from 'fzstd'
import { joinBytes } from '../join-bytes.ts'
import { damagedFrames, framesOf, MAX_BLOCK } from './frame.ts'

/**
 * Decompresses Zstandard frames that are at hand whole and give `length` bytes together. Throws `DamagedBytes` where they are damaged,
 * or declare or give more: blocks of four bytes give a hundred thousand, whatever their frame declares.
 */
export function decompressFrames(bytes: Uint8Array, length: number): Uint8Array {
  const frames = framesOf(bytes)
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
