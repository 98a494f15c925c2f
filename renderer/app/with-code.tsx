/** A sentence in which names stand between backticks. */
export function WithCode({ text }: { text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
  return text.split('`').map((piece, at) => (at % 2 === 1 ? <code key={at}>{piece}</code> : piece))
}
