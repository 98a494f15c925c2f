import type { Item } from './language/ast.ts'
import { compileRegex } from './language/regex.ts'

/** Whether a word is one of several items, in any case; `contains`: a part of it is enough. Numbers and ranges fit no word. */
export function wordMatcher(items: readonly Item[], match: 'whole' | 'contains'): (word: string) => boolean {
  const tests = items.map((item) => itemTest(item, match))
  return (word) => tests.some((fits) => fits(word))
}

function itemTest(item: Item, match: 'whole' | 'contains'): (word: string) => boolean {
  switch (item.kind) {
    case 'word': {
      const wanted = item.text.toLowerCase()
      return match === 'contains'
        ? (word) => word.toLowerCase().includes(wanted)
        : (word) => word.length === wanted.length && word.toLowerCase() === wanted
    }
    case 'glob': {
      const pieces = item.text.toLowerCase().split('*')
      return (word) => globFits(pieces, word.toLowerCase(), match === 'contains')
    }
    case 'regex': {
      const regex = compileRegex(item.source, item.flags)
      return (word) => regex.test(word)
    }
    default:
      return () => false
  }
}

/** The pieces between asterisks one after the other; the first begins the word and the last ends it, unless a part of it is enough. */
function globFits(pieces: readonly string[], word: string, anywhere: boolean): boolean {
  const first = anywhere ? '' : (pieces[0] as string)
  const last = anywhere ? '' : (pieces.at(-1) as string)
  if (!word.startsWith(first) || !word.endsWith(last) || word.length < first.length + last.length) return false
  let at = first.length
  for (const piece of anywhere ? pieces : pieces.slice(1, -1)) {
    const found = word.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= word.length - last.length
}
