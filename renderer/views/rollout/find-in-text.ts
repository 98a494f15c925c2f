/** More hits than these are counted and not marked: each is an element of the page. */
export const MOST_MARKED = 2000

/** Where a text holds another, upper and lower case alike: the beginnings, in order, as many as are marked. */
export function findInText(
  text: string,
  wanted: string,
): { readonly starts: readonly number[]; readonly total: number } {
  if (wanted === '') return { starts: [], total: 0 }
  // Lower case may be of another length (İ); then letters are compared as they are.
  const lower = text.toLowerCase()
  const [haystack, needle] = lower.length === text.length ? [lower, wanted.toLowerCase()] : [text, wanted]
  const starts: number[] = []
  let total = 0
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + needle.length)) {
    if (total < MOST_MARKED) starts.push(at)
    total++
  }
  return { starts, total }
}
