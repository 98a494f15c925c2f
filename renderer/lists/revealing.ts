/** A list as it was when its selected row was last looked for. */
export interface LookedFor {
  /** The selected row; null where none is. */
  readonly shown: number | null
  /** Where it stood in the list; -1 where it did not. */
  readonly at: number
  /** Whether it has stood in the list since it was selected. */
  readonly isFound: boolean
  readonly positions: Int32Array
  /** What the positions answer: order and filters. */
  readonly answered: string
}

/** The list as it is now. A question that was asked is answered by the next positions; until then those of the one before stay. */
export function lookFor(
  before: LookedFor | null,
  now: { readonly shown: number | null; readonly positions: Int32Array; readonly question: string },
): LookedFor {
  const { shown, positions, question } = now
  const answered = before !== null && before.positions === positions ? before.answered : question
  const at = shown === null ? -1 : positions.indexOf(shown)
  const isFound = at >= 0 || (before !== null && before.shown === shown && before.isFound)
  return { shown, positions, answered, at, isFound }
}

/**
 * Whether the selected row is to be scrolled to: where another was selected, which may be read only later, or another question answered. A list that changes as
 * more is read is left where a person scrolled it to; where nobody chose a row, its first one is selected, whichever that is by now.
 */
export function isToBeRevealed(before: LookedFor, now: LookedFor): boolean {
  if (now.at < 0) return false
  if (now.answered !== before.answered) return true
  const isOtherFirst = before.at === 0 && now.at === 0 && before.positions !== now.positions
  return now.shown === before.shown ? !before.isFound : !isOtherFirst
}
