import { countOf } from '../../shared/checks/oracles/spans.ts'
import { TokenState } from '../../shared/model/tokens.ts'

/**
 * How many tokens of `[start, end)` there are, padding apart; a link may reach past the end. Padding that carries loss counts
 * among the tokens, as it is drawn.
 */
export function tokensApartFromPadding(states: Uint8Array, start: number, end: number) {
  const last = Math.min(end, states.length)
  const first = Math.min(start, last)
  const padding = countOf(states, TokenState.padding, first, last)
  return { tokens: last - first - padding, padding }
}
