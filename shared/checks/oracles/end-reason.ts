import type { Segmentation } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { EndReason } from '../facts/facts.ts'
import { type ReadableTokens, speltEnd } from '../template/spelt-end.ts'
import { filledTurns } from './edges.ts'

/**
 * How a rollout ended. The ids decide where they can: a closed last assistant turn is a stop, an open one a cut, unless the dump says
 * the model stopped there (its end token is then not stored). A row that ends in a reply was cut there if the reply is open
 * or the dump calls the row truncated; else the environment ended it. An end token in letters (T16) ends a turn as its id does.
 */
export function endReason(
  trajectory: Trajectory,
  segmentation: Segmentation | null,
  tokens: ReadableTokens | null,
): EndReason {
  const declaredCut = trajectory.isTruncated === true || isLengthStop(trajectory.finishReason)
  const declaredStop = isModelStop(trajectory.finishReason)
  const turns = segmentation === null ? [] : filledTurns(segmentation)
  const last = turns.at(-1)
  if (last === undefined) return declaredCut ? 'cut-prose' : declaredStop ? 'stop' : 'unknown'
  if (!turns.some(({ kind }) => kind === 'assistant')) return 'prompt-only'
  const closed = last.endToken >= 0 && !(declaredCut && mayBePad(trajectory, tokens, last.endToken))
  if (last.kind !== 'assistant') return !closed || declaredCut ? 'cut-reply' : 'stop'
  const calls = last.spans.some(({ part }) => part === 'tool_call')
  // The row was cut between a whole call and its reply.
  if (closed || (tokens !== null && speltEnd(tokens, last) !== null))
    return calls && trajectory.isTruncated === true ? 'cut-reply' : 'stop'
  if (last.spans.some(({ part, closed: tag }) => part === 'tool_call' && !tag)) return 'cut-call'
  // Behind a reply that was cut earlier the model went on.
  if (last.spans.some(({ part, end, closed: tag }) => part === 'tool' && !tag && end === last.contentEnd))
    return 'cut-reply'
  return declaredStop && !declaredCut ? 'stop' : 'cut-prose'
}

/**
 * An end token without loss that is the row's last and has the id of the padding: a cut row with room for one pad ends like this as well. What was
 * sampled is no pad, as a mask, a flag or a logprob says.
 */
function mayBePad({ mask, sampled, logprobs }: Trajectory, tokens: ReadableTokens | null, at: number): boolean {
  if (tokens === null || at !== tokens.ids.length - 1 || mask?.[at] === 1 || sampled?.[at] === 1) return false
  if ((logprobs.sampler?.[at] as number) < 0) return false
  return tokens.tokenizer?.frame?.pad.includes(tokens.ids[at] as number) ?? false
}

/**
 * An end token of a rollout that is said to have been cut, by the reason why it ended or, where none is told, by its flag: it has no loss, and nobody
 * says that it was sampled.
 */
export function isBehindLimit({ finishReason, isTruncated, mask, sampled }: Trajectory, at: number): boolean {
  const isCut = finishReason === null ? isTruncated === true : isLengthStop(finishReason)
  return isCut && mask?.[at] !== 1 && !sampled?.[at]
}

/** Finish reasons that name a limit, as vLLM, SGLang, the APIs of OpenAI, Anthropic and Gemini, and trainers spell them. */
const LENGTH_REASON = /length|max_(new_|output_|completion_)?tokens|max_(seq|model)_len|truncat/i

const STOP_REASON =
  /^(stop|eos|eos_token|eos_token_id|end_turn|end_of_turn|stop_sequence|stop_string|stop_token|tool_calls?|tool_use|completed)$/i

/** The rollout is said to have been cut: by its flag, or where it has none by its finish reason. */
export function saysCut({ isTruncated, finishReason }: Pick<Trajectory, 'isTruncated' | 'finishReason'>): boolean {
  return isTruncated === true || (isTruncated === null && isLengthStop(finishReason))
}

export function isLengthStop(finishReason: string | null): boolean {
  return finishReason !== null && LENGTH_REASON.test(finishReason)
}

/** The model is said to have stopped with a call of a tool. */
export function isCallStop(finishReason: string | null): boolean {
  return finishReason !== null && /^tool_(calls?|use)$/i.test(finishReason)
}

/** The model is said to have stopped by itself, with its end token or a string that ends its turn. */
export function isModelStop(finishReason: string | null): boolean {
  return finishReason !== null && STOP_REASON.test(finishReason)
}
