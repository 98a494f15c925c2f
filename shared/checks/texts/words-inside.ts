import { Provenance, type Span, type Turn } from '../../model/tokens.ts'
import type { PreparedTokens } from '../facts/create-facts.ts'
import { countOf } from '../oracles/spans.ts'

type Written = Pick<PreparedTokens, 'tokenizer' | 'mask' | 'provenance'>

/**
 * Words of the model at the end of a turn of another, in a template that ends none of those with a token (DeepSeek): they were sampled, or are trained
 * where nothing tells, from inside the turn through the end token that closes it, or to where the row is cut. Null where there are none.
 */
export function wordsInside(written: Written, turn: Turn): Span | null {
  const { kind, role, header, contentStart, contentEnd, endToken } = turn
  const unclosed = written.tokenizer?.frame?.unclosed
  if (kind === 'assistant' || header !== 'present' || !unclosed?.some((each) => each === role)) return null
  const end = endToken >= 0 ? endToken + 1 : contentEnd
  const start = startOfRun(written, contentStart, end)
  return start > contentStart && start < contentEnd ? { start, end } : null
}

/**
 * Where the run of the model's own tokens begins that comes up to `end`. An exact 0.0 stands beside sampled tokens as well as for what was not sampled: of
 * such a token the mask tells, and without one it is the model's between two that are.
 */
function startOfRun({ mask, provenance }: Written, from: number, end: number): number {
  if (provenance === null && mask === null) return end
  const { sampled, silent } = Provenance
  const isOwn = (at: number) =>
    provenance === null
      ? mask?.[at] === 1
      : provenance[at] === sampled || (provenance[at] === silent && mask?.[at] !== 0)
  let start = end
  while (start > from && isOwn(start - 1)) start--
  if (provenance === null) return start
  if (mask === null) while (start < end && provenance[start] === silent) start++
  return countOf(provenance, sampled, start, end) > 0 ? start : end
}
