import type { SubSpan, Turn } from '../../model/tokens.ts'
import { toolName } from '../../model/tool-schema.ts'
import type { TrajectoryView } from '../check.ts'
import { isBracedCall, isCutJson } from './cut-json.ts'

/**
 * The JSON of the turn's last call stops in the middle (C07): a limit cut the turn, and whoever answers it put an end token there, if there is one. A call
 * without tags counts as closed by that token alone.
 */
export function stopsAmidCall(view: TrajectoryView, turn: Turn): boolean {
  const { text } = view
  const call = turn.spans.findLast(({ part }) => part === 'tool_call')
  if (call === undefined) return begunCall(view, turn) !== null
  if (!call.closed) return isCutJson(text(call))
  if (call.end < turn.contentEnd) return false
  const json = text(call)
  return json.trimStart().startsWith('{') && !isBracedCall(json) && isCutJson(json)
}

/** How a call without tags begins, through the name of the tool. */
const NAMED = /^\s*\{\s*"(?:type"\s*:\s*"function"\s*,\s*")?name"\s*:\s*"([^"\\]+)"/
/** Tokens that a call has before its parameters, at most. */
const MOST_BEFORE_PARAMETERS = 32

/**
 * A call without tags (Llama) that stops before its parameters, and is answered by no tool, so that nothing else tells it from an answer in JSON: it names a
 * tool that the prompt describes. Null where the turn is none, or calls otherwise.
 */
export function begunCall(
  { tokenizer, segmentation, trajectory, text }: TrajectoryView,
  { spans, endToken, contentStart: start, contentEnd: end }: Turn,
): SubSpan | null {
  if (tokenizer?.frame?.style !== 'llama' || segmentation === null || spans.length > 0 || endToken < 0) return null
  if (start === end || end - start > MOST_BEFORE_PARAMETERS) return null
  if (
    !text({ start, end: start + 1 })
      .trimStart()
      .startsWith('{')
  )
    return null
  const json = text({ start, end })
  const name = NAMED.exec(json)?.[1]
  if (name === undefined || isBracedCall(json) || !isCutJson(json)) return null
  const isTool = () => {
    if (trajectory.tools?.some((tool) => toolName(tool) === name)) return true
    const first = segmentation.turns.find(({ kind }) => kind === 'assistant')
    const prompt = text({ start: segmentation.padding.left, end: first?.start ?? start })
    return ['"name": ', '"name":'].some((key) => prompt.includes(`${key}"${name}"`))
  }
  return isTool() ? { part: 'tool_call', start, end, closed: true } : null
}
