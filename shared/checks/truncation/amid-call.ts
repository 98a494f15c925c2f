import type { Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { isBracedCall, isCutJson } from './cut-json.ts'

/**
 * The JSON of the turn's last call stops in the middle (C07): a limit cut the turn, and whoever answers it put an end token there, if there is one. A call
 * without tags counts as closed by that token alone.
 */
export function stopsAmidCall({ text }: Pick<TrajectoryView, 'text'>, { spans, contentEnd }: Turn): boolean {
  const call = spans.findLast(({ part }) => part === 'tool_call')
  if (call === undefined) return false
  if (!call.closed) return isCutJson(text(call))
  if (call.end < contentEnd) return false
  const json = text(call)
  return json.trimStart().startsWith('{') && !isBracedCall(json) && isCutJson(json)
}
