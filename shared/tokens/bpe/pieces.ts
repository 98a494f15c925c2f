/** The text cut into the pattern's matches and what lies between them, in order; the pattern is global. */
export function pieces(text: string, pattern: RegExp): readonly string[] {
  const matches = text.match(pattern) ?? []
  let covered = 0
  for (const match of matches) covered += match.length
  // The patterns of nearly all models leave nothing between their matches.
  return covered === text.length ? matches : piecesWithGaps(text, pattern)
}

function piecesWithGaps(text: string, pattern: RegExp): string[] {
  const found: string[] = []
  let at = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) found.push(text.slice(at, match.index))
    if (match[0] !== '') found.push(match[0])
    at = match.index + match[0].length
  }
  if (at < text.length) found.push(text.slice(at))
  return found
}
