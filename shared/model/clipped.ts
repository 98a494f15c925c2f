/** The beginning of a text, of `most` UTF-16 units at most, that ends in dots where something was left out. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text
  // Not between the halves of a character.
  const end = /[\ud800-\udbff]/.test(text[most - 2] ?? '') ? most - 2 : most - 1
  return `${text.slice(0, end)}…`
}
