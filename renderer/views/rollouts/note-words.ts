import { tokenRange } from '../../../shared/model/number-text.ts'

/** `tokens 410–654`, as people count them: both ends are in it. */
export function aboutWords(tokens: readonly [number, number] | null): string {
  if (tokens === null) return 'the whole rollout'
  const [start, end] = tokens
  return `${end - start <= 1 ? 'token' : 'tokens'} ${tokenRange(start, end)}`
}
