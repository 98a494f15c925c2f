import type { PreparedTokens } from '../create-facts.ts'
import { filledTurns } from '../edges.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { isBracedCall, isCutJson } from './cut-json.ts'

/**
 * The fact of a rollout that stops amid the JSON of a call. One that ends with a brace may lack another that the model forgot. The ends of the turns before
 * it must be there and trained: then it is no writer, and no string to stop on, that leaves turns open.
 */
export function stopsInCall({
  segmentation,
  mask,
  text,
}: Pick<PreparedTokens, 'segmentation' | 'mask' | 'text'>): Pick<TrajectoryFacts, 'stopsInCall'> | null {
  if (segmentation === null || mask === null) return null
  const turns = filledTurns(segmentation)
  const last = turns.at(-1)
  const call = last?.spans.findLast(({ part }) => part === 'tool_call')
  if (last === undefined || call === undefined || call.closed || last.endToken >= 0) return null
  const others = turns.filter((turn) => turn.kind === 'assistant' && turn !== last)
  if (others.length === 0 || !others.every(({ endToken }) => endToken >= 0 && mask[endToken] === 1)) return null
  const json = text(call)
  return isCutJson(json) && !isBracedCall(json) ? { stopsInCall: true } : null
}
