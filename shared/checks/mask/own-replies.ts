import { Provenance, type Span } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { countOf } from '../oracles/spans.ts'

const found = new OfLast<TrajectoryView, readonly Span[]>()
const NONE: readonly Span[] = []

/**
 * Replies inside an assistant turn that the model made up itself, where neither flags nor logprobs tell who wrote them: trained whole, behind words and not
 * behind a call, in a rollout whose other replies stand behind calls and are masked. Models do that early in runs whose tools are called by tags.
 */
export function ownReplies(view: TrajectoryView): readonly Span[] {
  return found.get(view) ?? keep(view, lookForThem(view))
}

function keep(view: TrajectoryView, spans: readonly Span[]): readonly Span[] {
  found.set(view, spans)
  return spans
}

function lookForThem(view: TrajectoryView): readonly Span[] {
  const { mask, segmentation, provenance } = view
  if (mask === null || segmentation === null || provenance?.some((wrote) => wrote !== Provenance.silent)) return NONE
  const replies = segmentation.turns.flatMap(({ kind, spans }) =>
    kind === 'assistant' ? spans.filter(({ part }) => part === 'tool') : [],
  )
  if (replies.length < 2) return NONE
  const trained = replies.filter(({ start, end }) => countOf(mask, 1, start, end) === end - start)
  const others = replies.filter(({ start, end }) => countOf(mask, 1, start, end) === 0)
  if (trained.length + others.length < replies.length || !others.every((reply) => isBehindCall(view, reply)))
    return NONE
  return others.length === 0 ? NONE : trained.filter((reply) => !isBehindCall(view, reply))
}

/** Tokens before a reply in which its call ends. */
const NEAR = 12

/** A tag is closed right before it, or a block of code. */
function isBehindCall({ text }: TrajectoryView, { start }: Span): boolean {
  return /(?:<\/[\w|-]+>|```)\s*(?:<[\w|-]+>\s*)?$/.test(text({ start: Math.max(0, start - NEAR), end: start }))
}
