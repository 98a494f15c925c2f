import { Expected } from '../model/tokens.ts'
import { writtenTurns } from './edges.ts'
import type { ShapedView } from './shape.ts'

/**
 * What a mask of the turns would be that leaves out their thoughts (M16), and may leave out the lines that follow them; null where some thought is in the
 * loss, or there is none.
 */
export function expectedWithoutThoughts({ mask, expected, segmentation, text }: ShapedView): Uint8Array | null {
  if (mask === null || expected === null || segmentation === null) return null
  let without: Uint8Array | null = null
  for (const { contentStart, contentEnd, spans } of writtenTurns(segmentation)) {
    for (const { part, start, end, closed } of spans) {
      if (part !== 'think') continue
      // One that lies early reaches into it.
      if (!closed || mask.subarray(start, (start + end) >> 1).includes(1)) return null
      without ??= expected.slice()
      without.fill(Expected.masked, contentStart, end)
      let past = end
      while (past < contentEnd && text({ start: past, end: past + 1 }).trim() === '') past++
      without.fill(Expected.undecided, end, past)
    }
  }
  return without
}
