import type { AddedToken } from './vocabulary.ts'

/** Finds the literals leftmost first, of several at one place the longest; null where there are none. */
export function literalPattern(tokens: readonly AddedToken[]): RegExp | null {
  const literals = tokens.filter(({ content }) => content !== '')
  if (literals.length === 0) return null
  const alternatives = literals
    .map(({ content }) => content)
    .sort((a, b) => b.length - a.length)
    .map((content) => content.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return new RegExp(alternatives.join('|'), 'gu')
}
