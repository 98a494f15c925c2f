/** What a key does in the query line; `at`: the place of an offer. */
export type QueryKeyAction =
  | { readonly does: 'offer' | 'ask' | 'close' | 'take-back' }
  | { readonly does: 'choose' | 'take'; readonly at: number }

/** What the line offers: how many, and the place of the chosen one, -1 where none is. */
export interface OffersShown {
  readonly count: number
  readonly at: number
  /** The word at the caret may become a field, so that Tab takes the first offer. */
  readonly isUnfinished: boolean
}

/** Null where the key does what it does in any line of text. */
export function queryKeyAction(
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
  { count, at, isUnfinished }: OffersShown,
): QueryKeyAction | null {
  if (key === 'ArrowDown') return count === 0 ? { does: 'offer' } : { does: 'choose', at: (at + 1) % count }
  if (key === 'ArrowUp' && count > 0) return { does: 'choose', at: at <= 0 ? count - 1 : at - 1 }
  if (key === 'Tab' && !shiftKey && (at >= 0 || isUnfinished)) return { does: 'take', at: Math.max(0, at) }
  if (key === 'Enter') return at >= 0 ? { does: 'take', at } : { does: 'ask' }
  if (key === 'Escape') return { does: count > 0 ? 'close' : 'take-back' }
  return null
}
