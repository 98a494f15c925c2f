/** A text with what two people changed of it. */
export interface MergedTexts {
  readonly text: string
  /** Where a place in one's own text (UTF-16 units) stands in it. */
  moved(place: number): number
}

/** `[from, to)` of a text replaced by other words. */
interface Edit {
  readonly from: number
  readonly to: number
  readonly words: string
}

/**
 * Puts two changes of one text together: what was changed, from its first differing letter to its last, is taken from each. Null where the
 * two overlap and only a person could say what is meant. What both added at one place stands there one after the other, the other's first.
 */
export function mergeTexts(before: string, own: string, other: string): MergedTexts | null {
  const mine = editOf(before, own)
  const theirs = editOf(before, other)
  const isFirst = theirs.to <= mine.from
  if (!isFirst && mine.to > theirs.from) return null
  const [first, second] = isFirst ? [theirs, mine] : [mine, theirs]
  const text = `${before.slice(0, first.from)}${first.words}${before.slice(first.to, second.from)}${second.words}${before.slice(second.to)}`
  const from = isFirst ? theirs.from : theirs.from + grownBy(mine)
  const to = from + theirs.to - theirs.from
  return {
    text,
    moved: (place) => (place <= from ? place : place < to ? from + theirs.words.length : place + grownBy(theirs)),
  }
}

function editOf(before: string, after: string): Edit {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start++
  let end = 0
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return { from: start, to: before.length - end, words: after.slice(start, after.length - end) }
}

function grownBy({ from, to, words }: Edit): number {
  return words.length - (to - from)
}
