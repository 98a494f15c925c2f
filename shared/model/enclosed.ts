/** Where a stretch lies in a text, its marks included; half-open. */
export interface Enclosed {
  readonly start: number
  readonly end: number
}

/**
 * Each stretch from `open` to the next `close`, from left to right, none within another. In one pass: a pattern with `.*?` looks through the rest
 * of the text anew for each mark that nothing closes.
 */
export function* enclosed(text: string, open: string, close: string): Generator<Enclosed> {
  for (let at = 0; ; ) {
    const start = text.indexOf(open, at)
    if (start < 0) return
    const end = text.indexOf(close, start + open.length)
    if (end < 0) return
    at = end + close.length
    yield { start, end: at }
  }
}
