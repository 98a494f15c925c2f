import type { Turn } from '../../model/tokens.ts'
import type { PreparedTokens } from '../facts/create-facts.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { filledTurns } from '../oracles/edges.ts'
import { isBracedCall, isCutJson } from './cut-json.ts'

type Tokens = Pick<PreparedTokens, 'segmentation' | 'mask' | 'text'>

/** The fact of a rollout that stops amid the JSON of a call. One that ends with a brace may lack another that the model forgot. */
export function stopsInCall(tokens: Tokens): Pick<TrajectoryFacts, 'stopsInCall'> | null {
  const last = openBehindEnds(tokens)?.last
  const call = last?.spans.findLast(({ part }) => part === 'tool_call')
  if (call === undefined || call.closed) return null
  const json = tokens.text(call)
  return isCutJson(json) && !isBracedCall(json) ? { stopsInCall: true } : null
}

/** The fact of a rollout that is said to have stopped with a call, as `isCallStop` tells, in a turn that calls nothing where others of it do. */
export function stopsWithoutCall(tokens: Tokens): Pick<TrajectoryFacts, 'stopsWithoutCall'> | null {
  const found = openBehindEnds(tokens)
  if (found === null || callsIn(found.last) || !found.others.some(callsIn)) return null
  return PART_OF_TAG.test(tailOf(found.last, tokens)) ? null : { stopsWithoutCall: true }
}

/** The fact of a rollout whose last turn lacks an end token and ends with a tag. */
export function endsAtTag(tokens: Tokens): Pick<TrajectoryFacts, 'endsAtTag'> | null {
  const last = tokens.segmentation === null ? undefined : filledTurns(tokens.segmentation).at(-1)
  return last !== undefined && last.endToken < 0 && WHOLE_TAG.test(tailOf(last, tokens)) ? { endsAtTag: true } : null
}

/** A tag may be what the model stopped on. */
const PART_OF_TAG = /<\/?[^<>]*>?\s*$/
const WHOLE_TAG = /<\/?[^<>]+>\s*$/

function tailOf({ contentStart, contentEnd }: Turn, { text }: Tokens): string {
  return text({ start: Math.max(contentStart, contentEnd - LONGEST_TAG), end: contentEnd })
}

const LONGEST_TAG = 12

function callsIn({ spans }: Turn): boolean {
  return spans.some(({ part }) => part === 'tool_call')
}

/**
 * The model's last turn without an end token, and its others. Their ends must be there and trained: then it is no writer, and no string to stop on, that
 * leaves turns open.
 */
function openBehindEnds({
  segmentation,
  mask,
}: Tokens): { readonly last: Turn; readonly others: readonly Turn[] } | null {
  if (segmentation === null || mask === null) return null
  const turns = filledTurns(segmentation)
  const last = turns.at(-1)
  if (last === undefined || last.kind !== 'assistant' || last.endToken >= 0) return null
  const others = turns.filter((turn) => turn.kind === 'assistant' && turn !== last)
  return others.length > 0 && others.every(({ endToken }) => endToken >= 0 && mask[endToken] === 1)
    ? { last, others }
    : null
}
