/** A sentence in which names stand between backticks; shown as it is where one of them is never closed. */
export function WithCode({ text }: { text: string }) {
  const pieces = text.split('`')
  if (pieces.length % 2 === 0) return text
  // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
  return pieces.map((piece, at) => (at % 2 === 1 ? <code key={at}>{piece}</code> : piece))
}
