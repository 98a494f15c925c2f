/** Characters of a line of the documentation; those of a table cannot be broken. */
export const LONGEST_LINE = 160

/** An item of a list, over as many lines as it takes. What stands between backticks is torn apart only where it would fill a line by itself. */
export function wrappedItem(text: string): string {
  const lines: string[] = []
  let line = '-'
  for (const word of text.match(/(?:`[^`]{0,120}`|\S)+/g) ?? []) {
    if (line.length + 1 + word.length > LONGEST_LINE) {
      lines.push(line)
      line = ' '
    }
    line += ` ${word}`
  }
  return [...lines, line].join('\n')
}
