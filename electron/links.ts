import { APP_ORIGIN, SCHEME } from './app-protocol.ts'

/** A place is a few words, and a query of some lines at most. */
const MOST_CHARACTERS = 100_000

/** Whether a word is an address of the page's own scheme, right or wrong. Any site may send one: it is never a path. */
export function isLink(word: string): boolean {
  return word.toLowerCase().startsWith(`${SCHEME}:`)
}

/**
 * What stands from the `#` on in a link that the page copied, which is all that is taken of it: a place in the page and no file. Null for
 * anything else.
 */
export function placeOfLink(word: string): string | null {
  if (!word.startsWith(`${APP_ORIGIN}/`) || word.length > MOST_CHARACTERS) return null
  const at = word.indexOf('#')
  return at < 0 ? '#' : word.slice(at)
}
