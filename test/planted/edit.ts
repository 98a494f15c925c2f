import type { Span } from '../../shared/model/tokens.ts'
import type { PlantedRollout, TurnPlace } from './rollout.ts'

/** Trains (or leaves out) the tokens of a span, and gives the span. */
export function train(rollout: PlantedRollout, start: number, end: number, trained = true): Span {
  for (const token of rollout.tokens.slice(start, end)) token.trained = trained
  return { start, end }
}

/** Gives every token another mask, by its index and its old value, and the span from the first change to the last. */
export function remask(rollout: PlantedRollout, masked: (index: number, was: readonly boolean[]) => boolean): Span {
  const was = rollout.tokens.map(({ trained }) => trained)
  const changed: number[] = []
  rollout.tokens.forEach((token, index) => {
    token.trained = masked(index, was)
    if (token.trained !== was[index]) changed.push(index)
  })
  return { start: changed[0] ?? 0, end: (changed.at(-1) ?? -1) + 1 }
}

/** The last token that is no padding, and one. */
export function realEnd({ tokens }: PlantedRollout): number {
  return tokens.findLastIndex(({ part }) => part !== 'padding') + 1
}

/**
 * Tokens that touch the first match of a pattern in the text of a span; null where there is none. Bytes are matched, each as the
 * character of its number: patterns must be ASCII.
 */
export function findText(rollout: PlantedRollout, { start, end }: Span, pattern: RegExp): Span | null {
  const { bytes, offsets } = rollout.family.tokenizer.table
  const pieces = rollout.tokens
    .slice(start, end)
    .map(({ id }) => String.fromCharCode(...bytes.subarray(offsets[id], offsets[id + 1])))
  const match = pattern.exec(pieces.join(''))
  if (match === null) return null
  let at = 0
  const ends = pieces.map((piece) => (at += piece.length))
  const first = ends.findIndex((past) => past > match.index)
  const last = ends.findIndex((past) => past >= match.index + match[0].length)
  return { start: start + first, end: start + last + 1 }
}

export const contentOf = ({ contentStart, contentEnd }: TurnPlace): Span => ({ start: contentStart, end: contentEnd })
