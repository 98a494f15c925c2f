import { Expected, type Turn } from '../../model/tokens.ts'
import { sampledSpan, writtenTurns } from './edges.ts'
import type { ShapedView } from './shape.ts'
import { countOf } from './spans.ts'

export interface TrainedParts {
  readonly expected: Uint8Array
  /** Of the turns that are left out. */
  readonly turnsLeftOut: number
}

/**
 * What a mask would be in place that leaves out as it does whole turns (M03) and thoughts (M16), with the lines that follow a thought or without: how the
 * rest lies is another question. Null where it leaves out neither, and where it trains no turn.
 */
export function expectedOfTrained({
  mask,
  expected,
  segmentation,
  text,
}: Pick<ShapedView, 'mask' | 'expected' | 'segmentation' | 'text'>): TrainedParts | null {
  if (mask === null || expected === null || segmentation === null) return null
  let parts: Uint8Array | null = null
  let trainsTurn = false
  let turnsLeftOut = 0
  for (const turn of writtenTurns(segmentation)) {
    const { start, end } = sampledSpan(turn)
    if (countOf(expected, Expected.trained, start, end) === 0) continue
    if (countOf(mask, 1, start, end) === 0) {
      parts ??= expected.slice()
      parts.fill(Expected.masked, start, end)
      turnsLeftOut++
      continue
    }
    trainsTurn = true
    for (const thought of turn.spans) {
      // One that lies early reaches into it.
      const half = (thought.start + thought.end) >> 1
      if (thought.part !== 'think' || !thought.closed || countOf(mask, 1, thought.start, half) > 0) continue
      parts ??= expected.slice()
      parts.fill(Expected.masked, turn.contentStart, thought.end)
      parts.fill(Expected.undecided, thought.end, behindLines(text, turn, thought.end))
    }
  }
  return trainsTurn && parts !== null ? { expected: parts, turnsLeftOut } : null
}

function behindLines(text: ShapedView['text'], { contentEnd }: Turn, from: number): number {
  let past = from
  while (past < contentEnd && text({ start: past, end: past + 1 }).trim() === '') past++
  return past
}
