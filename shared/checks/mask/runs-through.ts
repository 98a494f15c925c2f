import type { Turn } from '../../model/tokens.ts'
import { sampledSpan } from '../oracles/edges.ts'
import { hidesEdges, isAsExpected, type ShapedView, shapeOf } from '../oracles/shape.ts'
import { runEnd } from '../oracles/spans.ts'

/**
 * Whether trained spans go from the last token of a model's turn through whole turns of others into its next one and do end later, and take along all of
 * the trained headers of the model's turns and newlines behind them: parts of a span whose end was not found, of which M01 tells, and no faults of their own.
 */
export function runsThroughFact(view: ShapedView): { readonly runsThrough: true } | null {
  const { mask, segmentation } = view
  if (mask === null || segmentation === null || isAsExpected(view)) return null
  if (hidesEdges(view) || shapeOf(view).overrun !== null) return null
  const { turns } = segmentation
  let last: Turn | undefined
  let found = false
  for (const turn of turns) {
    if (turn.kind !== 'assistant') continue
    const isThrough = last !== undefined && last.index < turn.index - 1 && isOneRun(mask, last, turn)
    if (isThrough) found = true
    else if (hasNewline(mask, last) || runEnd(mask, turn.start, turn.headerEnd) < turn.headerEnd) return null
    else if (turn.headerEnd > turn.start && mask[turn.start] === 1) return null
    last = turn
  }
  return found && !hasNewline(mask, last) ? { runsThrough: true } : null
}

/** From the last token of a turn to the first of the model's next one. */
function isOneRun(mask: Uint8Array, before: Turn, { contentStart }: Turn): boolean {
  const from = sampledSpan(before).end - 1
  return mask[from] === 1 && runEnd(mask, from, contentStart + 1) > contentStart
}

function hasNewline(mask: Uint8Array, turn: Turn | undefined): boolean {
  return turn !== undefined && turn.end > turn.separatorStart && mask[turn.separatorStart] === 1
}
