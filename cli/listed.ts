import { count } from '../shared/model/number-text.ts'

/** What is listed of anything that may come in thousands. */
export const LISTED = 5

/** The first of some names and how many others there are: `a, b, c, d, e and 7 more`. */
export function firstOf(
  names: readonly string[],
  separator = ', ',
  others: (more: number) => string = (more) => `${count(more)} more`,
): string {
  const more = names.length > LISTED ? ` and ${others(names.length - LISTED)}` : ''
  return `${names.slice(0, LISTED).join(separator)}${more}`
}
