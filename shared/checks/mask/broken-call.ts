import type { Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { countOf } from '../oracles/spans.ts'
import { isJson } from '../texts/is-json.ts'

/**
 * A turn that calls a tool in a way that no parser reads, and that was answered all the same: some trainers leave such turns out of the loss on
 * purpose. A call whose text is whole and of which a stop string took the closing tag is none.
 */
export function hasBrokenCall(view: TrajectoryView, turn: Turn): boolean {
  const next = view.segmentation?.turns[turn.index + 1]
  if (next === undefined || (next.kind !== 'tool' && next.kind !== 'user')) return false
  return turn.spans.some((span) => span.part === 'tool_call' && isBroken(view, view.text(span), span.closed))
}

function isBroken(view: TrajectoryView, text: string, closed: boolean): boolean {
  const body = bodyOf(text)
  if (/^[[{]/.test(body)) return !isJson(body) && !body.split(/\n|;/).every(isJson)
  if (!closed) return !body.endsWith('>')
  // Calls of other forms (tags within tags) are read by their tags alone. What stands in the tag of JSON calls and is neither, no parser of these reads.
  return text.trimStart().startsWith(JSON_TAG) && !body.includes('<') && trainsJsonCalls(view)
}

/** Of ChatML models; others write code in tags of their own. */
const JSON_TAG = '<tool_call>'

function bodyOf(text: string): string {
  return text
    .trim()
    .replace(/^<[^<>{]*>/, '')
    .replace(/<\/[^<>]*>$/, '')
    .trim()
}

/** Asked at each masked call. */
const known = new OfLast<TrajectoryView, boolean>()

/** Some call of the rollout is JSON and carries loss: the environment reads such calls. */
function trainsJsonCalls(view: TrajectoryView): boolean {
  let trains = known.get(view)
  if (trains === undefined) known.set(view, (trains = findJsonCall(view)))
  return trains
}

function findJsonCall(view: TrajectoryView): boolean {
  const { segmentation, mask } = view
  if (segmentation === null || mask === null) return false
  return writtenTurns(segmentation).some(({ spans }) =>
    spans.some((span) => {
      if (span.part !== 'tool_call' || countOf(mask, 1, span.start, span.end) === 0) return false
      const body = bodyOf(view.text(span))
      return /^[[{]/.test(body) && isJson(body)
    }),
  )
}
