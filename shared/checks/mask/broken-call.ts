import type { Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { isJson } from '../is-json.ts'

/**
 * A turn that calls a tool in a way that no parser reads, and that was answered all the same: some trainers leave such turns out of the loss on
 * purpose. A call whose text is whole and of which a stop string took the closing tag is none.
 */
export function hasBrokenCall(view: TrajectoryView, turn: Turn): boolean {
  const next = view.segmentation?.turns[turn.index + 1]
  if (next === undefined || (next.kind !== 'tool' && next.kind !== 'user')) return false
  return turn.spans.some((span) => span.part === 'tool_call' && isBroken(view.text(span), span.closed))
}

function isBroken(text: string, closed: boolean): boolean {
  const body = text
    .trim()
    .replace(/^<[^<>{]*>/, '')
    .replace(/<\/[^<>]*>$/, '')
    .trim()
  // Calls of other forms (tags within tags) are read by their tags alone.
  if (!/^[[{]/.test(body)) return !closed && !body.endsWith('>')
  return !isJson(body) && !body.split(/\n|;/).every(isJson)
}
