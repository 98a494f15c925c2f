/**
 * Text as two renderings of the same words share it: letters and digits, one blank between words. Templates quote replies as JSON,
 * re-indent them and change white space; none of that is a difference in what the model could read.
 */
export function normalised(text: string): string {
  return text
    .replace(/\\u([0-9a-fA-F]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[nrtbf]/g, ' ')
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
